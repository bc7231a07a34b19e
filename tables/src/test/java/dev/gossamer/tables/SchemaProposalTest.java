package dev.gossamer.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.Task;
import dev.gossamer.tables.Tables.TableOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchemaProposalTest {
  @TempDir Path folder = Path.of("");

  private SchemaProposal propose(String vertices, String edges) throws IOException {
    Files.writeString(folder.resolve("vertices.csv"), vertices);
    Files.writeString(folder.resolve("edges.csv"), edges);
    return Tables.propose("g", folder, List.of("vertices.csv"), List.of("edges.csv"));
  }

  private static Map<String, String> roles(SchemaProposal proposal) {
    return proposal.reasons().stream()
        .collect(
            Collectors.toMap(
                SchemaProposal.Reason::column, SchemaProposal.Reason::role, (a, b) -> a + " " + b));
  }

  @Test
  void findsTheRoleOfEachColumn() throws IOException {
    StringBuilder vertices =
        new StringBuilder("no,code,title,section,age,open,day,part,empty,same\n");
    StringBuilder edges = new StringBuilder("at,target,src,weight\n");
    for (int i = 0; i < 200; i++) {
      vertices.append(
          "%d,k%03d,some words of number %d,%s,%d,%s,2024-01-%02d,%s,,x%n"
              .formatted(
                  i * 7,
                  i,
                  i,
                  i % 3 == 0 ? "news" : "sport",
                  i % 50,
                  i % 2 == 0,
                  1 + i % 28,
                  i % 2 == 0 ? "train" : "test"));
      edges.append("9:00,k%03d,k%03d,%d%n".formatted(i, (i * 13 + 1) % 200, 1 + i % 4));
    }
    SchemaProposal proposal = propose(vertices.toString(), edges.toString());
    assertThat(roles(proposal))
        .containsEntry("code", "id")
        .containsEntry("no", "ignored")
        .containsEntry("title", "text")
        .containsEntry("section", "label")
        .containsEntry("age", "numeric")
        .containsEntry("open", "numeric")
        .containsEntry("day", "date")
        .containsEntry("part", "split")
        .containsEntry("empty", "ignored")
        .containsEntry("same", "ignored")
        .containsEntry("src", "from")
        .containsEntry("target", "to")
        .containsEntry("weight", "weight")
        .containsEntry("at", "ignored");
    assertThat(proposal.reasons()).allSatisfy(each -> assertThat(each.reason()).isNotBlank());
    try (TableGraph graph = Tables.read(proposal.schema(), folder, TableOptions.DEFAULT)) {
      assertThat(graph.data().vertices()).isEqualTo(200);
      assertThat(graph.data().info().classNames()).containsExactly("news", "sport");
      assertThat(graph.data().hasSplit()).isTrue();
    }
  }

  /// As pandas writes them with their index, and R with names of rows.
  @Test
  void numbersOfRowsAreNoFeatures() throws IOException {
    String vertices = ",key,age,kind\n0,a,40,x\n1,b,50,y\n2,c,45,x\n3,d,41,y\n4,e,42,z\n";
    StringBuilder edges = new StringBuilder("\"src\"\t\"dst\"\t\"hours\"\n");
    for (int i = 0; i < 200; i++) {
      edges.append(
          "\"%d\"\t\"%c\"\t\"%c\"\t%d.5%n".formatted(i + 1, 'a' + i % 5, 'a' + i % 3, i % 7));
    }
    SchemaProposal proposal = propose(vertices, edges.toString());
    assertThat(proposal.reasons())
        .extracting(each -> "%s: %s, %s".formatted(each.column(), each.role(), each.reason()))
        .contains("column0: ignored, numbers of the rows", "age: numeric, numbers")
        .filteredOn("column0: ignored, numbers of the rows"::equals)
        .hasSize(2);
    EdgeTable edge = proposal.schema().edges().getFirst();
    assertThat(List.of(edge.from(), edge.to())).containsExactly("src", "dst");
    assertThat(edge.features()).containsOnlyKeys("hours");
    try (TableGraph graph = Tables.read(proposal.schema(), folder, TableOptions.DEFAULT)) {
      assertThat(graph.data().vertexNames()).containsExactly("a", "b", "c", "d", "e");
    }
  }

  /// A category of which each row has its own says nothing about another row; words of names do.
  @Test
  void namesThatRarelyRepeatAreNoCategories() throws IOException {
    StringBuilder vertices = new StringBuilder("id,code,town,state,few\n");
    StringBuilder edges = new StringBuilder("a,b,Frequency\n");
    for (int i = 0; i < 200; i++) {
      vertices.append(
          "v%d,c%d,%s Town %d,s%d,%s%n"
              .formatted(
                  i, i % 150, i % 2 == 0 ? "Old" : "New", i % 150, i % 70, i < 9 ? "f" + i : ""));
      edges.append("v%d,v%d,%d%n".formatted(i, (i * 7 + 3) % 200, 1 + i % 3));
    }
    SchemaProposal proposal = propose(vertices.toString(), edges.toString());
    assertThat(roles(proposal))
        .containsEntry("code", "ignored")
        .containsEntry("town", "text")
        .containsEntry("state", "categorical")
        .containsEntry("few", "ignored")
        .containsEntry("Frequency", "weight");
    assertThat(proposal.reasons())
        .contains(
            new SchemaProposal.Reason(
                "vertices", "code", "ignored", "nearly an id: 150 distinct values in 200 rows"))
        .contains(
            new SchemaProposal.Reason(
                "vertices", "few", "ignored", "an id: no value occurs twice"));
  }

  /// As R's `write.csv` writes a table of texts: the names of the rows have no name.
  @Test
  void theFirstLineHasNamesAlsoIfTheFirstNameIsEmpty() throws IOException {
    SchemaProposal proposal =
        propose(
            "\"\",\"abb\",\"region\"\n\"1\",\"CT\",\"East\"\n\"2\",\"DE\",\"South\"\n\"3\",\"NY\",\"East\"\n",
            "\"\",\"state\",\"neighbour\"\n\"1\",\"CT\",\"DE\"\n\"2\",\"CT\",\"NY\"\n");
    assertThat(roles(proposal))
        .containsEntry("abb", "id")
        .containsEntry("state", "from")
        .containsEntry("neighbour", "to");
    try (TableGraph graph = Tables.read(proposal.schema(), folder, TableOptions.DEFAULT)) {
      assertThat(graph.data().vertexNames()).containsExactly("CT", "DE", "NY");
    }
  }

  /// One task is proposed for all tables.
  @Test
  void aTableWithClassesDecidesWhatIsPredicted() throws IOException {
    Files.writeString(folder.resolve("places.csv"), "id,x,y\np1,1.5,2.5\np2,2.5,1.25\n");
    Files.writeString(folder.resolve("ages.csv"), "id,y\nq1,1.5\nq2,2.5\n");
    Files.writeString(folder.resolve("persons.csv"), "id,kind\na,x\nb,y\nc,x\nd,y\n");
    Files.writeString(folder.resolve("edges.csv"), "u,v\na,p1\nb,p2\nc,p1\nd,p2\n");
    List<List<String>> orders =
        List.of(List.of("persons.csv", "places.csv"), List.of("places.csv", "persons.csv"));
    for (List<String> vertices : orders) {
      SchemaProposal proposal = Tables.propose("g", folder, vertices, List.of("edges.csv"));
      assertThat(proposal.schema().task()).isEqualTo(Task.CLASSIFICATION);
      assertThat(roles(proposal)).containsEntry("kind", "label").containsEntry("y", "numeric");
      try (TableGraph graph = Tables.read(proposal.schema(), folder, TableOptions.DEFAULT)) {
        assertThat(graph.data().info().classNames()).containsExactly("x", "y");
      }
    }
    Files.writeString(folder.resolve("others.csv"), "u,v\np1,q1\np2,q2\n");
    SchemaProposal numbers =
        Tables.propose("g", folder, List.of("places.csv", "ages.csv"), List.of("others.csv"));
    assertThat(numbers.schema().task()).isEqualTo(Task.REGRESSION);
    assertThat(numbers.schema().vertices()).extracting(VertexTable::label).containsOnly("y");
  }

  @Test
  void listsOfTimeStampsAreNoDates() throws IOException, SQLException {
    Files.writeString(folder.resolve("edges.csv"), "u,v\n1,2\n2,3\n");
    Shop.sql(
        folder,
        "COPY (SELECT i AS id, [TIMESTAMP '2024-01-01' + to_days(i::INTEGER)] AS seen FROM range(1, 4) t(i)) TO 'FOLDER/v.parquet'");
    SchemaProposal proposal =
        Tables.propose("g", folder, List.of("v.parquet"), List.of("edges.csv"));
    assertThat(proposal.reasons())
        .contains(new SchemaProposal.Reason("v", "seen", "ignored", "no encoding for TIMESTAMP[]"));
  }

  @Test
  void edgesWithoutIdsAreRefused() {
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> propose("id,x\na,1\nb,2\n", "s,t\na,q\nb,r\n"))
        .withMessage(
            "edges.csv: expected two columns with ids of vertices, found one (s, t); name them in a schema");
  }

  @Test
  void verticesWithoutIdsAreRefused() {
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> propose("x,y\n1.5,1.5\n1.5,1.5\n", "s,t\na,b\nb,a\n"))
        .withMessageStartingWith("vertices.csv: expected a column of ids");
  }
}
