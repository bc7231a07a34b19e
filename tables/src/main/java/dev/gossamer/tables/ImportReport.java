package dev.gossamer.tables;

import java.util.List;

/// What was read from tables.
///
/// @param tables rows of each, in the order of the schema
/// @param dangling edges with an end that is in no table of vertices, as [Handling] treated them
/// @param duplicates rows of vertices with the id of an earlier row, left out
/// @param missing rows without an id and edges without an end, a time or a type, left out
/// @param selfLoops edges from a vertex to itself; left out of an undirected graph
/// @param merged edges beyond the first between two vertices
public record ImportReport(
    List<Rows> tables, long dangling, long duplicates, long missing, long selfLoops, long merged) {
  /// Rows of a table.
  ///
  /// @param table name
  /// @param rows in its source
  public record Rows(String table, long rows) {}

  /// Copies the list.
  public ImportReport {
    tables = List.copyOf(tables);
  }
}
