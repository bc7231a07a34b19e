package dev.gossamer.tables;

import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/// The features of the vertices. With several tables of vertices, each has columns of its own, and
/// a column says of which table a vertex is; so does one for vertices of no table, if there may be
/// some.
final class TableFeatures {
  /// The type of vertices that are the end of an edge, but in no table.
  static final String IN_NO_TABLE = "in no table";

  private final TableStore store;
  private final List<LoadedVertices> loaded;
  private final List<VertexTable> tables;
  private final boolean marksAdded;

  private TableFeatures(
      TableStore store, List<LoadedVertices> loaded, List<VertexTable> tables, boolean marksAdded) {
    this.store = store;
    this.loaded = loaded;
    this.tables = tables;
    this.marksAdded = marksAdded;
  }

  /// Fits the encodings of each table to its training vertices. A table without any, such as that
  /// of goods where customers are classified, has all its vertices for it: scaled by nothing, its
  /// columns would outweigh all others.
  ///
  /// @param graph with labels and split
  static TableFeatures fitted(
      TableStore store, GraphSchema schema, List<LoadedVertices> loaded, GraphData graph) {
    List<VertexTable> tables =
        loaded.stream()
            .map(table -> table.table().withFeatures(fitted(store, graph, table)))
            .toList();
    boolean marksAdded = schema.handling().dangling() == Handling.Dangling.ADD;
    return new TableFeatures(store, loaded, tables, marksAdded);
  }

  private static Map<String, FittedEncoding> fitted(
      TableStore store, GraphData graph, LoadedVertices table) {
    LongPredicate trained = row -> graph.isLabelled(table.first() + (int) row, Split.TRAIN);
    boolean some = LongStream.range(0, table.count()).anyMatch(trained);
    Map<String, FittedEncoding> fitted = new LinkedHashMap<>();
    table
        .table()
        .features()
        .forEach((column, encoding) -> {
          store.step("fitting " + column);
          EncodingFit fit = new EncodingFit(table.values(column), some ? trained : row -> true);
          fitted.put(column, fit.of(encoding));
        });
    return fitted;
  }

  /// The tables of the schema, whose encodings are fitted.
  List<VertexTable> tables() {
    return tables;
  }

  /// The features of a column, and the columns of the matrix that they take.
  private record Block(LoadedVertices table, String column, ColumnEncoder encoder, int first) {}

  /// Adds the features, if a column has some.
  ///
  /// @param added number of vertices, the last, that are in no table
  GraphData addTo(GraphData graph, Arena arena, int added) {
    List<Block> blocks = new ArrayList<>();
    List<String> names = new ArrayList<>();
    boolean several = tables.size() > 1;
    for (int t = 0; t < tables.size(); t++) {
      LoadedVertices table = loaded.get(t);
      String prefix = several ? table.table().name() + "." : "";
      tables
          .get(t)
          .features()
          .forEach((column, encoding) -> {
            ColumnEncoder encoder = Encoders.of(column, (FittedEncoding) encoding);
            blocks.add(new Block(table, column, encoder, names.size()));
            encoder.names().forEach(name -> names.add(prefix + name));
          });
    }
    if (names.isEmpty()) {
      return graph;
    }
    int types = names.size();
    if (several) {
      tables.forEach(table -> names.add("is " + table.name()));
    }
    if (marksAdded) {
      names.add(IN_NO_TABLE);
    }
    DenseMatrix x = DenseMatrix.allocate(arena, graph.vertices(), names.size());
    blocks.forEach(block -> encode(block, x));
    for (int t = 0; several && t < tables.size(); t++) {
      mark(x, loaded.get(t).first(), loaded.get(t).count(), types + t);
    }
    mark(x, graph.vertices() - added, added, names.size() - 1);
    return graph.withFeatures(new Features.Dense(x)).withFeatureNames(names);
  }

  private void encode(Block block, DenseMatrix x) {
    store.step("encoding " + block.column());
    long first = block.table().first();
    block
        .encoder()
        .encode(
            block.table().values(block.column()),
            (row, feature, value) -> x.set(first + row, block.first() + feature, value));
  }

  private static void mark(DenseMatrix x, int first, int count, int feature) {
    for (int v = first; v < first + count; v++) {
      x.set(v, feature, 1);
    }
  }
}
