package dev.gossamer.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.tables.Tables.TableOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PairTableTest {
  private static final List<String> NAMES = List.of("007", "7", "a3");

  @TempDir private Path folder;

  private PairTable read(String source, boolean typed) {
    return Tables.pairs(
        TableSource.parse(source), folder, NAMES::indexOf, "shop", typed, TableOptions.DEFAULT);
  }

  private void refused(String text, boolean typed, String message) throws IOException {
    Files.writeString(folder.resolve("bad.csv"), text);
    assertThatThrownBy(() -> read("bad.csv", typed))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage("bad.csv: " + message);
  }

  @Test
  void idsStayTextsAndFurtherColumnsAreLeftOut() throws IOException {
    Files.writeString(
        folder.resolve("pairs.csv"), "buyer,seller,since\n007,7,2020\n7,007,2021\n7,7,2022\n");

    PairTable pairs = read("pairs.csv", false);

    assertThat(pairs.columns()).containsExactly("buyer", "seller");
    assertThat(pairs.firsts()).containsExactly(0, 1, 1);
    assertThat(pairs.seconds()).containsExactly(1, 0, 1);
    assertThat(pairs.typeNames()).isEmpty();
    assertThat(pairs.types()).isEmpty();
  }

  @Test
  void typesAreNumberedAsTheyOccur() throws IOException {
    Files.writeString(
        folder.resolve("pairs.csv"), "u,v,type\na3,7,owns\na3,a3,likes\n007,7,owns\n");

    PairTable pairs = read("pairs.csv", true);

    assertThat(pairs.columns()).containsExactly("u", "v", "type");
    assertThat(pairs.typeNames()).containsExactly("owns", "likes");
    assertThat(pairs.types()).containsExactly(0, 1, 0);
  }

  @Test
  void rowsOfAQueryKeepTheirOrder() throws IOException {
    int rows = 5000;
    Files.writeString(
        folder.resolve("pairs.csv"),
        IntStream.range(0, rows)
            .mapToObj(i -> "%s,%s,%d".formatted(NAMES.get(i % 3), NAMES.get(i / 3 % 3), i))
            .collect(Collectors.joining("\n", "u,v,i\n", "\n")));

    PairTable pairs =
        read("sql: select v, u from read_csv('pairs.csv', all_varchar = true)", false);

    assertThat(pairs.columns()).containsExactly("v", "u");
    assertThat(pairs.firsts())
        .containsExactly(IntStream.range(0, rows).map(i -> i / 3 % 3).toArray());
    assertThat(pairs.seconds()).containsExactly(IntStream.range(0, rows).map(i -> i % 3).toArray());
  }

  @Tag("slow")
  @Test
  void whatIsNoPairIsRefused() throws IOException {
    refused(
        "u,v\n007,7\na3,zed\n",
        false,
        "row 2: column v: expected the id of a vertex of shop, found 'zed'");
    refused(
        "u,v\n,7\n", false, "row 1: column u: expected the id of a vertex of shop, found nothing");
    refused("u,v,t\n7,7,\n", true, "row 1: column t: expected the type of an edge, found nothing");
    refused("u\n7\n", false, "expected two columns of ids, found 1");
    refused(
        "u,v\n7,7\n",
        true,
        "expected two columns of ids and one of the types of edges, which the model tells apart, found 2");
  }

  @Test
  void aLineAloneIsAPair() throws IOException {
    Files.writeString(folder.resolve("numbers.csv"), "007,7\n");
    Files.writeString(folder.resolve("mixed.csv"), "a3,7\n");
    assertThat(read("numbers.csv", false).firsts()).containsExactly(0);
    assertThat(read("mixed.csv", false).seconds()).containsExactly(1);
  }

  /// Of fractions, both were one.
  @Test
  void decimalIdsOfDatabasesAreExact() throws SQLException {
    Shop.sql(
        folder,
        "ATTACH 'FOLDER/in.db' AS d",
        "CREATE TABLE d.p (u DECIMAL(38,0), v DECIMAL(38,2))",
        "INSERT INTO d.p VALUES (18446744073709551616, 18446744073709551617)",
        "DETACH d");
    PairTable pairs =
        Tables.pairs(
            TableSource.parse("jdbc:duckdb:" + folder.resolve("in.db") + " select * from p"),
            folder,
            List.of("18446744073709551616", "18446744073709551617")::indexOf,
            "shop",
            false,
            TableOptions.DEFAULT);
    assertThat(pairs.firsts()).containsExactly(0);
    assertThat(pairs.seconds()).containsExactly(1);
  }
}
