package dev.gossamer.tables;

import java.util.List;

/// A proposed schema, and the reason of each part.
///
/// @param schema that reads the tables
/// @param reasons for each column, in the order of tables and columns
public record SchemaProposal(GraphSchema schema, List<Reason> reasons) {
  /// Why a column is what it is.
  ///
  /// @param table name
  /// @param column name
  /// @param role in the graph, such as `id`, `label`, `categorical` or `ignored`
  /// @param reason in a few words
  public record Reason(String table, String column, String role, String reason) {}

  /// Copies the list.
  public SchemaProposal {
    reasons = List.copyOf(reasons);
  }
}
