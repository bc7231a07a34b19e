package dev.gossamer.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Graphs of which there are tables of edges only.
class EdgesAloneTest {
  private static final String TRIPLES =
      "head,relation,tail\ncid,likes,ann\nann,knows,bob\nbob,knows,cid\nann,likes,eve\n";

  @TempDir private Path folder;

  private GraphSchema proposed(String... tables) throws IOException {
    List<String> files = new ArrayList<>();
    for (String text : tables) {
      String file = "e%d.csv".formatted(files.size());
      Files.writeString(folder.resolve(file), text);
      files.add(file);
    }
    return Tables.propose("facts", folder, List.of(), files).schema();
  }

  private TableGraph read(GraphSchema schema) {
    return Tables.read(schema, folder, Tables.TableOptions.DEFAULT);
  }

  @Test
  void endsOfEdgesAreTheVerticesInTheOrderOfTheirIds() throws IOException {
    GraphSchema alone = proposed(TRIPLES).withDirected(true);
    Files.writeString(folder.resolve("v.csv"), "id\nann\nbob\ncid\neve\n");
    VertexTable vertices =
        new VertexTable(
            "vertices", new TableSource.Files("v.csv"), "id", null, null, null, Map.of());
    try (TableGraph graph = read(alone);
        TableGraph same = read(alone.withTables(List.of(vertices), alone.edges()))) {
      GraphData data = graph.data();
      assertThat(data.vertexNames()).containsExactly("ann", "bob", "cid", "eve");
      assertThat(data.adjacency().toDense()).isDeepEqualTo(same.data().adjacency().toDense());
      assertThat(data.types())
          .isNotNull()
          .satisfies(types -> {
            assertThat(types.vertices()).containsExactly(new GraphTypes.OfVertices("vertices", 4));
            assertThat(types.edges()).containsExactly("knows", "likes");
          });
      assertThat(graph.report().dangling()).isZero();
      assertThat(graph.report().tables())
          .extracting(ImportReport.Rows::rows)
          .containsExactly(2L, 2L);
    }
  }

  @Test
  void numbersAreInTheirOrderAndRowsWithoutAnEndAreRefusedOrLeftOut() throws IOException {
    Files.writeString(
        folder.resolve("e.jsonl"),
        """
        {"a": 10, "b": 9}
        {"a": 9, "b": 2}
        {"a": 10, "b": null}
        """);
    GraphSchema schema = Tables.propose("facts", folder, List.of(), List.of("e.jsonl")).schema();
    assertThatThrownBy(() -> read(schema).close())
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("columns a and b: expected both ends of every edge, found 1 row");
    Handling dropping =
        new Handling(Handling.Dangling.ADD, Handling.Duplicates.REFUSE, Handling.Missing.DROP);
    try (TableGraph graph = read(schema.withHandling(dropping))) {
      assertThat(graph.data().vertexNames()).containsExactly("2", "9", "10");
      assertThat(graph.data().edges()).isEqualTo(2);
      assertThat(graph.report().missing()).isEqualTo(1);
      assertThat(graph.data().types()).isNull();
    }
  }

  @Test
  void tablesShareTheirVertices() throws IOException {
    try (TableGraph graph = read(proposed("from,to\nb,a\n", "from,to\nb,c\nd,a\nd,a\n"))) {
      assertThat(graph.data().vertexNames()).containsExactly("a", "b", "c", "d");
      assertThat(graph.data().edges()).isEqualTo(3);
    }
  }

  /// By names, by common values, or by position; never what is called a time, a type or a weight,
  /// nor numbers of rows.
  @ParameterizedTest
  @CsvSource({
    "'weight,target,source', source, target",
    "'head,relation,tail', head, tail",
    "'u,v,w', u, v",
    "'x,kind,y', x, y",
    "'customer,year,shop', customer, shop",
  })
  void endsAreProposed(String header, String from, String to) throws IOException {
    String rows =
        IntStream.range(0, 40)
            .mapToObj(i -> "%d,%d,%d\n".formatted(i % 7, 1990 + i % 3, 100 + i % 5))
            .reduce(header + "\n", String::concat);
    EdgeTable edges = proposed(rows).edges().getFirst();
    assertThat(List.of(edges.from(), edges.to())).containsExactly(from, to);
  }

  @Test
  void columnsWithCommonValuesAreEnds() throws IOException {
    String rows =
        IntStream.range(0, 60)
            .mapToObj(i -> "m%d\tr%d\tm%d\n".formatted(i % 11, i % 3, (i * 5 + 1) % 11))
            .reduce("who\tdoes\twhat\n", String::concat);
    Files.writeString(folder.resolve("triples.tsv"), rows);
    SchemaProposal proposal = Tables.propose("facts", folder, List.of(), List.of("triples.tsv"));
    EdgeTable edges = proposal.schema().edges().getFirst();
    assertThat(List.of(edges.from(), edges.to())).containsExactly("who", "what");
    assertThat(proposal.reasons().getFirst().reason())
        .isEqualTo("100 % of its values are in the other end, as the same vertices");
  }

  @ParameterizedTest
  @CsvSource({
    "'a\n1\n1\n2\n', one (a)",
    "'0 1\n1 2\n2 0\n0 3\n', one (0 1)",
  })
  void rowsOfOneColumnAreNoEdges(String table, String found) {
    assertThatThrownBy(() -> proposed(table))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            "e0.csv: expected two columns with ends of edges, found %s; separate columns by commas or tabs; an edge list with blanks opens as it is, without an import",
            found);
  }

  @Test
  void aSchemaWithoutVerticesIsReadBackAndOtherHandlingIsRefused() throws IOException {
    GraphSchema schema = proposed(TRIPLES);
    Path file = folder.resolve("facts.yaml");
    new SchemaFile(schema, folder).write(file);
    assertThat(SchemaFile.read(file).schema()).isEqualTo(schema);
    assertThat(SchemaFile.parse("facts", SchemaFile.json(schema)).vertices()).isEmpty();
    Files.writeString(file, Files.readString(file).replace("on-dangling: add\n", ""));
    assertThat(SchemaFile.read(file).schema()).isEqualTo(schema);
    Files.writeString(file, Files.readString(file) + "on-dangling: drop\n");
    assertThatThrownBy(() -> SchemaFile.read(file))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            file
                + ": on-dangling: expected add, as no table has vertices and the ends of edges are them, found drop");
    assertThatThrownBy(() -> schema.withTables(schema.vertices(), List.of()))
        .isInstanceOf(InvalidSettingException.class);
  }

  /// New edges of a graph that a model was trained on have its types.
  @Test
  void newTablesAreReadAsThoseOfTheModel() throws IOException {
    try (TableGraph trained = read(proposed(TRIPLES))) {
      Files.writeString(folder.resolve("new.csv"), "head,relation,tail\nbob,likes,dan\n");
      GraphSchema like =
          Tables.like(trained.fitted(), "new", folder, List.of(), List.of("new.csv")).schema();
      try (TableGraph graph = read(like)) {
        assertThat(graph.data().vertexNames()).containsExactly("bob", "dan");
        assertThat(graph.data().types()).isNotNull();
      }
    }
  }
}
