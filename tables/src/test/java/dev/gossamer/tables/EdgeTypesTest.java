package dev.gossamer.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.matrix.CsrMatrix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Tables of edges with a column of types.
class EdgeTypesTest {
  private static final String TRIPLES =
      "head,relation,tail\na,likes,b\nb,knows,c\na,knows,b\nc,likes,a\nc,it's,d\n";

  @TempDir private Path folder;

  @BeforeEach
  void write() throws IOException {
    Files.writeString(folder.resolve("v.csv"), "name\na\nb\nc\nd\n");
    Files.writeString(folder.resolve("e.csv"), TRIPLES);
  }

  private GraphSchema proposed() {
    return Tables.propose("facts", folder, List.of("v.csv"), List.of("e.csv")).schema();
  }

  private TableGraph read(GraphSchema schema) {
    return Tables.read(schema, folder, Tables.TableOptions.DEFAULT);
  }

  /// The arcs of a graph, each with its types.
  private static List<String> arcs(GraphData d) {
    GraphTypes types = Objects.requireNonNull(d.types());
    List<String> names = Objects.requireNonNull(d.vertexNames());
    CsrMatrix a = d.adjacency();
    List<String> found = new ArrayList<>();
    for (int v = 0; v < d.vertices(); v++) {
      for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
        long entry = e;
        String of =
            IntStream.range(0, types.edges().size())
                .filter(type -> types.has(entry, type))
                .mapToObj(types.edges()::get)
                .collect(Collectors.joining("+"));
        found.add(names.get(v) + " " + of + " " + names.get(a.column(e)));
      }
    }
    return found;
  }

  private GraphSchema with(EdgeTable edges) {
    return proposed().withTables(proposed().vertices(), List.of(edges));
  }

  private void refused(GraphSchema schema, String message) {
    assertThatThrownBy(() -> read(schema).close())
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(message);
  }

  @Test
  void aColumnOfFewTextsWithAUsualNameIsProposed() {
    SchemaProposal proposal = Tables.propose("facts", folder, List.of("v.csv"), List.of("e.csv"));
    EdgeTable edges = proposal.schema().edges().getFirst();
    assertThat(edges.type()).isEqualTo("relation");
    assertThat(edges.types()).isEmpty();
    assertThat(proposal.reasons())
        .contains(new SchemaProposal.Reason("e", "relation", "type", "3 texts, by its name"));
  }

  /// Ids that are read at once, and rows that are read step by step, since one may be left out.
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void eachValueIsAType(boolean drop) {
    GraphSchema schema = proposed().withDirected(true);
    try (TableGraph graph = read(drop ? dropping(schema) : schema)) {
      GraphData d = graph.data();
      assertThat(Objects.requireNonNull(d.types()).edges())
          .containsExactly("it's", "knows", "likes");
      assertThat(arcs(d)).containsExactly("a knows+likes b", "b knows c", "c likes a", "c it's d");
      assertThat(graph.report().tables())
          .extracting(ImportReport.Rows::table)
          .containsExactly("v", "it's", "knows", "likes");
      assertThat(graph.fitted().edges().getFirst().types())
          .containsExactly("it's", "knows", "likes");
    }
  }

  private static GraphSchema dropping(GraphSchema schema) {
    return schema.withHandling(
        new Handling(Handling.Dangling.DROP, Handling.Duplicates.REFUSE, Handling.Missing.DROP));
  }

  @Tag("slow")
  @Test
  void aRowWithoutATypeIsRefusedOrLeftOut() throws IOException {
    Files.writeString(folder.resolve("e.csv"), TRIPLES + "d,,a\n");
    GraphSchema schema =
        with(
            new EdgeTable("e", new TableSource.Files("e.csv"), "head", "tail", null)
                .withTypes("relation", List.of()));
    refused(
        schema,
        "e.csv: column relation: expected a type of every edge, found 1 row without; on-missing: drop leaves them out");
    try (TableGraph graph = read(dropping(schema))) {
      assertThat(graph.data().edges()).isEqualTo(4);
      assertThat(graph.report().missing()).isEqualTo(1);
    }
  }

  @Tag("slow")
  @Test
  void typesKeepTheirOrderAndOthersAreRefused() {
    EdgeTable table = proposed().edges().getFirst();
    List<String> known = List.of("likes", "sells", "knows", "it's");
    try (TableGraph graph = read(with(table.withTypes("relation", known)))) {
      assertThat(Objects.requireNonNull(graph.data().types()).edges()).isEqualTo(known);
    }
    refused(
        with(table.withTypes("relation", List.of("likes", "it's"))),
        "e.csv: column relation: expected one of the types likes, it's, found 'knows'");
  }

  @Tag("slow")
  @Test
  void tooManyTypesAndEqualNamesAreRefused() throws IOException {
    EdgeTable table = proposed().edges().getFirst();
    refused(
        proposed()
            .withTables(
                proposed().vertices(),
                List.of(
                    table,
                    new EdgeTable("likes", new TableSource.Files("e.csv"), "head", "tail", null))),
        "facts: expected types of edges of different names, found two of 'likes'");
    StringBuilder many = new StringBuilder("head,relation,tail\n");
    IntStream.range(0, 33).forEach(i -> many.append("a,r").append(i).append(",b\n"));
    Files.writeString(folder.resolve("e.csv"), many);
    refused(
        with(table),
        "e.csv: column relation: expected 1 to 32 types of edges, found more; join some by a query");
  }

  @Tag("slow")
  @Test
  void theWrittenSchemaHasTheTypes() throws IOException {
    try (TableGraph graph = read(proposed())) {
      Path file = folder.resolve("facts.yaml");
      List<String> types = graph.fitted().edges().getFirst().types();
      GraphSchema schema = with(proposed().edges().getFirst().withTypes("relation", types));
      new SchemaFile(schema, folder).write(file);
      EdgeTable edges = SchemaFile.read(file).schema().edges().getFirst();
      assertThat(edges.type()).isEqualTo("relation");
      assertThat(edges.types()).containsExactly("it's", "knows", "likes");
      Files.writeString(file, Files.readString(file).replace("  type: relation\n", ""));
      assertThatThrownBy(() -> SchemaFile.read(file))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("types: expected none without a column 'type', found some");
    }
  }

  @Tag("slow")
  @Test
  void otherTablesAreReadByTheSameTypes() throws IOException {
    try (TableGraph graph = read(proposed())) {
      Files.writeString(folder.resolve("new.csv"), "head,relation,tail\nb,likes,a\n");
      SchemaProposal like =
          Tables.like(graph.fitted(), "new", folder, List.of("v.csv"), List.of("new.csv"));
      try (TableGraph other = read(like.schema())) {
        assertThat(Objects.requireNonNull(other.data().types()).edges())
            .containsExactly("it's", "knows", "likes");
        assertThat(Collections.frequency(arcs(other.data()), "b likes a")).isEqualTo(1);
      }
    }
  }
}
