package dev.gossamer.tables;

import dev.gossamer.base.InvalidSettingException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Reads other tables by a schema that was fitted before: their features are computed from the same
/// columns, by the same values.
final class SchemaTransfer {
  private final SourceReader sources;
  private final List<SchemaProposal.Reason> reasons = new ArrayList<>();

  SchemaTransfer(TableStore store, Path base) {
    sources = new SourceReader(store, base);
  }

  /// {@return the schema with other sources} Columns of labels, parts and times that a table does
  /// not have are left out; all others must be there.
  SchemaProposal to(
      GraphSchema fitted, String name, List<TableSource> vertices, List<TableSource> edges) {
    require("vertices", fitted.vertices().size(), vertices.size());
    require("edges", fitted.edges().size(), edges.size());
    List<VertexTable> vertexTables =
        IntStream.range(0, vertices.size())
            .mapToObj(i -> vertexTable(fitted.vertices().get(i), vertices.get(i), "lv" + i))
            .toList();
    List<EdgeTable> edgeTables =
        IntStream.range(0, edges.size())
            .mapToObj(i -> edgeTable(fitted.edges().get(i), edges.get(i), "le" + i))
            .toList();
    boolean timed = vertexTables.stream().anyMatch(table -> table.time() != null);
    SplitRule rule = fitted.split();
    GraphSchema schema =
        rule.by() == SplitRule.By.TIME && !timed
            ? fitted.withSplit(new SplitRule(SplitRule.By.RANDOM, rule.fractions(), rule.seed()))
            : fitted;
    return new SchemaProposal(schema.withName(name).withTables(vertexTables, edgeTables), reasons);
  }

  private static void require(String kind, int expected, int found) {
    if (expected != found) {
      throw new InvalidSettingException(
          "{%s}: expected %d tables, as the model was trained on, found %d"
              .formatted(kind, expected, found));
    }
  }

  private VertexTable vertexTable(VertexTable like, TableSource source, String name) {
    List<Column> columns = columns(source, name);
    say(like.name(), required(columns, like.id(), source), "id");
    String label = optional(like.name(), columns, like.label(), "label");
    String split = optional(like.name(), columns, like.split(), "split");
    String time = optional(like.name(), columns, like.time(), "time");
    like.features()
        .forEach((column, encoding) ->
            say(like.name(), required(columns, column, source), encoding.name()));
    return new VertexTable(like.name(), source, like.id(), label, split, time, like.features());
  }

  private EdgeTable edgeTable(EdgeTable like, TableSource source, String name) {
    List<Column> columns = columns(source, name);
    say(like.name(), required(columns, like.from(), source), "from");
    say(like.name(), required(columns, like.to(), source), "to");
    String weight = like.weight();
    if (weight != null) {
      say(like.name(), required(columns, weight, source), "weight");
    }
    String type = like.type();
    if (type != null) {
      say(like.name(), required(columns, type, source), "type");
    }
    like.features()
        .forEach((column, encoding) ->
            say(like.name(), required(columns, column, source), encoding.name()));
    return like.withSource(source).withTime(optional(like.name(), columns, like.time(), "time"));
  }

  private List<Column> columns(TableSource source, String name) {
    return sources.rows(source, "source_" + name, ColumnRoles.NONE).columns();
  }

  private static String required(List<Column> columns, String column, TableSource source) {
    return Column.named(column, columns, source.text()).name();
  }

  private @Nullable String optional(
      String table, List<Column> columns, @Nullable String column, String role) {
    if (column == null) {
      return null;
    }
    if (columns.stream().noneMatch(each -> each.name().equals(column))) {
      reasons.add(new SchemaProposal.Reason(table, column, "nothing", "is not in this table"));
      return null;
    }
    say(table, column, role);
    return column;
  }

  private void say(String table, String column, String role) {
    reasons.add(new SchemaProposal.Reason(table, column, role, "as in training"));
  }
}
