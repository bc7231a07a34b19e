package dev.gossamer.graph.format;

import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The formats that are recognised. A new one is a class and a line here, or a service of another
/// module.
final class Formats {
  /// Those with an unmistakable mark.
  private static final List<GraphFormat> MARKED =
      List.of(
          new DatasetFormat(),
          new PlanetoidFormat(),
          new MusaeFormat(),
          new CoraTextFormat(),
          new RedditFormat(),
          new GraphSaintFormat(),
          new OgbFormat(),
          new NpzFormat());

  private static final List<GraphFormat> TEXTS =
      List.of(
          new MatrixMarketFormat(), new DimacsFormat(), new MetisFormat(), new EdgeListFormat());

  /// In the order in which they are asked whether a file or folder is theirs: those with an
  /// unmistakable mark first, then those of other modules, edge lists, which any text may be, last.
  static final List<GraphFormat> ALL =
      Stream.of(
              MARKED.stream(),
              ServiceLoader.load(GraphFormat.class, GraphFormat.class.getClassLoader()).stream()
                  .map(ServiceLoader.Provider::get),
              TEXTS.stream())
          .flatMap(formats -> formats)
          .toList();

  private Formats() {}

  /// The names, comma-separated.
  static String names() {
    return ALL.stream().map(GraphFormat::name).collect(Collectors.joining(", "));
  }
}
