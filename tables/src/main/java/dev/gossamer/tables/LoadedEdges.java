package dev.gossamer.tables;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// A table of edges in a store, with the columns of its features.
///
/// @param store that has it
/// @param table of the schema
/// @param found its source
/// @param parts tables in the store, one for each type: the number of each row in the source,
///   [ColumnValues#ROW], the ids of its ends, `s` and `t`, and `f0`, `f1`, ..., the columns that
///   have an encoding, in their order
record LoadedEdges(TableStore store, EdgeTable table, SourceRows found, List<String> parts) {
  /// Makes the columns of features known under their own names.
  ///
  /// @param view name that no table of the store has
  void nameColumns(String view) {
    List<String> columns = List.copyOf(table.features().keySet());
    String selected =
        IntStream.range(0, columns.size())
            .mapToObj(i -> ", f%d AS %s".formatted(i, TableStore.quoted(columns.get(i))))
            .collect(Collectors.joining("", "SELECT " + ColumnValues.ROW, " FROM "));
    store.run(
        parts.stream()
            .map(part -> selected + part)
            .collect(Collectors.joining(" UNION ALL ", "CREATE VIEW " + view + " AS ", "")));
  }

  /// The values of a column.
  ///
  /// @param view of [#nameColumns]
  ColumnValues values(String view, String column) {
    return new ColumnValues(store, view, found.column(column), found.where());
  }
}
