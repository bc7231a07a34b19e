package dev.gossamer.tables;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.Task;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A graph as tables describe it: a value, checked when it is made. [SchemaFile] reads and writes
/// it.
///
/// @param name of the data set
/// @param vertices tables of vertices, whose ids differ; empty if the ends of edges are the
///   vertices
/// @param edges tables of edges
/// @param directed whether edges keep their direction
/// @param handling of rows that do not fit
/// @param split of labelled vertices, where no column says it
/// @param classes name of each class, in the order of their numbers, or of each label or number to
///   predict; empty: those that occur
/// @param task what columns of labels hold: classes, lists of labels, or numbers
public record GraphSchema(
    String name,
    List<VertexTable> vertices,
    List<EdgeTable> edges,
    boolean directed,
    Handling handling,
    SplitRule split,
    List<String> classes,
    Task task) {
  /// Checks the tables.
  ///
  /// @throws InvalidSettingException if there is no table of edges, or none of vertices although
  ///   ends of edges are no vertices of their own, too many of edges, two have one name, a split by
  ///   time has no column of times, some tables of edges have one and others none, or a class
  ///   occurs twice
  public GraphSchema {
    vertices = List.copyOf(vertices);
    edges = List.copyOf(edges);
    classes = List.copyOf(classes);
    if (edges.isEmpty()) {
      throw new InvalidSettingException("{edges}: expected at least one table, found none");
    }
    if (vertices.isEmpty() && handling.dangling() != Handling.Dangling.ADD) {
      throw new InvalidSettingException(
          "{onDangling}: expected add, as no table has vertices and the ends of edges are them, found %s"
              .formatted(InvalidSettingException.nameOf(handling.dangling())));
    }
    if (edges.size() > GraphTypes.MOST_EDGES) {
      throw new InvalidSettingException(
          "{edges}: expected at most %d tables of edges, found %d; join some by a query"
              .formatted(GraphTypes.MOST_EDGES, edges.size()));
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
    long timed = edges.stream().filter(table -> table.time() != null).count();
    if (timed > 0 && timed < edges.size()) {
      throw new InvalidSettingException(
          "{edges}: expected a column 'time' of every table or of none, found it of %d of %d"
              .formatted(timed, edges.size()));
    }
    if (split.by() == SplitRule.By.CLASS && task != Task.CLASSIFICATION) {
      throw new InvalidSettingException(
          "{splitBy}: class divides classes; expected random or time for {task} %s"
              .formatted(InvalidSettingException.nameOf(task)));
    }
    if (classes.stream().distinct().count() < classes.size()) {
      throw new InvalidSettingException("classes: expected different names, found one twice");
    }
  }

  /// {@return a copy with another name}
  ///
  /// @param other name of the data set
  public GraphSchema withName(String other) {
    return new GraphSchema(other, vertices, edges, directed, handling, split, classes, task);
  }

  /// {@return a copy whose edges keep their direction, or do not}
  ///
  /// @param keep whether they do
  public GraphSchema withDirected(boolean keep) {
    return new GraphSchema(name, vertices, edges, keep, handling, split, classes, task);
  }

  /// {@return a copy with another handling of rows that do not fit}
  ///
  /// @param other handling
  public GraphSchema withHandling(Handling other) {
    return new GraphSchema(name, vertices, edges, directed, other, split, classes, task);
  }

  /// {@return a copy with another split}
  ///
  /// @param other rule
  public GraphSchema withSplit(SplitRule other) {
    return new GraphSchema(name, vertices, edges, directed, handling, other, classes, task);
  }

  /// {@return a copy with other tables}
  ///
  /// @param otherVertices tables of vertices
  /// @param otherEdges tables of edges
  public GraphSchema withTables(List<VertexTable> otherVertices, List<EdgeTable> otherEdges) {
    return new GraphSchema(
        name, otherVertices, otherEdges, directed, handling, split, classes, task);
  }

  /// {@return a copy with other classes}
  ///
  /// @param other name of each, in the order of their numbers; empty: those that occur
  public GraphSchema withClasses(List<String> other) {
    return new GraphSchema(name, vertices, edges, directed, handling, split, other, task);
  }

  /// {@return a copy whose columns of labels hold something else}
  ///
  /// @param other classes, lists of labels, or numbers
  public GraphSchema withTask(Task other) {
    return new GraphSchema(name, vertices, edges, directed, handling, split, classes, other);
  }

  /// {@return a copy without sources, as it travels with a data set and a model}
  public GraphSchema withoutSources() {
    TableSource open = new TableSource.Open();
    return withTables(
        vertices.stream().map(table -> table.withSource(open)).toList(),
        edges.stream().map(table -> table.withSource(open)).toList());
  }

  /// {@return a copy whose features and classes are those that another schema was fitted to} Tables
  /// are matched by name, or, if each schema has one table of vertices, whatever their names.
  ///
  /// @param fitted schema of the data that a model was trained on
  /// @throws InvalidSettingException if a table has no counterpart
  public GraphSchema fittedAs(GraphSchema fitted) {
    boolean single = vertices.size() == 1 && fitted.vertices.size() == 1;
    List<VertexTable> same =
        vertices.stream()
            .map(table -> {
              VertexTable like =
                  single ? fitted.vertices.getFirst() : fitted.vertexTable(table.name());
              return table.withFeatures(like.features());
            })
            .toList();
    List<EdgeTable> sameEdges =
        edges.stream().map(table -> fitted.fitting(table, edges.size())).toList();
    return withTables(same, sameEdges).withClasses(fitted.classes).withTask(fitted.task);
  }

  /// A table of edges with the features of that of this schema and, if its edges have types by a
  /// column, its types.
  private EdgeTable fitting(EdgeTable table, int tables) {
    boolean single = tables == 1 && edges.size() == 1;
    String type = table.type();
    return edges.stream()
        .filter(each -> single || each.name().equals(table.name()))
        .findFirst()
        .map(like -> {
          EdgeTable same = table.withFeatures(like.features());
          return type == null || like.type() == null ? same : same.withTypes(type, like.types());
        })
        .orElse(table);
  }

  private VertexTable vertexTable(String table) {
    return vertices.stream()
        .filter(each -> each.name().equals(table))
        .findFirst()
        .orElseThrow(() ->
            new InvalidSettingException(
                "{vertices}: expected tables named %s, as the model was trained on, found '%s'"
                    .formatted(
                        vertices.stream().map(VertexTable::name).collect(Collectors.joining(", ")),
                        table)));
  }
}
