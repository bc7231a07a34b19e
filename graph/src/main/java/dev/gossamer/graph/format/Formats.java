package dev.gossamer.graph.format;

import java.util.List;
import java.util.stream.Collectors;

/// The formats that are recognised. A new one is a class and a line here.
final class Formats {
  /// In the order in which they are asked whether a file or folder is theirs: those with an
  /// unmistakable mark first, edge lists, which any text may be, last.
  static final List<GraphFormat> ALL =
      List.of(
          new DatasetFormat(),
          new PlanetoidFormat(),
          new MusaeFormat(),
          new CoraTextFormat(),
          new NpzFormat(),
          new Facebook100Format(),
          new MatrixMarketFormat(),
          new DimacsFormat(),
          new MetisFormat(),
          new EdgeListFormat());

  private Formats() {}

  /// The names, comma-separated.
  static String names() {
    return ALL.stream().map(GraphFormat::name).collect(Collectors.joining(", "));
  }
}
