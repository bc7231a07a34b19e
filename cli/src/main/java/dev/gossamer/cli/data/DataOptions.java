package dev.gossamer.cli.data;

import dev.gossamer.Architecture.FeatureScaling;
import dev.gossamer.DataSettings;
import dev.gossamer.Dataset;
import dev.gossamer.VertexData;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.terminal.CacheReport;
import dev.gossamer.cli.terminal.CommonOptions;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of the data set.
public class DataOptions {
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
      description =
          "Keep the direction of arcs in a raw file, or (--no-directed) store both directions.")
  @Nullable Boolean directed;

  @Option(
      names = "--split-index",
      paramLabel = "I",
      defaultValue = "0",
      description =
          "Number of the split to use, from 0, if a raw file has several (default: ${DEFAULT-VALUE}).")
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
      description =
          "Seed of a drawn split, and of random features and labels (default: ${DEFAULT-VALUE}).")
  long splitSeed;

  @Option(
      names = "--feature-scaling",
      paramLabel = "KIND",
      defaultValue = "none",
      description = {
        "row: divide each vertex's features by their sum; standard: subtract from each feature its mean over the"
            + " training vertices and divide it by its standard deviation (sparse features: divide only); or none"
            + " (default: ${DEFAULT-VALUE})."
      })
  String featureScaling = "none";

  /// Returns the settings of the flags.
  public DataSettings settings() {
    return new DataSettings(data, format, directed, splitIndex, split, splitSeed, VertexData.OWN);
  }

  /// Opens the data set, and reports what is converted or built for it.
  public Dataset open(CommonOptions common) {
    return open(common, Long.MAX_VALUE);
  }

  /// Opens the data set, unless building it needs more than the memory limit.
  ///
  /// @param limit maximum bytes of this process
  public Dataset open(CommonOptions common, long limit) {
    try (CacheReport report = new CacheReport(common)) {
      return settings().open(report, limit);
    }
  }

  /// Opens the data set after comparing all files with their checksums.
  Dataset openVerified(CommonOptions common) {
    try (CacheReport report = new CacheReport(common)) {
      return settings().openVerified(report);
    }
  }

  /// Returns how features are scaled before a network reads them.
  public FeatureScaling featureScaling() {
    return switch (featureScaling.toLowerCase(Locale.ROOT)) {
      case "none" -> FeatureScaling.NONE;
      case "row" -> FeatureScaling.ROW;
      case "standard" -> FeatureScaling.STANDARD;
      default ->
          throw new InvalidInputException(
              "--feature-scaling: expected none, row or standard, found " + featureScaling);
    };
  }
}
