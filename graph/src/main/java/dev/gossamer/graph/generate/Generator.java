package dev.gossamer.graph.generate;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.Resources;
import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.EdgeStream;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.FeatureRows;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// A seeded random graph, undirected and simple, with planted classes that correlate with both
/// edges and features.
///
/// Equal settings give identical bytes on every machine, for any number of threads. Edges are drawn
/// by position, so that the stream can be replayed instead of being stored, and features are drawn
/// as they are written: [#generate] needs memory only for the graph.
public sealed interface Generator permits Bter, Grid, Rmat, StochasticBlocks {
  /// {@return the name of the data set}
  String name();

  /// {@return `n`}
  int vertices();

  /// {@return classes, features, split and seed}
  Planted planted();

  /// {@return the other settings by name, as in the provenance of the data set}
  Map<String, String> parameters();

  /// {@return a stream of the edges, each once in either direction; the builder drops duplicates
  /// and self loops}. The stream is the same each time.
  EdgeStream edges();

  /// {@return the approximate number of edges in the stream}
  long expectedArcs();

  /// {@return the planted class of each vertex (`n`)}
  int[] labels();

  /// {@return the approximate peak bytes of [#generate], on and off the Java heap}
  default long peakBytes() {
    return CsrBuilder.undirected(vertices()).peakBytes(expectedArcs()) + 32L * vertices();
  }

  /// Builds the data set in memory.
  ///
  /// @return a data set to close
  default GraphData build() {
    return Resources.handedOver(
        Arena.ofShared(),
        arena -> {
          CsrMatrix adjacency = CsrBuilder.undirected(vertices()).build(arena, edges());
          int[] labels = labels();
          Features features = new Features.None();
          if (planted().features() > 0) {
            DenseMatrix x = DenseMatrix.allocate(arena, vertices(), planted().features());
            new PlantedFeatures(planted(), labels).fill(0, x);
            features = new Features.Dense(x);
          }
          return withSplit(
              GraphData.of(arena, info(), adjacency).withFeatures(features).withLabels(labels));
        });
  }

  /// Writes the data set to a folder, without keeping its features in memory.
  ///
  /// @param folder the data set folder, created or replaced atomically
  /// @param progress notified of the progress
  /// @throws InvalidInputException if it cannot be written
  default void generate(Path folder, Progress progress) {
    Objects.requireNonNull(folder, "folder");
    Objects.requireNonNull(progress, "progress");
    try (Arena arena = Arena.ofShared()) {
      EdgeStream edges = new ReportedEdges(edges(), expectedArcs(), progress);
      CsrMatrix adjacency = CsrBuilder.undirected(vertices()).build(arena, edges);
      int[] labels = labels();
      GraphData graph = withSplit(GraphData.of(arena, info(), adjacency).withLabels(labels));
      if (planted().features() > 0) {
        FeatureRows rows = new PlantedFeatures(planted(), labels);
        DatasetFolder.write(folder, graph, new ReportedRows(rows, vertices(), progress));
      } else {
        DatasetFolder.write(folder, graph);
      }
    }
  }

  private GraphData withSplit(GraphData unmarked) {
    return unmarked.withSplit(Splits.draw(unmarked, planted().fractions(), planted().seed()));
  }

  private GraphData.Info info() {
    Map<String, String> provenance = new TreeMap<>(parameters());
    provenance.put("generator", name());
    provenance.put("vertices", Integer.toString(vertices()));
    provenance.put("seed", Long.toString(planted().seed()));
    provenance.put("signal", Double.toString(planted().signal()));
    return GraphData.Info.of(name())
        .withClassNames(
            IntStream.range(0, planted().classes()).mapToObj(Integer::toString).toList())
        .withProvenance(provenance);
  }
}
