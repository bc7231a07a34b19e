package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import java.util.List;
import java.util.function.UnaryOperator;

/// The rows of a source, as a [TableStore] can read them.
///
/// @param where names the source, the start of a message
/// @param relation what stands behind `FROM`
/// @param examined the same, of a CSV file whose form is found out again; otherwise the relation
/// @param columns in their order
record SourceRows(String where, String relation, String examined, List<Column> columns) {
  Column column(String name) {
    return Column.named(name, columns, where);
  }

  /// Whether a row has a value of a column.
  boolean hasValues(TableStore store, Column column) {
    run(
        store,
        relation ->
            "CREATE OR REPLACE TABLE present AS SELECT count(%s) > 0 AS known FROM %s"
                .formatted(column.sql(), relation));
    return store.number("SELECT known::BIGINT FROM present") == 1;
  }

  /// Runs a statement over the rows. What the database says of a file that does not have its form
  /// is about options of ours; so the statement is run again without them.
  ///
  /// @param statement of a relation; leaves nothing if it fails
  void run(TableStore store, UnaryOperator<String> statement) {
    try {
      store.run(statement.apply(relation), where);
    } catch (InvalidInputException e) {
      if (relation.equals(examined)) {
        throw e;
      }
      store.run(statement.apply(examined), where);
    }
  }
}
