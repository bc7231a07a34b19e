package dev.gossamer.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.EdgeTimes;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.Fingerprint;
import dev.gossamer.matrix.CsrMatrix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tables of edges with a column of times.
class EdgeTimeColumnTest {
  private static final String PAYMENTS =
      """
      u,v,paid,kind
      a,b,2024-03-01,card
      b,a,2024-01-01,cash
      b,c,2024-02-01,card
      c,d,2024-02-01,card
      """;

  @TempDir private Path folder;

  @BeforeEach
  void write() throws IOException {
    Files.writeString(folder.resolve("v.csv"), "name\na\nb\nc\nd\n");
    edges(PAYMENTS);
  }

  private void edges(String table) throws IOException {
    Files.writeString(folder.resolve("e.csv"), table);
  }

  private static EdgeTable table(String time) {
    return new EdgeTable("e", new TableSource.Files("e.csv"), "u", "v", null).withTime(time);
  }

  private GraphSchema schema(EdgeTable... edges) {
    GraphSchema proposed =
        Tables.propose("paid", folder, List.of("v.csv"), List.of("e.csv")).schema();
    return proposed.withTables(proposed.vertices(), List.of(edges));
  }

  private TableGraph read(GraphSchema schema) {
    return Tables.read(schema, folder, Tables.TableOptions.DEFAULT);
  }

  private static GraphSchema dropping(GraphSchema schema) {
    return schema.withHandling(
        new Handling(Handling.Dangling.DROP, Handling.Duplicates.REFUSE, Handling.Missing.DROP));
  }

  private static List<String> arcs(GraphData d) {
    EdgeTimes times = Objects.requireNonNull(d.times());
    List<String> names = Objects.requireNonNull(d.vertexNames());
    CsrMatrix a = d.adjacency();
    List<String> found = new ArrayList<>();
    for (int v = 0; v < d.vertices(); v++) {
      for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
        found.add(
            "%s-%s %s".formatted(names.get(v), names.get(a.column(e)), times.text(times.of(e))));
      }
    }
    return found;
  }

  private void refused(GraphSchema schema, String message) {
    assertThatThrownBy(() -> read(schema).close())
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(message);
  }

  /// Rows that are read at once, and step by step, since one may be left out; of one type and two.
  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"false, false", "true, false", "false, true", "true, true"})
  void edgesHaveTheEarliestTimeOfTheirRows(boolean drop, boolean typed) {
    EdgeTable table = table("paid");
    GraphSchema schema = schema(typed ? table.withTypes("kind", List.of()) : table);
    try (TableGraph graph = read(drop ? dropping(schema) : schema)) {
      assertThat(Objects.requireNonNull(graph.data().times()).unit())
          .isEqualTo(EdgeTimes.Unit.DATES);
      assertThat(arcs(graph.data()))
          .containsExactly(
              "a-b 2024-01-01",
              "b-a 2024-01-01",
              "b-c 2024-02-01",
              "c-b 2024-02-01",
              "c-d 2024-02-01",
              "d-c 2024-02-01");
    }
    try (TableGraph graph = read(schema.withDirected(true))) {
      assertThat(arcs(graph.data()))
          .containsExactly("a-b 2024-03-01", "b-a 2024-01-01", "b-c 2024-02-01", "c-d 2024-02-01");
    }
  }

  @Test
  void dataSetsKeepThem() {
    Path out = folder.resolve("out");
    try (TableGraph graph = read(schema(table("paid")))) {
      DatasetFolder.write(out, graph.data());
      try (GraphData read = DatasetFolder.open(out)) {
        assertThat(arcs(read)).isEqualTo(arcs(graph.data()));
        assertThat(Fingerprint.of(read)).isEqualTo(Fingerprint.of(graph.data()));
      }
    }
    try (TableGraph graph = read(schema(table("paid").withTime(null)))) {
      assertThat(graph.data().times()).isNull();
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({
    "2019, NUMBERS, 2019",
    "1.25, NUMBERS, 1.25",
    "2024-05-06 07:08:09, DATES, 2024-05-06T07:08:09",
    "2024-05-06T07:08:09.25Z, DATES, 2024-05-06T07:08:09.250",
    "06/05/2024, DATES, 2024-05-06"
  })
  void areNumbersOrDates(String text, EdgeTimes.Unit unit, String shown) throws IOException {
    String day = unit == EdgeTimes.Unit.DATES ? text.replace("06", "26") : text;
    edges("u,v,t\na,b,%s\nc,d,%s\n".formatted(text, day));
    try (TableGraph graph = read(schema(table("t")))) {
      assertThat(Objects.requireNonNull(graph.data().times()).unit()).isEqualTo(unit);
      assertThat(arcs(graph.data())).contains("a-b " + shown);
    }
  }

  @Tag("slow")
  @Test
  void aTimeThatCannotBeReadIsNamed() throws IOException {
    edges(PAYMENTS + "d,a,last week,card\na,c,next week,card\n");
    // What the database took the column for, when it examined the file.
    String message = "e.csv: line 6: column paid: expected a time stamp, found 'last week'";
    refused(schema(table("paid")), message);
    refused(dropping(schema(table("paid"))), message);
    refused(
        dropping(schema(table("paid").withTypes("kind", List.of()))),
        "e.csv: column paid: row 5: expected a date, a time stamp or a number, found 'last week'");
    EdgeTable files =
        new EdgeTable("e", new TableSource.Files("[e].csv"), "u", "v", null).withTime("paid");
    refused(
        schema(files),
        "[e].csv: e.csv: line 6: column paid: expected a time stamp, found 'last week'");
    edges("u,v,paid\na,b,1\nb,c,2\nc,d,x\n");
    refused(
        schema(table("paid")),
        "e.csv: column paid: row 3: expected a date, a time stamp or a number, found 'x'");
    Files.writeString(
        folder.resolve("e.json"),
        """
        {"u": "a", "v": "b", "paid": "2024-01-01"}
        {"u": "b", "v": "c", "paid": "2024-01-02"}
        {"u": "c", "v": "d", "paid": "soon"}
        """);
    refused(
        schema(
            new EdgeTable("e", new TableSource.Files("e.json"), "u", "v", null).withTime("paid")),
        "e.json: column paid: row 3: expected a date, a time stamp or a number, found 'soon'");
    edges("r,v,m,t\na,b,x,1\nb,c,y,2\nc,d,x,late\nd,a,x,later\n");
    refused(
        schema(
            new EdgeTable("e", new TableSource.Files("e.csv"), "r", "v", null)
                .withTime("t")
                .withTypes("m", List.of())),
        "e.csv: column t: row 3: expected a date, a time stamp or a number, found 'late'");
    edges("u,v,paid\na,b,true\nb,c,false\n");
    refused(
        schema(table("paid")),
        "e.csv: column paid: expected a date, a time stamp or a number in each row, found BOOLEAN");
    refused(schema(table("when")), "e.csv: expected a column when, found u, v, paid");
  }

  @Test
  void infiniteTimesAreNone() throws SQLException {
    Shop.sql(
        folder,
        "COPY (SELECT 'a' AS u, 'b' AS v, 'infinity'::TIMESTAMP AS paid, 1.0 / 0 AS x) TO 'FOLDER/e.parquet'");
    EdgeTable stamps =
        new EdgeTable("e", new TableSource.Files("e.parquet"), "u", "v", null).withTime("paid");
    refused(
        schema(stamps),
        "e.parquet: column paid: row 1: expected a date, a time stamp or a number, found 'infinity'");
    refused(
        schema(stamps.withTime("x")),
        "e.parquet: column x: row 1: expected a date, a time stamp or a number, found 'inf'");
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void edgesWithoutATimeAreRefusedOrLeftOut(boolean typed) throws IOException {
    edges(PAYMENTS + "d,a,,card\na,c,,cash\n");
    EdgeTable table = table("paid");
    GraphSchema schema = schema(typed ? table.withTypes("kind", List.of()) : table);
    refused(
        schema,
        typed
            ? "e.csv: column paid: expected a time of every edge, found 1 row without (rows 5); on-missing: drop leaves them out"
            : "e.csv: column paid: expected a time of every edge, found 2 rows without (rows 5, 6); on-missing: drop leaves them out");
    try (TableGraph graph = read(dropping(schema))) {
      assertThat(graph.data().edges()).isEqualTo(3);
      assertThat(graph.report().missing()).isEqualTo(2);
    }
  }

  @Test
  void tablesHaveTimesOfOneUnitOrNone() throws IOException {
    Files.writeString(folder.resolve("f.csv"), "u,v,year\na,c,2019\n");
    EdgeTable years =
        new EdgeTable("f", new TableSource.Files("f.csv"), "u", "v", null).withTime("year");
    refused(
        schema(table("paid"), years),
        "paid: expected times of all edges to be dates, or all to be numbers, found both; convert those of a table by a query, or leave times out");
    assertThatThrownBy(() -> schema(table("paid"), years.withTime(null)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage(
            "edges: expected a column 'time' of every table or of none, found it of 1 of 2");
  }

  @Test
  void aColumnOfDatesOrWithAUsualNameIsProposed() throws IOException {
    SchemaProposal proposal = Tables.propose("paid", folder, List.of("v.csv"), List.of("e.csv"));
    assertThat(proposal.schema().edges().getFirst().time()).isEqualTo("paid");
    assertThat(proposal.reasons())
        .contains(new SchemaProposal.Reason("e", "paid", "time", "dates"));
    Files.writeString(folder.resolve("f.csv"), "u,v,year,size\na,c,2019,3\nb,d,2020,4\n");
    SchemaProposal years = Tables.propose("paid", folder, List.of("v.csv"), List.of("f.csv"));
    assertThat(years.schema().edges().getFirst().time()).isEqualTo("year");
    assertThat(years.reasons())
        .contains(
            new SchemaProposal.Reason("f", "year", "time", "numbers, by its name"),
            new SchemaProposal.Reason("f", "size", "numeric", "numbers"));
    Files.writeString(folder.resolve("g.csv"), "u,v\na,d\n");
    SchemaProposal mixed =
        Tables.propose("paid", folder, List.of("v.csv"), List.of("e.csv", "g.csv"));
    assertThat(mixed.schema().edges()).extracting(EdgeTable::time).containsOnlyNulls();
    assertThat(mixed.reasons())
        .contains(
            new SchemaProposal.Reason(
                "e", "paid", "ignored", "other tables of edges have no times"));
  }

  @Test
  void newTablesMayHaveNone() throws IOException {
    try (TableGraph graph = read(schema(table("paid")))) {
      Files.writeString(folder.resolve("new.csv"), "u,v\na,d\n");
      SchemaProposal like =
          Tables.like(graph.fitted(), "new", folder, List.of("v.csv"), List.of("new.csv"));
      assertThat(like.schema().edges().getFirst().time()).isNull();
      SchemaProposal same =
          Tables.like(graph.fitted(), "new", folder, List.of("v.csv"), List.of("e.csv"));
      assertThat(same.schema().edges().getFirst().time()).isEqualTo("paid");
    }
  }

  /// Nothing shows the unit of times that are missing.
  @ParameterizedTest
  @ValueSource(strings = {"f.csv", "f.jsonl"})
  void aTableWithoutTimesHasNoUnit(String file) throws IOException {
    edges("u,v,year\na,b,2019\nb,c,2020\n");
    Files.writeString(
        folder.resolve(file),
        file.equals("f.csv")
            ? "u,v,year\na,c,\nb,d,\n"
            : "{\"u\": \"a\", \"v\": \"c\", \"year\": null}\n");
    EdgeTable missing =
        new EdgeTable("f", new TableSource.Files(file), "u", "v", null).withTime("year");
    try (TableGraph graph = read(dropping(schema(table("year"), missing)))) {
      assertThat(graph.data().edges()).isEqualTo(2);
      assertThat(Objects.requireNonNull(graph.data().times()).unit())
          .isEqualTo(EdgeTimes.Unit.NUMBERS);
    }
    refused(
        schema(missing),
        file.equals("f.csv")
            ? "f.csv: column year: expected a time of every edge, found 2 rows without (rows 1, 2); on-missing: drop leaves them out"
            : "f.jsonl: column year: expected a time of every edge, found 1 row without (rows 1); on-missing: drop leaves them out");
  }
}
