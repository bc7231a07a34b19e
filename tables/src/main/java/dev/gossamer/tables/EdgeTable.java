package dev.gossamer.tables;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A table with one row per edge.
///
/// @param name of the table, which is the type of its edges unless a column says it
/// @param source of the rows
/// @param from column of the id of one end, the source of a directed edge
/// @param to column of the id of the other end
/// @param weight column of the weight; null for 1
/// @param time column of the time; null if it is not known
/// @param type column of the type; null if all edges are of one
/// @param types values of that column, in the order of the types; empty: those that occur
/// @param features encoding of each column that becomes features, in their order
public record EdgeTable(
    String name,
    TableSource source,
    String from,
    String to,
    @Nullable String weight,
    @Nullable String time,
    @Nullable String type,
    List<String> types,
    Map<String, Encoding> features) {
  /// Checks that there are columns.
  public EdgeTable {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(to, "to");
    types = List.copyOf(types);
    features = Collections.unmodifiableMap(new LinkedHashMap<>(features));
  }

  /// A table of edges of one type, without features, whose times are not known.
  ///
  /// @param name of the table, which is the type of its edges
  /// @param source of the rows
  /// @param from column of the id of one end, the source of a directed edge
  /// @param to column of the id of the other end
  /// @param weight column of the weight; null for 1
  public EdgeTable(
      String name, TableSource source, String from, String to, @Nullable String weight) {
    this(name, source, from, to, weight, null, null, List.of(), Map.of());
  }

  /// {@return a copy with another source}
  ///
  /// @param other of the rows
  public EdgeTable withSource(TableSource other) {
    return new EdgeTable(name, other, from, to, weight, time, type, types, features);
  }

  /// {@return a copy whose edges have types by a column}
  ///
  /// @param column of the type
  /// @param values in the order of the types; empty: those that occur
  public EdgeTable withTypes(String column, List<String> values) {
    return new EdgeTable(name, source, from, to, weight, time, column, values, features);
  }

  /// {@return a copy whose edges have times}
  ///
  /// @param column of the time; null if it is not known
  public EdgeTable withTime(@Nullable String column) {
    return new EdgeTable(name, source, from, to, weight, column, type, types, features);
  }

  /// {@return a copy with other features}
  ///
  /// @param other encoding of each column that becomes features, in their order
  public EdgeTable withFeatures(Map<String, ? extends Encoding> other) {
    return new EdgeTable(
        name, source, from, to, weight, time, type, types, new LinkedHashMap<>(other));
  }
}
