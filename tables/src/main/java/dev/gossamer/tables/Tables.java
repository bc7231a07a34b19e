package dev.gossamer.tables;

import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.graph.Progress;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.ToIntFunction;

/// Graphs from tables: CSV, JSON lines and Parquet files, SQL queries and other databases; and
/// tables of results, to files and databases.
///
/// ```java
/// GraphSchema schema =
///     Tables.propose("shop", Path.of(""), List.of("accounts.parquet"), List.of("payments.csv"))
///         .schema();
/// try (TableGraph graph = Tables.read(schema, Path.of(""), TableOptions.DEFAULT)) {
///   System.out.println(graph.data().vertices());
/// }
/// ```
///
/// The same tables give the same graph, bit by bit: vertices are numbered in the order of the
/// tables and of their rows, if a query or database returns its rows in the same order each time.
public final class Tables {
  private Tables() {}

  /// How tables are read.
  ///
  /// @param bytes of memory for joins and sorts; what needs more uses temporary files
  /// @param progress notified of each step, in percent
  public record TableOptions(long bytes, Progress progress) {
    /// 1 GiB, and nobody to notify.
    public static final TableOptions DEFAULT = new TableOptions(1L << 30, Progress.SILENT);

    /// Checks that there is a listener.
    public TableOptions {
      Objects.requireNonNull(progress, "progress");
    }
  }

  /// Reads a graph.
  ///
  /// Off-heap memory: that of the options; 24 to 48 bytes per vertex while edges are read, if ids
  /// are whole numbers; 8 bytes per arc of the graph (12 with weights) while it is built; 4 bytes
  /// per feature of a vertex and of an arc; and, with features of edges, 8 bytes per row and 4 per
  /// arc while they are computed. Heap: about 60 bytes per vertex, for its id. Temporary files: 8
  /// bytes per edge (12 with weights), and what exceeds the memory of the options.
  ///
  /// @param schema of the graph
  /// @param base folder to which names of files are relative
  /// @param options memory and progress
  /// @return the graph, to be closed
  /// @throws dev.gossamer.base.InvalidInputException naming table, column and row, what was
  ///   expected and what was found
  public static TableGraph read(GraphSchema schema, Path base, TableOptions options) {
    try (TableStore store = TableStore.open(base, options)) {
      return new GraphReader(store, base, schema).read();
    }
  }

  /// Proposes a schema: which column is what, and why.
  ///
  /// @param name of the data set
  /// @param base folder to which names of files are relative
  /// @param vertices sources of tables of vertices, as [TableSource#parse] reads them
  /// @param edges sources of tables of edges
  /// @return the schema, with a reason for each column
  /// @throws dev.gossamer.base.InvalidInputException if a source cannot be read, or has no column
  ///   that can be an id or an end of edges
  public static SchemaProposal propose(
      String name, Path base, List<String> vertices, List<String> edges) {
    try (TableStore store = TableStore.open(base, TableOptions.DEFAULT)) {
      return new SchemaSearch(store, base)
          .propose(
              name,
              vertices.stream().map(TableSource::parse).toList(),
              edges.stream().map(TableSource::parse).toList());
    }
  }

  /// Reads other tables as those that a model was trained on: features are computed from columns of
  /// the same names, by the same means, values and classes. Tables are matched in order.
  ///
  /// @param fitted schema of the training data, as [TableGraph#fitted] or a model has it
  /// @param name of the new data set
  /// @param base folder to which names of files are relative
  /// @param vertices sources of tables of vertices, as [TableSource#parse] reads them
  /// @param edges sources of tables of edges
  /// @return the schema, with what each column is; labels, parts and times may be missing
  /// @throws dev.gossamer.base.InvalidInputException if a source cannot be read, or has not the
  ///   columns of a feature
  /// @throws dev.gossamer.base.InvalidSettingException if the numbers of tables differ
  public static SchemaProposal like(
      GraphSchema fitted, String name, Path base, List<String> vertices, List<String> edges) {
    try (TableStore store = TableStore.open(base, TableOptions.DEFAULT)) {
      return new SchemaTransfer(store, base)
          .to(
              fitted,
              name,
              vertices.stream().map(TableSource::parse).toList(),
              edges.stream().map(TableSource::parse).toList());
    }
  }

  /// Reads pairs of vertices of a graph. Memory: 12 bytes for each row.
  ///
  /// @param source of the table, as [TableSource#parse] reads it
  /// @param base folder to which names of files are relative
  /// @param vertices gives the number of a vertex by its id, or -1
  /// @param graph name of the graph, for messages
  /// @param typed whether the third column, the type of each edge, is read
  /// @param options memory and progress
  /// @return the pairs, in the order of the rows
  /// @throws dev.gossamer.base.InvalidInputException naming row and column, what was expected and
  ///   what was found
  public static PairTable pairs(
      TableSource source,
      Path base,
      ToIntFunction<String> vertices,
      String graph,
      boolean typed,
      TableOptions options) {
    try (TableStore store = TableStore.open(base, options)) {
      return PairTable.read(store, new SourceReader(store, base), source, vertices, graph, typed);
    }
  }

  /// Checks, before a table is computed, that it can be written: that a database answers, and that
  /// it does not have the table, or may replace its rows. Of files it checks that they can be
  /// created, not whether they are there.
  ///
  /// @param target of the table
  /// @throws dev.gossamer.base.InvalidInputException naming what prevents it, and the remedy
  public static void requireWritable(TableTarget target) {
    switch (target) {
      case TableTarget.File(Path file) -> AtomicOutput.requireWritable(file);
      case TableTarget.Database database -> new DatabaseWriter(database).requireWritable();
    }
  }

  /// Writes a table: all of it or nothing. A file is replaced atomically; a database is written in
  /// one transaction.
  ///
  /// Rows are computed as they are written, in bounded memory ([TableTarget#bytes]). The same table
  /// gives the same bytes of a file.
  ///
  /// @param table its columns, in order
  /// @param target file or database
  /// @throws dev.gossamer.base.InvalidInputException if it cannot be written
  public static void write(OutputTable table, TableTarget target) {
    switch (target) {
      case TableTarget.File(Path file) -> new FileWriter(table, file).write();
      case TableTarget.Database database -> new DatabaseWriter(database).write(table);
    }
  }
}
