package dev.gossamer.tables;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A table with one row per vertex.
///
/// @param name of the table, which is the type of its vertices
/// @param source of the rows
/// @param id column of the user's ids
/// @param label column of the class; null for none; vertices without a value are unlabelled
/// @param split column of the part (`train`, `validation`, `test`, or nothing); null for none
/// @param time column by which a split by time orders vertices; null for none
/// @param features encoding of each column that becomes features, in their order
public record VertexTable(
    String name,
    TableSource source,
    String id,
    @Nullable String label,
    @Nullable String split,
    @Nullable String time,
    Map<String, Encoding> features) {
  /// Copies the features.
  public VertexTable {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(id, "id");
    features = Collections.unmodifiableMap(new LinkedHashMap<>(features));
  }

  /// {@return a copy with another source}
  ///
  /// @param other of the rows
  public VertexTable withSource(TableSource other) {
    return new VertexTable(name, other, id, label, split, time, features);
  }

  /// {@return a copy with other features}
  ///
  /// @param other encoding of each column that becomes features, in their order
  public VertexTable withFeatures(Map<String, ? extends Encoding> other) {
    return new VertexTable(name, source, id, label, split, time, new LinkedHashMap<>(other));
  }
}
