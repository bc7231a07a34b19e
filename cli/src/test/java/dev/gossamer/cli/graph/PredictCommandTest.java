package dev.gossamer.cli.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.cli.Cli;
import dev.gossamer.cli.SmallTables;
import dev.gossamer.cli.SqlRows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/// Predictions as tables, read by DuckDB.
class PredictCommandTest {
  /// What no test changes.
  @TempDir private static Path shared = Path.of("");

  private static String sharedRun = "";

  @TempDir Path folder = Path.of("");

  private String run = "";

  @BeforeAll
  static void train() throws IOException {
    sharedRun = trained(shared, "acc-", "private", "shop", "broker");
  }

  @BeforeEach
  void takeTheSharedRun() {
    run = sharedRun;
  }

  /// Imports and trains.
  ///
  /// @param ids stands in front of the number of an account
  /// @param kinds names of the three classes
  /// @return the run
  private static String trained(Path folder, String ids, String... kinds) throws IOException {
    SmallTables.write(folder);
    for (String name : List.of("accounts.csv", "payments.csv")) {
      Path file = folder.resolve(name);
      Files.writeString(
          file,
          Files.readString(file)
              .replace("acc-", ids)
              .replace(",private,", "," + kinds[0] + ",")
              .replace(",shop,", "," + kinds[1] + ",")
              .replace(",broker,", "," + kinds[2] + ","));
    }
    Path data = folder.resolve("shop");
    String tables = " --vertices %1$s/accounts.csv --edges %1$s/payments.csv".formatted(folder);
    run(("dataset import -q --out " + data + tables).split(" "));
    return run(("train --epochs 2 --json -q --data " + data + " --runs " + folder).split(" "))
        .json()
        .get("run_folder")
        .asString();
  }

  private static Cli run(String... arguments) {
    Cli cli = Cli.run(arguments);
    assertThat(cli.status()).as(cli.err()).isZero();
    return cli;
  }

  private Cli predict(String out, String... more) {
    List<String> arguments = new ArrayList<>(List.of("predict", run, "-q", "--out", out));
    arguments.addAll(List.of(more));
    return Cli.run(arguments.toArray(String[]::new));
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  private List<String> rows(String address, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(address)) {
      return SqlRows.of(connection, sql.replace("FOLDER", folder.toString()));
    }
  }

  private List<String> rows(String sql) throws SQLException {
    return rows("jdbc:duckdb:", sql);
  }

  /// The table says what the folder says.
  @ParameterizedTest
  @ValueSource(strings = {"p.parquet", "p.csv", "p.csv.gz"})
  void aTableHasWhatTheFolderHas(String name) throws SQLException {
    assertThat(predict(file("folder"), "--probabilities").status()).isZero();
    Cli written = predict(file(name), "--probabilities", "--json");
    assertThat(written.status()).as(written.err()).isZero();
    JsonNode json = written.json();
    assertThat(json.get("file").asString()).isEqualTo(file(name));
    assertThat(json.has("folder")).isFalse();
    assertThat(json.get("vertices").asInt()).isEqualTo(60);
    String difference =
        Stream.of("probability", "broker", "private", "shop")
            .map(column -> "max(abs(t.%1$s - f.%1$s)) < 1e-6".formatted(column))
            .collect(Collectors.joining(" AND "));
    assertThat(
            rows(
                "SELECT count(*), count(DISTINCT id), bool_and(t.class = f.class), "
                    + difference
                    + " FROM 'FOLDER/%s' t JOIN 'FOLDER/folder/predictions.csv' f ON t.id = f.vertex"
                        .formatted(name)))
        .containsExactly("60|60|true|true");
  }

  @Test
  void embeddingsAreLists() throws SQLException {
    assertThat(predict(file("p.parquet"), "--embeddings", "--probabilities").status()).isZero();
    assertThat(
            rows(
                "SELECT column_name || ' ' || column_type FROM (DESCRIBE FROM 'FOLDER/p.parquet')"))
        .containsExactly(
            "id VARCHAR",
            "class VARCHAR",
            "probability FLOAT",
            "embedding FLOAT[]",
            "broker FLOAT",
            "private FLOAT",
            "shop FLOAT");
    assertThat(rows("SELECT DISTINCT len(embedding) FROM 'FOLDER/p.parquet'"))
        .containsExactly("64");
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"9000000000, BIGINT", "-1, BIGINT", "0, VARCHAR"})
  void idsAreIntegersIfAllAre(String ids, String type) throws IOException, SQLException {
    run = trained(folder, ids, "a", "b", "c");
    assertThat(predict(file("p.parquet")).status()).isZero();
    assertThat(
            rows(
                "SELECT column_type FROM (DESCRIBE FROM 'FOLDER/p.parquet') WHERE column_name = 'id'"))
        .containsExactly(type);
    assertThat(
            rows(
                "SELECT count(*), count(DISTINCT p.id) FROM 'FOLDER/p.parquet' p JOIN read_csv('FOLDER/accounts.csv', all_varchar = true) a ON p.id::VARCHAR = a.id"))
        .containsExactly("60|60");
  }

  @Tag("slow")
  @Test
  void columnsOfClassesHaveNamesOfTheirOwn() throws IOException, SQLException {
    run = trained(folder, "acc-", "ID", "embedding", "probability");
    assertThat(predict(file("p.parquet"), "--embeddings", "--probabilities").status()).isZero();
    assertThat(rows("SELECT column_name FROM (DESCRIBE FROM 'FOLDER/p.parquet')"))
        .containsExactly(
            "id", "class", "probability", "embedding", "ID_2", "embedding_2", "probability_2");
  }

  @Test
  void anExistingFileIsReplacedOnlyIfAsked() throws IOException {
    Path mine = Files.writeString(folder.resolve("p.csv"), "mine");
    Cli refused = predict(mine.toString());
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err())
        .contains("p.csv: expected a new file, found one; choose another name, or --force");
    assertThat(mine).hasContent("mine");
    assertThat(predict(mine.toString(), "--force").status()).isZero();
    assertThat(mine).content().startsWith("id,class,probability\nacc-0,");
    byte[] first = Files.readAllBytes(mine);
    assertThat(predict(mine.toString(), "--force", "--ranks", "2").status()).isZero();
    assertThat(first).isEqualTo(Files.readAllBytes(mine));
  }

  @Tag("slow")
  @Test
  void aDatabaseGetsATable() throws SQLException {
    String address = "jdbc:duckdb:" + folder.resolve("out.db");
    Cli written = predict(address + " p", "--embeddings");
    assertThat(written.status()).as(written.err()).isZero();
    assertThat(written.out()).isEqualTo("60 predictions in %s p%n", address);
    assertThat(rows(address, "SELECT count(DISTINCT id), min(len(embedding)) FROM p"))
        .containsExactly("60|64");
    Cli refused = predict(address + " p");
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err())
        .isEqualTo(
            "gossamer: %s p: expected a new table, found one; choose another name, or --force to replace its rows%n",
            address);
    assertThat(predict(address + " p", "--embeddings", "--force").status()).isZero();
    Cli others = predict(address + " p", "--force");
    assertThat(others.status()).isEqualTo(2);
    assertThat(others.err())
        .contains(
            "table p: expected the columns id VARCHAR, class VARCHAR, probability REAL, found");
    assertThat(rows(address, "SELECT count(*) FROM p")).containsExactly("60");
  }

  @Test
  void aDryRunCountsTheOutputAndWritesNothing() {
    JsonNode parts =
        Cli.run("predict", run, "--dry-run", "--json", "--out", file("folder")).json().get("parts");
    assertThat(parts.has("output")).isFalse();
    for (String out : List.of(file("p.parquet"), "jdbc:duckdb:" + file("p.db") + " p")) {
      JsonNode dry = Cli.run("predict", run, "--dry-run", "--json", "--out", out).json();
      long sum = 0;
      for (JsonNode part : dry.get("parts")) {
        sum += part.asLong();
      }
      assertThat(dry.get("parts").get("output").asLong()).isGreaterThan(64L << 20);
      assertThat(dry.get("estimated_bytes").asLong()).isEqualTo(sum);
    }
    assertThat(folder.resolve("p.parquet")).doesNotExist();
    assertThat(folder.resolve("p.db")).doesNotExist();
  }

  /// What writing takes is part of what must fit.
  @Test
  void anOutputThatDoesNotFitIsRefused() {
    long bytes =
        Cli.run("predict", run, "--dry-run", "--json", "--out", file("folder"))
            .json()
            .get("estimated_bytes")
            .asLong();
    String limit = Long.toString(bytes);
    assertThat(predict(file("folder"), "--memory", limit).status()).isZero();
    Cli refused = predict(file("p.parquet"), "--memory", limit);
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err()).contains("--memory: predicting needs");
    assertThat(folder.resolve("p.parquet")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--task links --embedding 4", "--task regression --labels FILE"})
  void aModelThatPredictsNumbersHasNoProbabilities(String flags) throws IOException {
    String numbers = IntStream.range(0, 60).mapToObj(v -> v + ".5\n").collect(Collectors.joining());
    Path labels = Files.writeString(folder.resolve("numbers.csv"), numbers);
    String[] train =
        "train --epochs 1 --json -q --data %s --runs %s %s"
            .formatted(shared.resolve("shop"), folder, flags.replace("FILE", labels.toString()))
            .split(" ");
    run = run(train).json().get("run_folder").asString();
    for (String out : List.of(file("p.csv"), file("p"))) {
      Cli refused = predict(out, "--probabilities");
      assertThat(refused.status()).isEqualTo(2);
      assertThat(refused.err())
          .isEqualTo(
              "gossamer: %s%n",
              "--probabilities: only a model of classes or labels has them; leave it out");
      assertThat(Path.of(out)).doesNotExist();
    }
    assertThat(predict(file("p.csv")).status()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          p --force                     | --force: a flag of --out FILE.parquet, FILE.csv or 'jdbc:ADDRESS TABLE'; a folder of predictions is replaced without it
          p.csv --password-file x       | --password-file: a flag of --out 'jdbc:ADDRESS TABLE'; add that or leave it out
          jdbc:duckdb:x.db              | --out: expected an address and the name of a table, 'jdbc:... predictions', found no name
          jdbc:nowhere:x␣p              | jdbc:nowhere:x p: No suitable driver found for jdbc:nowhere:x
          jdbc:x:y?password=z␣p         | --out: expected an address without a password, found one; put it into the variable GOSSAMER_JDBC_PASSWORD or a file
          jdbc:duckdb:x.db␣p --password-file nowhere | nowhere: cannot read: no such file or folder: nowhere
          """)
  void flagsThatDoNotFitAreRefused(String flags, String message) {
    List<String> words = new ArrayList<>(List.of("predict", run, "--out"));
    Arrays.stream(flags.split(" ")).map(word -> word.replace('␣', ' ')).forEach(words::add);
    Cli refused = Cli.run(words.toArray(String[]::new));
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err()).isEqualTo("gossamer: %s%n", message);
  }
}
