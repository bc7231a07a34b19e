package dev.gossamer.graph.generate;

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
import dev.gossamer.matrix.io.InvalidInputException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/// A seeded random graph, undirected and simple, whose vertices have planted classes that both the
/// edges and the features tell something about, and neither everything.
///
/// Equal parameters give equal bytes, whatever the machine and its number of threads. Edges are
/// drawn by position, so that they are told twice instead of being stored, and features are drawn
/// as they are written: [#generate] needs memory for the graph alone.
public sealed interface Generator permits Bter, Grid, Rmat, StochasticBlocks {
  /// What the data set is called.
  String name();

  /// `n`.
  int vertices();

  /// Planted classes.
  int classes();

  /// Features and split.
  VertexData data();

  /// Of all draws.
  long seed();

  /// The parameters by name, as the provenance of the data set states them.
  Map<String, String> parameters();

  /// The edges, each told once in either direction; repeats and self loops among them are for the
  /// builder to drop. The same in each telling.
  EdgeStream edges();

  /// About how many edges are told.
  long expectedArcs();

  /// The planted class of each vertex (`n`).
  int[] labels();

  /// Bytes that [#generate] takes at its peak, about, off-heap and on the heap.
  default long peakBytes() {
    return CsrBuilder.undirected(vertices()).peakBytes(expectedArcs()) + 32L * vertices();
  }

  /// The data set in memory, to be closed.
  default GraphData build() {
    Arena arena = Arena.ofShared();
    try {
      CsrMatrix adjacency = CsrBuilder.undirected(vertices()).build(arena, edges());
      int[] labels = labels();
      Features features = new Features.None();
      if (data().features() > 0) {
        DenseMatrix x = DenseMatrix.allocate(arena, vertices(), data().features());
        new PlantedFeatures(data(), classes(), labels, seed()).fill(0, x);
        features = new Features.Dense(x);
      }
      return withSplit(
          new GraphData(arena, info(), adjacency, features, labels, new byte[0], null));
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  /// Writes the data set into a folder, without ever holding its features.
  ///
  /// @param folder the data set folder, made or replaced as a whole at the end
  /// @throws InvalidInputException if it cannot be written
  default void generate(Path folder, Progress progress) {
    try (Arena arena = Arena.ofShared()) {
      EdgeStream edges = new ReportedEdges(edges(), expectedArcs(), progress);
      CsrMatrix adjacency = CsrBuilder.undirected(vertices()).build(arena, edges);
      int[] labels = labels();
      FeatureRows rows = null;
      if (data().features() > 0) {
        rows = new PlantedFeatures(data(), classes(), labels, seed());
        rows = new ReportedRows(rows, vertices(), progress);
      }
      GraphData graph =
          withSplit(
              new GraphData(
                  arena, info(), adjacency, new Features.None(), labels, new byte[0], null));
      DatasetFolder.write(folder, info(), adjacency, rows, labels, graph.split(), null);
    }
  }

  private GraphData withSplit(GraphData unmarked) {
    return unmarked.withSplit(Splits.draw(unmarked, data().fractions(), seed()));
  }

  private GraphData.Info info() {
    Map<String, String> provenance = new TreeMap<>(parameters());
    provenance.put("generator", name());
    provenance.put("vertices", Integer.toString(vertices()));
    provenance.put("seed", Long.toString(seed()));
    provenance.put("signal", Double.toString(data().signal()));
    List<String> classNames = IntStream.range(0, classes()).mapToObj(Integer::toString).toList();
    return new GraphData.Info(name(), false, classNames, false, provenance);
  }
}
