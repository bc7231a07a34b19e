package dev.gossamer.cli;

import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.cache.BuiltIn;
import dev.gossamer.graph.cache.DatasetCache;
import dev.gossamer.graph.format.GraphFormat;
import dev.gossamer.graph.format.ReadOptions;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.matrix.io.InvalidInputException;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that say what to train on.
final class DataOptions {
  private static final String JDK_CLASSES = "jdk-classes";

  @Option(
      names = "--data",
      paramLabel = "DATA",
      defaultValue = JDK_CLASSES,
      description =
          "A built-in name (see 'gossamer dataset list'), a data set folder, or a file or folder in a raw format,"
              + " recognised by its content (default: ${DEFAULT-VALUE}).")
  String data = JDK_CLASSES;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "Read --data as this format (see 'gossamer dataset list').")
  @Nullable String format;

  @Option(
      names = "--directed",
      negatable = true,
      fallbackValue = "true",
      description = "Keep arcs as a raw file gives them, or (--no-directed) store both directions.")
  @Nullable Boolean directed;

  @Option(
      names = "--split-index",
      paramLabel = "I",
      defaultValue = "0",
      description = "Which split of a raw file that has several (default: ${DEFAULT-VALUE}).")
  int splitIndex;

  @Option(
      names = "--split",
      paramLabel = "T/V/S",
      description =
          "Draw a split in these proportions, as 10/10/80 (default: the data set's own, else 60/20/20).")
  @Nullable String split;

  @Option(
      names = "--split-seed",
      paramLabel = "N",
      defaultValue = "0",
      description = "Seed of a drawn split (default: ${DEFAULT-VALUE}).")
  long splitSeed;

  @Option(
      names = "--feature-scaling",
      paramLabel = "KIND",
      defaultValue = "none",
      description =
          "none, or row: divide each vertex's features by their sum (default: ${DEFAULT-VALUE}).")
  String featureScaling = "none";

  /// Opens the data set, from the cache if it was built or converted before.
  GraphData open(CommonOptions common) {
    boolean scaled =
        switch (featureScaling) {
          case "none" -> false;
          case "row" -> true;
          default ->
              throw new InvalidInputException(
                  "--feature-scaling: expected none or row, found " + featureScaling);
        };
    Splits.Fractions fractions = Splits.Fractions.parse(split == null ? "60/20/20" : split);
    GraphData dataset = scaled ? source(common).withNormalisedFeatures() : source(common);
    boolean drawn = split != null || (dataset.split().length == 0 && dataset.classes() > 0);
    return drawn ? dataset.withSplit(Splits.draw(dataset, fractions, splitSeed)) : dataset;
  }

  private GraphData source(CommonOptions common) {
    try (CacheReport report = new CacheReport(common)) {
      return DatasetCache.ofUser().open(data, readOptions(), report);
    }
  }

  private ReadOptions readOptions() {
    return ReadOptions.DEFAULT
        .withFormat(format == null ? null : GraphFormat.named(format))
        .withDirected(directed)
        .withSplitIndex(splitIndex);
  }

  /// Makes a path absolute, so that a stored configuration finds it from anywhere.
  void makeAbsolute() {
    if (BuiltIn.named(data).isEmpty()) {
      data = Path.of(data).toAbsolutePath().normalize().toString();
    }
  }

  /// @throws InvalidInputException if the data set has no features
  static void requireFeatures(GraphData dataset) {
    if (dataset.features() instanceof Features.None) {
      throw new InvalidInputException(
          "%s: expected features to train on, found none".formatted(dataset.name()));
    }
  }

  /// @throws InvalidInputException if a network cannot be trained on the data set
  static void requireTrainable(GraphData dataset) {
    requireFeatures(dataset);
    if (dataset.classes() < 2) {
      throw new InvalidInputException(
          "%s: expected at least 2 classes, found %d".formatted(dataset.name(), dataset.classes()));
    }
    for (Split part : new Split[] {Split.TRAIN, Split.VALIDATION, Split.TEST}) {
      if (count(dataset, part) == 0) {
        throw new InvalidInputException(
            "%s: expected labelled vertices in the %s part, found none; --split draws another split"
                .formatted(dataset.name(), Choice.name(part)));
      }
    }
  }

  private static long count(GraphData dataset, Split part) {
    return IntStream.range(0, dataset.vertices()).filter(v -> dataset.isLabelled(v, part)).count();
  }
}
