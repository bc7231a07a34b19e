package dev.gossamer.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.EdgeTimes;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.Datasets;
import dev.gossamer.tables.OutputColumn;
import dev.gossamer.tables.OutputTable;
import dev.gossamer.tables.SchemaProposal;
import dev.gossamer.tables.TableTarget;
import dev.gossamer.tables.TableTarget.Existing;
import dev.gossamer.tables.Tables;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TimeZone;
import java.util.function.IntFunction;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Predictions in PostgreSQL: tables that are read from a server and written to it.
class PostgresTest {
  private static @Nullable PostgresServer server;

  @TempDir Path folder = Path.of("");

  /// The command line as a program, with plenty of memory.
  static final class Program {
    private Program() {}

    public static void main(String... arguments) {
      Cli cli = Cli.run(arguments);
      System.out.print(cli.out());
      System.err.print(cli.err());
      System.exit(cli.status());
    }
  }

  @BeforeAll
  static void startServer() throws IOException, InterruptedException, SQLException {
    server = PostgresServer.start().orElse(null);
  }

  @AfterAll
  static void stopServer() {
    if (server != null) {
      server.close();
    }
  }

  @BeforeEach
  void writeTables() throws IOException {
    assumeTrue(server != null, "PostgreSQL is not installed (package postgresql)");
    SmallTables.write(folder);
  }

  private static PostgresServer server() {
    return Objects.requireNonNull(server);
  }

  private static Cli run(String... arguments) {
    Cli cli = Cli.run(arguments);
    assertThat(cli.status()).as(cli.err()).isZero();
    return cli;
  }

  /// Fills a table from a CSV file.
  ///
  /// @param ids stands in front of the number of an account
  private void load(String name, String types, String values, String ids)
      throws IOException, SQLException {
    server().run("DROP TABLE IF EXISTS " + name);
    server().run("CREATE TABLE " + name + types);
    List<String> lines = Files.readAllLines(folder.resolve(name + ".csv"));
    try (Connection connection = server().connect();
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO " + name + " VALUES " + values)) {
      for (String line : lines.subList(1, lines.size())) {
        String[] cells = line.replace("acc-", ids).split(",", -1);
        for (int c = 0; c < cells.length; c++) {
          insert.setString(c + 1, cells[c]);
        }
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  /// Trains on tables of the server.
  ///
  /// @param type of ids
  /// @param ids stands in front of the number of an account
  /// @return the run
  private String trained(String type, String ids) throws IOException, SQLException {
    load(
        "accounts",
        "(id %s, kind text, balance real, country text, opened date)".formatted(type),
        "(?::%s, nullif(?, ''), nullif(?, '')::real, ?, ?::date)".formatted(type),
        ids);
    load(
        "payments",
        "(sender %1$s, receiver %1$s, amount real, paid date)".formatted(type),
        "(?::%1$s, ?::%1$s, ?::real, ?::date)".formatted(type),
        ids);
    String data = folder.resolve("shop").toString();
    run(
        "dataset",
        "import",
        "--vertices",
        server().address() + " select * from accounts order by id",
        "--edges",
        server().address() + " select * from payments",
        "-q",
        "--out",
        data);
    return run("train", "--epochs", "3", "--json", "-q", "--data", data, "--runs", "" + folder)
        .json()
        .get("run_folder")
        .asString();
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"text, acc-", "bigint, 70000000000"})
  void predictionsJoinTheTablesThatTheyAreOf(String type, String ids)
      throws IOException, SQLException {
    String run = trained(type, ids);
    run("predict", run, "-q", "--out", folder + "/p");
    Cli predicted =
        run(
            "predict",
            run,
            "--out",
            server().address() + " Predictions_" + type,
            "--probabilities",
            "--embeddings",
            "--json");
    assertThat(predicted.json().get("database").asString()).isEqualTo(server().address());
    assertThat(predicted.json().get("table").asString()).isEqualTo("Predictions_" + type);
    assertThat(
            server()
                .rows(
                    "SELECT column_name, data_type, udt_name FROM information_schema.columns"
                        + " WHERE table_name = 'predictions_"
                        + type
                        + "' ORDER BY ordinal_position"))
        .containsExactly(
            "id|%s|%s".formatted(type, type.equals("text") ? "text" : "int8"),
            "class|text|text",
            "probability|real|float4",
            "embedding|ARRAY|_float4",
            "broker|real|float4",
            "private|real|float4",
            "shop|real|float4");
    List<String> joined =
        server()
            .rows(
                "SELECT a.id, p.class, round(p.probability::numeric, 6) FROM accounts a JOIN predictions_%s p ON a.id = p.id"
                    .formatted(type));
    Map<String, String> expected =
        Files.readAllLines(folder.resolve("p/predictions.csv")).stream()
            .skip(1)
            .map(line -> line.split(","))
            .collect(Collectors.toMap(cells -> cells[0], cells -> cells[1]));
    assertThat(joined).hasSize(60);
    assertThat(joined.stream().map(row -> row.split("\\|")))
        .allSatisfy(cells -> assertThat(cells[1]).isEqualTo(expected.get(cells[0])))
        .extracting(cells -> cells[0])
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(expected.keySet());
    assertThat(
            server()
                .rows(
                    ("SELECT count(*), bool_and(abs(broker + private + shop - 1) < 1e-5),"
                            + " bool_and(probability = greatest(broker, private, shop)),"
                            + " min(array_length(embedding, 1)), max(array_length(embedding, 1))"
                            + " FROM predictions_%s")
                        .formatted(type)))
        .containsExactly("60|t|t|64|64");
  }

  /// Of a column of decimal numbers the server does not say that they are whole, and of time stamps
  /// with a zone in their name only that they have one.
  @Test
  void decimalIdsAndTimeStampsAreWhatTheServerHas() throws IOException, SQLException {
    server().run("CREATE TABLE goods (id numeric, code numeric(5), price numeric(8,2), y numeric)");
    server()
        .run(
            "INSERT INTO goods VALUES (9007199254740992, 1, 1.50, 1), (9007199254740993, 2, 2, 1.5), (5.00, 1, 3, 2)");
    server()
        .run(
            "CREATE TABLE sold (a numeric, b bigint, at timestamptz, local timestamp, until timestamp,"
                + " since timestamptz, due timestamptz, day date, first date)");
    server()
        .run(
            "INSERT INTO sold VALUES"
                + " (9007199254740992, 5, '2024-10-27 00:30:00+00', '2024-03-31 02:30:00', 'infinity',"
                + " '-infinity', 'infinity', 'infinity', '-infinity'),"
                + " (9007199254740993, 5, '2024-10-27 03:30:00+02', '2024-10-27 02:30:00', NULL,"
                + " NULL, NULL, NULL, NULL)");
    Path schema = folder.resolve("sold.yaml");
    TimeZone usual = TimeZone.getDefault();
    TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
    try {
      for (String time : List.of("at", "local")) {
        Files.writeString(
            schema,
            """
            vertices:
            - {name: goods, jdbc: '%1$s', sql: select * from goods, id: id, features: {code: categorical, y: categorical, price: numeric}}
            edges:
            - {name: sold, jdbc: '%1$s', sql: select * from sold, from: a, to: b, time: %2$s}
            directed: true
            """
                .formatted(server().address(), time));
        try (GraphData d = Datasets.open(schema)) {
          assertThat(d.vertexNames()).containsExactly("9007199254740992", "9007199254740993", "5");
          assertThat(d.featureNames())
              .containsExactly(
                  "code=1", "code=2", "code other", "y=1", "y=1.5", "y=2", "y other", "price");
          EdgeTimes times = Objects.requireNonNull(d.times());
          assertThat(IntStream.range(0, 2).mapToObj(e -> times.text(times.of(e))))
              .containsExactlyElementsOf(
                  time.equals("at")
                      ? List.of("2024-10-27T00:30", "2024-10-27T01:30")
                      : List.of("2024-03-31T02:30", "2024-10-27T02:30"));
        }
      }
    } finally {
      TimeZone.setDefault(usual);
    }
    SchemaProposal proposal =
        Tables.propose(
            "sold",
            folder,
            List.of(server().address() + " select * from goods"),
            List.of(server().address() + " select * from sold"));
    assertThat(proposal.schema().vertices().getFirst().id()).isEqualTo("id");
  }

  private static TableTarget.Database target(String table, Existing existing) {
    return new TableTarget.Database(server().address(), table, null, existing);
  }

  private static OutputTable table(int rows, IntFunction<String> names) {
    return new OutputTable(
        rows,
        List.of(
            new OutputColumn.Whole("id", row -> row),
            new OutputColumn.Text("name", names),
            new OutputColumn.Reals("list", 3, row -> new float[] {row, 0.5f, -1})));
  }

  private static List<String> tables(String name) throws SQLException {
    return server()
        .rows(
            "SELECT table_name FROM information_schema.tables WHERE table_name = '%s'"
                .formatted(name));
  }

  @Test
  void manyRowsAreWrittenInTheirOrder() throws SQLException {
    Tables.write(table(30_000, row -> "ä" + row), target("many", Existing.REFUSE));
    assertThat(
            server()
                .rows(
                    "SELECT count(DISTINCT id), bool_and(name = 'ä' || id), bool_and(list = ARRAY[id, 0.5, -1]::real[]) FROM many"))
        .containsExactly("30000|t|t");
  }

  @Tag("slow")
  @Test
  void rowsAreReplacedOnlyIfAsked() throws SQLException {
    server().run("CREATE SCHEMA scores");
    Tables.write(table(10, row -> "first"), target("scores.p", Existing.REFUSE));
    server().run("ALTER TABLE scores.p ADD PRIMARY KEY (id)");
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> Tables.requireWritable(target("scores.p", Existing.REFUSE)))
        .withMessage(
            "%s scores.p: expected a new table, found one; choose another name, or --force to replace its rows",
            server().address());
    Tables.write(table(20, row -> "second"), target("scores.P", Existing.REPLACE));
    assertThat(server().rows("SELECT count(*), min(name) FROM scores.p"))
        .containsExactly("20|second");
    assertThat(tables("P")).isEmpty();
    server().run("ALTER TABLE scores.p ADD COLUMN mine text");
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> Tables.write(table(1, row -> ""), target("scores.p", Existing.REPLACE)))
        .withMessage(
            "table p: expected the columns id BIGINT, name TEXT, list REAL[], found id int8, name text,"
                + " list _float4, mine text; choose another name or drop the table");
    assertThat(server().rows("SELECT count(*) FROM scores.p")).containsExactly("20");
  }

  /// The server refuses a zero byte in a text, here in the last of several batches.
  @Test
  void aRowThatFailsLeavesNothing() throws SQLException {
    OutputTable failing = table(20_000, row -> row == 19_999 ? "a\0b" : "a");
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> Tables.write(failing, target("failing", Existing.REFUSE)))
        .withMessageStartingWith(
            "%s failing: ERROR: invalid byte sequence for encoding \"UTF8\": 0x00",
            server().address());
    assertThat(tables("failing")).isEmpty();
    Tables.write(table(3, row -> "kept"), target("kept", Existing.REFUSE));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> Tables.write(failing, target("kept", Existing.REPLACE)));
    assertThat(server().rows("SELECT count(*), min(name) FROM kept")).containsExactly("3|kept");
  }

  @Test
  void aConnectionThatIsCutLeavesNothing() throws SQLException {
    OutputTable cut =
        table(
            40_000,
            row -> {
              if (row == 30_000) {
                cutOtherConnections();
              }
              return "a";
            });
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> Tables.write(cut, target("cut", Existing.REFUSE)))
        .withMessageStartingWith(server().address() + " cut: ")
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("\n"));
    assertThat(tables("cut")).isEmpty();
  }

  private static void cutOtherConnections() {
    try (Connection connection = server().connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
              + " WHERE usename = 'gossamer' AND pid <> pg_backend_pid()");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /// PostgreSQL cuts names after 63 bytes, so that these would be one.
  @Test
  void longNamesOfColumnsDiffer() throws SQLException {
    String longName = "ü".repeat(40);
    List<OutputColumn> columns =
        IntStream.range(0, 3)
            .<OutputColumn>mapToObj(c -> new OutputColumn.Real(longName + c, row -> c))
            .toList();
    Tables.write(new OutputTable(1, columns), target("long_names", Existing.REFUSE));
    String cut = "ü".repeat(30);
    assertThat(
            server()
                .rows(
                    "SELECT column_name FROM information_schema.columns WHERE table_name = 'long_names' ORDER BY ordinal_position"))
        .containsExactly(cut + "ü", cut + "_2", cut + "_3");
    List<OutputColumn> many =
        IntStream.range(0, 1601)
            .<OutputColumn>mapToObj(c -> new OutputColumn.Real("c" + c, row -> c))
            .toList();
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(
            () -> Tables.write(new OutputTable(1, many), target("many_columns", Existing.REFUSE)))
        .withMessageContaining("tables can have at most 1600 columns");
  }

  /// The password reaches the server, and nothing that is printed.
  @Tag("slow")
  @Test
  void aPasswordComesFromAFile() throws IOException, SQLException {
    String run = trained("text", "acc-");
    Path password = Files.writeString(folder.resolve("password"), "secret word\n");
    String[] command = {
      "predict",
      run,
      "--out",
      "jdbc:postgresql://" + server().place("ann") + " of_ann",
      "--password-file",
      password.toString()
    };
    Cli written = run(command);
    assertThat(written.out() + written.err()).doesNotContain("secret");
    assertThat(server().rows("SELECT count(*) FROM of_ann")).containsExactly("60");
    Files.writeString(password, "secret worm\n");
    Cli refused = Cli.run(command);
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err())
        .contains("of_ann: FATAL: password authentication failed for user \"ann\"")
        .doesNotContain("secret")
        .hasLineCount(1);
  }

  /// The commands of the page, as a shell runs them; only the address is another, and the epochs
  /// are fewer.
  @Tag("slow")
  @Test
  void theCommandsOfTheGuideWork() throws IOException, InterruptedException, SQLException {
    List<String> blocks =
        Pattern.compile("(?ms)^```\\R(.*?)^```$")
            .matcher(Files.readString(Path.of("../docs/postgresql.md")))
            .results()
            .map(MatchResult::group)
            .filter(block -> block.startsWith("```\ngossamer"))
            .toList();
    assertThat(blocks).hasSize(1);
    List<String> commands =
        blocks.getFirst().lines().filter(line -> !line.startsWith("```")).toList();
    assertThat(commands.stream().filter(line -> !line.startsWith(" "))).hasSize(4);
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      for (String name : List.of("accounts", "payments")) {
        Path csv = folder.resolve(name + ".csv");
        statement.execute(
            "COPY (FROM '%s') TO '%s'".formatted(csv, folder.resolve(name + ".parquet")));
        Files.delete(csv);
      }
    }
    List<String> said =
        shell(
            String.join("\n", commands)
                .replace("//db/shop", "//" + server().place())
                .replace("--epochs 100", "--epochs 3"));
    assertThat(said.stream().map(line -> line.replace(" ", "")))
        .as("printed by the last command")
        .containsAll(server().rows("SELECT class, count(*) FROM predictions GROUP BY class"));
    assertThat(server().rows("SELECT count(*), count(DISTINCT id) FROM predictions"))
        .containsExactly("60|60");
  }

  /// Runs commands, each of which must succeed, where `gossamer` is this program.
  private List<String> shell(String commands) throws IOException, InterruptedException {
    List<String> flags = List.of("-Xmx256m", "--add-modules", "jdk.incubator.vector");
    List<String> java = Child.java(flags, Program.class);
    Path gossamer = folder.resolve("bin/gossamer");
    Files.createDirectories(folder.resolve("bin"));
    Files.writeString(
        gossamer,
        java.stream()
            .map(word -> "'" + word + "'")
            .collect(Collectors.joining(" ", "#!/bin/sh\nexec ", " \"$@\"\n")));
    Files.setPosixFilePermissions(gossamer, PosixFilePermissions.fromString("rwxr-xr-x"));
    ProcessBuilder shell = new ProcessBuilder("bash", "-ec", commands).directory(folder.toFile());
    shell.environment().merge("PATH", gossamer.getParent() + ":", (path, bin) -> bin + path);
    shell.environment().put("GOSSAMER_CACHE", folder.resolve("target/cache").toString());
    shell.environment().put("PAGER", "cat");
    Process process = Child.started(shell.redirectErrorStream(true));
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said.lines().toList();
  }
}
