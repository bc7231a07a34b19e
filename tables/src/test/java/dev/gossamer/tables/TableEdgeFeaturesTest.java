package dev.gossamer.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.Fingerprint;
import dev.gossamer.matrix.CsrMatrix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Tables of edges with columns that are features.
class TableEdgeFeaturesTest {
  /// A repeated edge, in both directions, a loop, and a row without an amount. The column `s` has
  /// the name of one of ours.
  private static final String PAYMENTS =
      """
      u,v,amount,s,kind
      a,b,1,card,x
      b,a,3,cash,y
      b,c,,card,x
      d,d,1000,gold,x
      c,d,5,,y
      """;

  private static final Encoding PLAIN = new Encoding.Numeric(Encoding.Scale.NONE);
  private static final Encoding CATEGORIES = new Encoding.Categorical(4);

  @TempDir private Path folder;

  @BeforeEach
  void write() throws IOException {
    Files.writeString(folder.resolve("v.csv"), "name\na\nb\nc\nd\n");
    edges(PAYMENTS);
  }

  private void edges(String table) throws IOException {
    Files.writeString(folder.resolve("e.csv"), table);
  }

  private static EdgeTable table(Object... features) {
    Map<String, Encoding> encodings = new LinkedHashMap<>();
    for (int i = 0; i < features.length; i += 2) {
      encodings.put((String) features[i], (Encoding) features[i + 1]);
    }
    return new EdgeTable("e", new TableSource.Files("e.csv"), "u", "v", null)
        .withFeatures(encodings);
  }

  private GraphSchema schema(EdgeTable... edges) {
    GraphSchema proposed =
        Tables.propose("paid", folder, List.of("v.csv"), List.of("e.csv")).schema();
    return proposed.withTables(proposed.vertices(), List.of(edges));
  }

  private TableGraph read(GraphSchema schema) {
    return Tables.read(schema, folder, Tables.TableOptions.DEFAULT);
  }

  private static EdgeFeatures of(GraphData d) {
    return Objects.requireNonNull(d.edgeFeatures());
  }

  private static List<String> arcs(GraphData d) {
    List<String> names = Objects.requireNonNull(d.vertexNames());
    CsrMatrix a = d.adjacency();
    List<String> found = new ArrayList<>();
    for (int v = 0; v < d.vertices(); v++) {
      for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
        StringJoiner row = new StringJoiner(" ");
        for (float x : of(d).x().rows(e, e + 1).toArray()[0]) {
          row.add(x == Math.rint(x) ? Integer.toString((int) x) : Float.toString(x));
        }
        found.add("%s-%s %s".formatted(names.get(v), names.get(a.column(e)), row));
      }
    }
    return found;
  }

  private void refused(GraphSchema schema, String message) {
    assertThatThrownBy(() -> read(schema).close())
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(message);
  }

  /// Of one type and of two, whose rows are read one after the other.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void edgesHaveTheMeansOfTheirRows(boolean typed) {
    EdgeTable table = table("amount", PLAIN, "s", CATEGORIES);
    GraphSchema schema = schema(typed ? table.withTypes("kind", List.of()) : table);
    try (TableGraph graph = read(schema)) {
      assertThat(of(graph.data()).names())
          .containsExactly("amount", "amount missing", "s=card", "s=cash", "s other", "s missing");
      assertThat(arcs(graph.data()))
          .containsExactly(
              "a-b 2 0 0.5 0.5 0 0",
              "b-a 2 0 0.5 0.5 0 0",
              "b-c 0 1 1 0 0 0",
              "c-b 0 1 1 0 0 0",
              "c-d 5 0 0 0 0 1",
              "d-c 5 0 0 0 0 1");
    }
    try (TableGraph graph = read(schema.withDirected(true))) {
      assertThat(of(graph.data()).names()).contains("s=gold");
      assertThat(arcs(graph.data()))
          .containsExactly(
              "a-b 1 0 1 0 0 0 0",
              "b-a 3 0 0 1 0 0 0",
              "b-c 0 1 1 0 0 0 0",
              "c-d 5 0 0 0 0 0 1",
              "d-d 1000 0 0 0 1 0 0");
    }
  }

  /// Rows that are left out, and the loop, which is none of the graph, do not count.
  @Test
  void encodingsAreFittedToTheEdgesOfTheGraph() throws IOException {
    edges(PAYMENTS + "a,nobody,500,card,x\n,a,600,card,x\nd,a,5,cash,x\n");
    GraphSchema schema =
        schema(table("amount", new Encoding.Numeric(Encoding.Scale.STANDARD)))
            .withHandling(
                new Handling(
                    Handling.Dangling.DROP, Handling.Duplicates.REFUSE, Handling.Missing.DROP));
    try (TableGraph graph = read(schema)) {
      FittedEncoding.Linear fitted =
          (FittedEncoding.Linear)
              graph.fitted().edges().getFirst().features().values().iterator().next();
      // Of 1, 3, 5 and 5.
      assertThat(fitted.mean()).isEqualTo(3.5);
      assertThat(fitted.deviation()).isEqualTo(Math.sqrt(11 / 4.0));
      assertThat(graph.data().edges()).isEqualTo(4);
    }
  }

  @Test
  void severalTablesHaveColumnsOfTheirOwn() throws IOException {
    Files.writeString(folder.resolve("f.csv"), "x,y,amount\na,b,7\na,c,9\n");
    Files.writeString(folder.resolve("g.csv"), "x,y\nb,d\n");
    EdgeTable other =
        new EdgeTable("f", new TableSource.Files("f.csv"), "x", "y", null)
            .withFeatures(Map.of("amount", PLAIN));
    EdgeTable without = new EdgeTable("g", new TableSource.Files("g.csv"), "x", "y", null);
    try (TableGraph graph = read(schema(table("amount", PLAIN), other, without))) {
      assertThat(of(graph.data()).names())
          .containsExactly("e.amount", "e.amount missing", "f.amount", "is e", "is f", "is g");
      assertThat(arcs(graph.data()))
          .contains("a-b 2 0 7 1 1 0", "a-c 0 0 9 0 1 0", "b-c 0 1 0 1 0 0", "b-d 0 0 0 0 0 1");
    }
  }

  @Test
  void dataSetsKeepThem() {
    Path out = folder.resolve("out");
    try (TableGraph graph = read(schema(table("amount", PLAIN)))) {
      DatasetFolder.write(out, graph.data());
      try (GraphData read = DatasetFolder.open(out)) {
        assertThat(arcs(read)).isEqualTo(arcs(graph.data()));
        assertThat(Fingerprint.of(read)).isEqualTo(Fingerprint.of(graph.data()));
        assertThat(read.info().provenance())
            .containsKey(GraphData.Info.EDGE_DEFINITION)
            .doesNotContainKey(GraphData.Info.DEFINITION);
      }
    }
    try (TableGraph graph = read(schema(table()))) {
      assertThat(graph.data().edgeFeatures()).isNull();
      assertThat(graph.data().info().provenance())
          .doesNotContainKey(GraphData.Info.EDGE_DEFINITION);
    }
  }

  /// New tables have the features of the same values, whatever is in them.
  @Tag("slow")
  @Test
  void newTablesAreEncodedAsThoseOfTheModel() throws IOException {
    try (TableGraph graph =
        read(
            schema(
                table("amount", new Encoding.Numeric(Encoding.Scale.STANDARD), "s", CATEGORIES)))) {
      Files.writeString(folder.resolve("new.csv"), "u,v,amount,s\na,d,3,gold\na,c,3,cash\n");
      GraphSchema like =
          Tables.like(graph.fitted(), "new", folder, List.of("v.csv"), List.of("new.csv")).schema();
      String expected = "a-c 0 0 0 1 0 0";
      try (TableGraph again = read(like)) {
        assertThat(of(again.data()).names()).isEqualTo(of(graph.data()).names());
        assertThat(arcs(again.data())).contains(expected, "a-d 0 0 0 0 1 0");
        assertThat(again.data().info().provenance().get(GraphData.Info.EDGE_DEFINITION))
            .isEqualTo(graph.data().info().provenance().get(GraphData.Info.EDGE_DEFINITION));
      }
      EdgeTable own = new EdgeTable("new", new TableSource.Files("new.csv"), "u", "v", null);
      try (TableGraph again = read(schema(own).fittedAs(graph.fitted()))) {
        assertThat(arcs(again.data())).contains(expected);
      }
      Files.writeString(folder.resolve("few.csv"), "u,v,amount\na,d,3\n");
      assertThatThrownBy(() ->
              Tables.like(graph.fitted(), "few", folder, List.of("v.csv"), List.of("few.csv")))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage("few.csv: expected a column s, found u, v, amount");
    }
  }

  @Tag("slow")
  @Test
  void whatCannotBeEncodedIsNamed() throws IOException {
    refused(
        schema(table("when", PLAIN)), "e.csv: expected a column when, found u, v, amount, s, kind");
    refused(schema(table("kind", PLAIN)), "e.csv: column kind: row 1: expected a number, found x");
    edges("u,v,amount\na,b,1\nb,c,1e300\n");
    refused(
        schema(table("amount", PLAIN)),
        "e.csv: column amount: row 2: expected a finite number, found 1.0E300");
  }

  @ParameterizedTest
  @CsvSource({
    "distance, numeric, numbers",
    "channel, categorical, 2 distinct values",
    "note, ignored, text would be 64 features of each edge",
    "code, ignored, one value only"
  })
  void otherColumnsAreProposedAsFeatures(String column, String role, String reason)
      throws IOException {
    edges(
        """
        u,v,distance,channel,note,code
        a,b,1.5,web,paid for the first lunch,1
        b,c,2.5,shop,rent of this whole month,1
        c,d,3.5,web,a gift to my brother,1
        """);
    SchemaProposal proposal = Tables.propose("paid", folder, List.of("v.csv"), List.of("e.csv"));
    assertThat(proposal.reasons()).contains(new SchemaProposal.Reason("e", column, role, reason));
    assertThat(proposal.schema().edges().getFirst().features())
        .containsOnlyKeys("distance", "channel");
  }
}
