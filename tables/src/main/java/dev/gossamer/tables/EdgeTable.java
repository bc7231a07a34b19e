package dev.gossamer.tables;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A table with one row per edge.
///
/// @param name of the table, which is the type of its edges
/// @param source of the rows
/// @param from column of the id of one end, the source of a directed edge
/// @param to column of the id of the other end
/// @param weight column of the weight; null for 1
public record EdgeTable(
    String name, TableSource source, String from, String to, @Nullable String weight) {
  /// Checks that there are columns.
  public EdgeTable {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(to, "to");
  }

  /// {@return a copy with another source}
  ///
  /// @param other of the rows
  public EdgeTable withSource(TableSource other) {
    return new EdgeTable(name, other, from, to, weight);
  }
}
