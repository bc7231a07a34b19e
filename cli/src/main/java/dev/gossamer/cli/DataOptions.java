package dev.gossamer.cli;

import dev.gossamer.Architecture.FeatureScaling;
import dev.gossamer.Dataset;
import dev.gossamer.DatasetSource;
import dev.gossamer.SplitProportions;
import dev.gossamer.graph.cache.BuiltIn;
import dev.gossamer.graph.format.GraphFormat;
import dev.gossamer.graph.format.ReadOptions;
import dev.gossamer.matrix.io.InvalidInputException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Function;
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
      description = {
        "row: divide each vertex's features by their sum; standard: subtract from each feature its mean over the training"
            + " vertices and divide it by its deviation (sparse features: divide only); or none (default: ${DEFAULT-VALUE})."
      })
  String featureScaling = "none";

  /// Opens the data set, from the cache if it was built or converted before, with the split that a
  /// flag asks for.
  Dataset open(CommonOptions common) {
    return split(read(common, DatasetSource::open));
  }

  /// The same, unless it is still to be built, which takes more memory than there may be.
  ///
  /// @param limit bytes that this process may take
  Dataset open(CommonOptions common, long limit) {
    return split(read(common, source -> source.open(limit)));
  }

  /// The same, after all files were compared with their checksums.
  Dataset openVerified(CommonOptions common) {
    return split(read(common, DatasetSource::openVerified));
  }

  private Dataset split(Dataset dataset) {
    return split == null ? dataset : dataset.withSplit(proportions());
  }

  /// Opens the data set for a trained model, with a split if it has labels: the one that a flag
  /// asks for, its own, or else one that is drawn.
  Dataset openForModel(CommonOptions common) {
    Dataset dataset = read(common, DatasetSource::open);
    boolean drawn = dataset.data().hasLabels() && (split != null || !dataset.hasSplit());
    return drawn ? dataset.withSplit(proportions()) : dataset;
  }

  private Dataset read(CommonOptions common, Function<DatasetSource, Dataset> opening) {
    ReadOptions options =
        ReadOptions.DEFAULT
            .withFormat(format == null ? null : GraphFormat.named(format))
            .withDirected(directed)
            .withSplitIndex(splitIndex);
    try (CacheReport report = new CacheReport(common)) {
      return opening.apply(new DatasetSource(data, options, report));
    }
  }

  /// How a split is drawn, if one is.
  SplitProportions proportions() {
    return new SplitProportions(split == null ? SplitProportions.DEFAULT.text() : split, splitSeed);
  }

  /// What is done to features before a network reads them.
  FeatureScaling featureScaling() {
    return switch (featureScaling.toLowerCase(Locale.ROOT)) {
      case "none" -> FeatureScaling.NONE;
      case "row" -> FeatureScaling.ROW;
      case "standard" -> FeatureScaling.STANDARD;
      default ->
          throw new InvalidInputException(
              "--feature-scaling: expected none, row or standard, found " + featureScaling);
    };
  }

  /// Makes a path absolute, so that a stored configuration finds it from anywhere.
  void makeAbsolute() {
    if (BuiltIn.named(data).isEmpty()) {
      data = Path.of(data).toAbsolutePath().normalize().toString();
    }
  }
}
