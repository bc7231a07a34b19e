package dev.gossamer.tables;

import java.util.List;

/// A table of vertices in a store.
///
/// @param store that has it
/// @param table of the schema
/// @param name in the store
/// @param columns of the table
/// @param first number of its first vertex
/// @param count vertices
record LoadedVertices(
    TableStore store, VertexTable table, String name, List<Column> columns, int first, int count) {
  String where() {
    return table.source().text();
  }

  /// The values of a column.
  ColumnValues values(String column) {
    return new ColumnValues(store, name, Column.named(column, columns, where()), where());
  }
}
