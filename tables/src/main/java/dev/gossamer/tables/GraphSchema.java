package dev.gossamer.tables;

import dev.gossamer.base.InvalidSettingException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/// A graph as tables describe it: a value, checked when it is made. [SchemaFile] reads and writes
/// it.
///
/// @param name of the data set
/// @param vertices tables of vertices, whose ids differ
/// @param edges tables of edges
/// @param directed whether edges keep their direction
/// @param handling of rows that do not fit
/// @param split of labelled vertices, where no column says it
public record GraphSchema(
    String name,
    List<VertexTable> vertices,
    List<EdgeTable> edges,
    boolean directed,
    Handling handling,
    SplitRule split) {
  /// Checks the tables.
  ///
  /// @throws InvalidSettingException if there is no table of vertices or of edges, two have one
  ///   name, or only some have a column of parts
  public GraphSchema {
    vertices = List.copyOf(vertices);
    edges = List.copyOf(edges);
    if (vertices.isEmpty() || edges.isEmpty()) {
      throw new InvalidSettingException(
          "{source}: expected at least one table of vertices and one of edges, found %d and %d"
              .formatted(vertices.size(), edges.size()));
    }
    Set<String> names = new HashSet<>();
    Stream.concat(vertices.stream().map(VertexTable::name), edges.stream().map(EdgeTable::name))
        .filter(each -> !names.add(each))
        .findFirst()
        .ifPresent(twice -> {
          throw new InvalidSettingException(
              "{name}: expected tables of different names, found two of '%s'".formatted(twice));
        });
    if (split.by() == SplitRule.By.TIME && vertices.stream().allMatch(t -> t.time() == null)) {
      throw new InvalidSettingException(
          "{splitBy}: expected a column 'time' of a table of vertices, found none");
    }
  }

  /// {@return a copy with another name}
  ///
  /// @param other name of the data set
  public GraphSchema withName(String other) {
    return new GraphSchema(other, vertices, edges, directed, handling, split);
  }

  /// {@return a copy whose edges keep their direction, or do not}
  ///
  /// @param keep whether they do
  public GraphSchema withDirected(boolean keep) {
    return new GraphSchema(name, vertices, edges, keep, handling, split);
  }

  /// {@return a copy with another handling of rows that do not fit}
  ///
  /// @param other handling
  public GraphSchema withHandling(Handling other) {
    return new GraphSchema(name, vertices, edges, directed, other, split);
  }

  /// {@return a copy with another split}
  ///
  /// @param other rule
  public GraphSchema withSplit(SplitRule other) {
    return new GraphSchema(name, vertices, edges, directed, handling, other);
  }
}
