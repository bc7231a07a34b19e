package dev.gossamer.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Targets;
import dev.gossamer.graph.Task;
import dev.gossamer.tables.Tables.TableOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Columns of several labels, and of numbers to predict.
class TableTargetsTest {
  private static final float NAN = Float.NaN;

  @TempDir Path folder = Path.of("");

  private GraphSchema proposed(String vertices) throws IOException {
    Files.writeString(folder.resolve("vertices.jsonl"), vertices);
    Files.writeString(folder.resolve("edges.csv"), "from,to\na,b\nb,c\n");
    return Tables.propose("g", folder, List.of("vertices.jsonl"), List.of("edges.csv")).schema();
  }

  private TableGraph read(GraphSchema schema) {
    return Tables.read(schema, folder, TableOptions.DEFAULT);
  }

  private static void assertTargets(GraphData d, Task task, List<String> names, float[][] values) {
    Targets targets = Objects.requireNonNull(d.targets());
    assertThat(d.task()).isEqualTo(task);
    assertThat(d.outputNames()).isEqualTo(names);
    assertThat(Arrays.deepToString(targets.values().toArray()))
        .isEqualTo(Arrays.deepToString(values));
    assertThat(d.hasSplit()).isTrue();
  }

  @Tag("slow")
  @Test
  void listsOfNamesAreLabels() throws IOException {
    GraphSchema schema =
        proposed(
            """
            {"id": "a", "tags": ["red", "big"], "x": 1}
            {"id": "b", "tags": [], "x": 2}
            {"id": "c", "tags": null, "x": 3}
            """);
    assertThat(schema.task()).isEqualTo(Task.MULTI_LABEL);
    assertThat(schema.vertices().getFirst().label()).isEqualTo("tags");
    try (TableGraph graph = read(schema)) {
      assertTargets(
          graph.data(),
          Task.MULTI_LABEL,
          List.of("big", "red"),
          new float[][] {{1, 1}, {0, 0}, {NAN, NAN}});
      GraphSchema fitted = SchemaFile.parse("fitted", SchemaFile.json(graph.fitted()));
      assertThat(fitted.task()).isEqualTo(Task.MULTI_LABEL);
      assertThat(fitted.classes()).containsExactly("big", "red");
      GraphSchema other =
          proposed(
              """
              {"id": "a", "tags": ["small"], "x": 1}
              {"id": "b", "tags": [], "x": 2}
              {"id": "c", "tags": [], "x": 3}
              """);
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> read(other.fittedAs(fitted)))
          .withMessageContaining(
              "column tags: row 1: expected some of the schema's 2 labels, found small");
    }
  }

  @Test
  void numbersOfAUsualNameArePredicted() throws IOException {
    GraphSchema schema =
        proposed(
            """
            {"id": "a", "target": 1.5, "x": 1}
            {"id": "b", "target": null, "x": 2}
            {"id": "c", "target": -2e3, "x": 3}
            """);
    assertThat(schema.task()).isEqualTo(Task.REGRESSION);
    try (TableGraph graph = read(schema)) {
      assertTargets(
          graph.data(), Task.REGRESSION, List.of("target"), new float[][] {{1.5f}, {NAN}, {-2000}});
      assertThat(graph.data().featureNames()).containsExactly("x");
    }
  }

  /// A place of a list without a value is no label.
  @Test
  void missingElementsAreNoLabels() throws IOException {
    GraphSchema schema =
        proposed(
            """
            {"id": "a", "tags": ["red", null], "x": 1}
            {"id": "b", "tags": [null], "x": 2}
            {"id": "c", "tags": null, "x": 3}
            """);
    try (TableGraph graph = read(schema)) {
      assertTargets(
          graph.data(), Task.MULTI_LABEL, List.of("red"), new float[][] {{1}, {0}, {NAN}});
    }
  }

  /// As of rows to predict.
  @Test
  void aColumnWithoutNumbersIsNotKnown() throws IOException {
    GraphSchema schema =
        proposed(
            """
            {"id": "a", "target": 1.5}
            {"id": "b", "target": null}
            {"id": "c", "target": -2e3}
            """);
    Files.writeString(folder.resolve("new.csv"), "id,target\na,\nb,\nc,\n");
    try (TableGraph trained = read(schema);
        TableGraph other =
            read(
                Tables.like(
                        trained.fitted(), "new", folder, List.of("new.csv"), List.of("edges.csv"))
                    .schema())) {
      assertTargets(
          other.data(), Task.REGRESSION, List.of("target"), new float[][] {{NAN}, {NAN}, {NAN}});
    }
    Files.writeString(
        folder.resolve("new.jsonl"),
        "{\"id\": \"a\", \"y\": null}\n{\"id\": \"b\", \"y\": null}\n{\"id\": \"c\"}\n");
    VertexTable table =
        new VertexTable("v", new TableSource.Files("new.jsonl"), "id", "y", null, null, Map.of());
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() ->
            read(schema.withTables(List.of(table), schema.edges()).withTask(Task.MULTI_LABEL)))
        .withMessage("new.jsonl: column y: expected 1 to 1048576 labels or numbers, found 0");
  }

  @Tag("slow")
  @Test
  void listsOfNumbersAreWhatTheTaskSays() throws IOException {
    GraphSchema schema =
        proposed(
                """
                {"id": "a", "y": [1, 0], "x": 1}
                {"id": "b", "y": null, "x": 2}
                {"id": "c", "y": [0, null], "x": 3}
                """)
            .withTask(Task.MULTI_LABEL);
    VertexTable table = schema.vertices().getFirst();
    GraphSchema told =
        schema.withTables(
            List.of(new VertexTable(table.name(), table.source(), "id", "y", null, null, Map.of())),
            schema.edges());
    float[][] values = {{1, 0}, {NAN, NAN}, {0, NAN}};
    try (TableGraph graph = read(told)) {
      assertTargets(graph.data(), Task.MULTI_LABEL, List.of("0", "1"), values);
    }
    try (TableGraph graph = read(told.withTask(Task.REGRESSION))) {
      assertTargets(graph.data(), Task.REGRESSION, List.of("0", "1"), values);
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[1, 2]|multi-label|row 2: expected 0 or 1, found 2.0",
        "[1]|regression|row 2: expected a list of 2, found one of 1",
        "[1, 1e39]|regression|row 2: expected a finite number, found 1.0E39",
      })
  void listsThatDoNotFitAreRefused(String list, String task, String message) throws IOException {
    GraphSchema schema =
        proposed(
            "{\"id\": \"a\", \"y\": [1, 0]}\n{\"id\": \"b\", \"y\": %s}\n{\"id\": \"c\", \"y\": null}\n"
                .formatted(list));
    VertexTable table = schema.vertices().getFirst();
    GraphSchema told =
        schema
            .withTables(
                List.of(
                    new VertexTable(table.name(), table.source(), "id", "y", null, null, Map.of())),
                schema.edges())
            .withTask(task.equals("regression") ? Task.REGRESSION : Task.MULTI_LABEL);
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> read(told))
        .withMessageEndingWith("column y: " + message);
  }

  @Test
  void columnsOfAnotherTaskAreRefused() throws IOException {
    GraphSchema schema =
        proposed(
            """
            {"id": "a", "tags": ["red"], "x": 1}
            {"id": "b", "tags": [], "x": 2}
            {"id": "c", "tags": null, "x": 3}
            """);
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> read(schema.withTask(Task.REGRESSION)))
        .withMessageEndingWith(
            "column tags: expected numbers, or lists of numbers, found VARCHAR[]");
    SplitRule byClass =
        new SplitRule(SplitRule.By.CLASS, SplitRule.DEFAULT.fractions(), SplitRule.DEFAULT.seed());
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> schema.withSplit(byClass))
        .withMessage(
            "splitBy: class divides classes; expected random or time for task multi-label");
  }
}
