package dev.gossamer.graph.format;

import dev.gossamer.matrix.io.InvalidInputException;
import java.util.Arrays;
import java.util.stream.Collectors;

/// The formats that can be opened, each with its name on the command line.
public enum Format {
  /// A data set folder, see [DatasetFolder].
  DATASET("dataset"),
  /// A folder of `ind.NAME.*` pickles, see [PlanetoidReader].
  PLANETOID("planetoid"),
  /// An `.npz` archive in one of two layouts, see [NpzReader].
  NPZ("npz"),
  /// A folder with `NAME.content` and `NAME.cites`, see [CoraTextReader].
  CORA_TEXT("cora"),
  /// A text file with an edge on each line, see [EdgeListReader].
  EDGE_LIST("edges"),
  /// A road network of the 9th DIMACS challenge, see [DimacsReader].
  DIMACS("dimacs"),
  /// A Matrix Market coordinate file, see [MatrixMarketReader].
  MATRIX_MARKET("mtx"),
  /// A METIS graph file, see [MetisReader].
  METIS("metis"),
  /// A MATLAB 5 file of the Facebook100 collection, see [Facebook100Reader].
  FACEBOOK100("facebook100"),
  /// A folder with `NAME_edges.csv`, `NAME_features.json` and `NAME_target.csv`, see [MusaeReader].
  MUSAE("musae");

  private final String option;

  Format(String option) {
    this.option = option;
  }

  /// What `--format` calls it.
  public String option() {
    return option;
  }

  /// The format of that name.
  ///
  /// @throws InvalidInputException listing the names there are
  public static Format of(String option) {
    for (Format format : values()) {
      if (format.option.equals(option)) {
        return format;
      }
    }
    throw new InvalidInputException(
        "--format: expected one of %s, found %s".formatted(options(), option));
  }

  /// The names, comma-separated.
  static String options() {
    return Arrays.stream(values()).map(Format::option).collect(Collectors.joining(", "));
  }
}
