package dev.gossamer.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.tables.TableTarget.Existing;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TableWritingTest {
  private static final String[] CLASSES = {"shop", "a \"b\", c", "=1+1"};

  @TempDir Path folder = Path.of("");

  /// Rows whose values follow from their numbers.
  private static OutputTable table(int rows, int width) {
    return new OutputTable(
        rows,
        List.of(
            new OutputColumn.Whole("id", row -> 10_000_000_000L - row),
            new OutputColumn.Text("class", row -> CLASSES[row % CLASSES.length]),
            new OutputColumn.Real("probability", TableWritingTest::probability),
            new OutputColumn.Reals("embedding", width, row -> embedding(row, width))));
  }

  private static float probability(int row) {
    return 1f / (row % 1000 + 1);
  }

  private static float[] embedding(int row, int width) {
    float[] numbers = new float[width];
    for (int i = 0; i < width; i++) {
      numbers[i] = (row % 4096) * 0.5f - i;
    }
    return numbers;
  }

  private Path write(String name, OutputTable table) {
    Path file = folder.resolve(name);
    Tables.write(table, new TableTarget.File(file));
    return file;
  }

  private TableTarget.Database database(String table, Existing existing) {
    return new TableTarget.Database(
        "jdbc:duckdb:" + folder.resolve("out.db"), table, null, existing);
  }

  /// The rows of a query, their values as texts.
  private List<String> rows(String address, String sql) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(address);
        Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(sql.replace("FOLDER", folder.toString()))) {
      while (found.next()) {
        List<String> row = new ArrayList<>();
        for (int c = 1; c <= found.getMetaData().getColumnCount(); c++) {
          row.add(String.valueOf(found.getString(c)));
        }
        rows.add(String.join("|", row));
      }
    }
    return rows;
  }

  private List<String> inDatabase(String sql) throws SQLException {
    return rows("jdbc:duckdb:" + folder.resolve("out.db"), sql);
  }

  private List<String> entries() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(file -> String.valueOf(file.getFileName())).toList();
    }
  }

  /// Several groups of rows, in their order.
  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"300000, 1", "70000, 64", "3000, 3000"})
  void aParquetFileHasEveryRowOnce(int rows, int width) throws SQLException {
    write("t.parquet", table(rows, width));
    assertThat(
            rows(
                "jdbc:duckdb:",
                "SELECT column_name, column_type FROM (DESCRIBE FROM 'FOLDER/t.parquet')"))
        .containsExactly("id|BIGINT", "class|VARCHAR", "probability|FLOAT", "embedding|FLOAT[]");
    List<String> all =
        rows(
            "jdbc:duckdb:",
            "SELECT id, class, probability, embedding[1], embedding[-1], len(embedding) FROM 'FOLDER/t.parquet'");
    assertThat(all).hasSize(rows);
    for (int row = 0; row < rows; row++) {
      float[] numbers = embedding(row, width);
      assertThat(all.get(row))
          .isEqualTo(
              "%d|%s|%s|%s|%s|%d"
                  .formatted(
                      10_000_000_000L - row,
                      CLASSES[row % 3],
                      probability(row),
                      numbers[0],
                      numbers[width - 1],
                      width));
    }
  }

  @Tag("slow")
  @Test
  void theSameTableGivesTheSameBytes() throws IOException {
    for (String name : List.of("a.parquet", "a.csv", "a.csv.gz")) {
      OutputTable table = table(150_000, 3);
      byte[] first = Files.readAllBytes(write(name, table));
      assertThat(Files.readAllBytes(write(name, table))).as(name).isEqualTo(first);
    }
  }

  @Test
  void csvQuotesAndKeepsFormulas() throws IOException {
    String expected =
        """
        id,class,probability,embedding
        10000000000,shop,1.0,"[0.0, -1.0]"
        9999999999,"a ""b"", c",0.5,"[0.5, -0.5]"
        9999999998,=1+1,0.33333334,"[1.0, 0.0]"
        """;
    assertThat(write("t.csv", table(3, 2))).hasContent(expected);
    try (InputStream in =
        new GZIPInputStream(Files.newInputStream(write("t.csv.gz", table(3, 2))))) {
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(expected);
    }
  }

  @Test
  void aTableWithoutRowsHasColumns() throws SQLException {
    write("t.parquet", table(0, 2));
    assertThat(rows("jdbc:duckdb:", "SELECT count(*), max(class) FROM 'FOLDER/t.parquet'"))
        .containsExactly("0|null");
  }

  private static OutputTable failingAt(int failing, int rows) {
    return new OutputTable(
        rows,
        List.of(
            new OutputColumn.Whole(
                "id",
                row -> {
                  if (row == failing) {
                    throw new IllegalStateException("row " + row);
                  }
                  return row;
                })));
  }

  @ParameterizedTest
  @ValueSource(strings = {"t.parquet", "t.csv", "t.csv.gz"})
  void aValueThatFailsLeavesTheEarlierFile(String name) throws IOException {
    Path file = Files.writeString(folder.resolve(name), "mine");
    assertThatIllegalStateException()
        .isThrownBy(() -> write(name, failingAt(199_999, 200_000)))
        .withMessage("row 199999");
    assertThat(file).hasContent("mine");
    assertThat(entries()).containsExactly(name);
  }

  @Test
  void aDatabaseGetsATable() throws SQLException {
    TableTarget.Database target = database("predictions", Existing.REFUSE);
    Tables.requireWritable(target);
    assertThat(folder.resolve("out.db")).as("made by the check").doesNotExist();
    Tables.write(table(5000, 3), target);
    assertThat(inDatabase("SELECT column_name, column_type FROM (DESCRIBE predictions)"))
        .containsExactly("id|BIGINT", "class|VARCHAR", "probability|FLOAT", "embedding|FLOAT[]");
    assertThat(
            inDatabase(
                "SELECT count(DISTINCT id), sum(id), sum(embedding[2]) = sum((rn % 4096) * 0.5 - 1)"
                    + " FROM (SELECT *, 10000000000 - id AS rn FROM predictions)"))
        .containsExactly("5000|%d|true".formatted(5000L * 10_000_000_000L - 5000L * 4999 / 2));
  }

  @Test
  void anExistingTableIsReplacedOnlyIfAsked() throws SQLException {
    Tables.write(table(5, 2), database("main.p", Existing.REFUSE));
    for (int attempt = 0; attempt < 2; attempt++) {
      boolean checks = attempt == 0;
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> {
            if (checks) {
              Tables.requireWritable(database("p", Existing.REFUSE));
            } else {
              Tables.write(table(7, 2), database("p", Existing.REFUSE));
            }
          })
          .withMessageEndingWith(
              "out.db p: expected a new table, found one; choose another name, or --force to replace its rows");
    }
    Tables.requireWritable(database("p", Existing.REPLACE));
    Tables.write(table(7, 2), database("p", Existing.REPLACE));
    assertThat(inDatabase("SELECT count(*) FROM p")).containsExactly("7");
    OutputTable other =
        new OutputTable(1, List.of(new OutputColumn.Text("id", _ -> "x"), column("class")));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> Tables.write(other, database("p", Existing.REPLACE)))
        .withMessage(
            "table p: expected the columns id VARCHAR, class VARCHAR, found id BIGINT, class VARCHAR,"
                + " probability FLOAT, embedding FLOAT[]; choose another name or drop the table");
    assertThatIllegalStateException()
        .isThrownBy(() -> Tables.write(failing(table(9000, 2)), database("p", Existing.REPLACE)));
    assertThat(inDatabase("SELECT count(*) FROM p")).as("rolled back").containsExactly("7");
  }

  private static OutputColumn column(String name) {
    return new OutputColumn.Text(name, _ -> name);
  }

  /// The same columns, of which the first fails in the last row.
  private static OutputTable failing(OutputTable table) {
    List<OutputColumn> columns = new ArrayList<>(table.columns());
    columns.set(0, failingAt(table.rows() - 1, table.rows()).columns().getFirst());
    return new OutputTable(table.rows(), columns);
  }

  @Test
  void aFailureLeavesNeitherTableNorDatabase() throws IOException, SQLException {
    assertThatIllegalStateException()
        .isThrownBy(() -> Tables.write(failingAt(8999, 9000), database("p", Existing.REFUSE)))
        .withMessage("row 8999");
    assertThat(entries()).isEmpty();
    Tables.write(table(1, 1), database("other", Existing.REFUSE));
    assertThatIllegalStateException()
        .isThrownBy(() -> Tables.write(failingAt(8999, 9000), database("p", Existing.REFUSE)));
    assertThat(inDatabase("SELECT table_name FROM information_schema.tables"))
        .containsExactly("other");
  }

  @Test
  void namesOfColumnsDiffer() {
    List<OutputColumn> columns =
        Stream.of("id", "Class", "class", "CLASS", "id_2", "ID", "", "", "äöü€", "äöü€")
            .map(TableWritingTest::column)
            .toList();
    assertThat(names(new OutputTable(0, columns)))
        .containsExactly(
            "id", "Class", "class_2", "CLASS_3", "id_2", "ID_3", "column", "_2", "äöü€", "äöü€_2");
    assertThat(names(new OutputTable(0, columns).named(8)).subList(8, 10))
        .as("6 bytes and 3")
        .containsExactly("äöü", "äöü_2");
  }

  private static List<String> names(OutputTable table) {
    return table.columns().stream().map(OutputColumn::name).toList();
  }

  /// The Parquet of a class whose name is that of another column can be read by either name.
  @Test
  void columnsOfOneNameAreWritten() throws SQLException {
    List<OutputColumn> columns = List.of(column("id"), column("ID"), column("a\"b'c"));
    write("t.parquet", new OutputTable(1, columns));
    assertThat(
            rows("jdbc:duckdb:", "SELECT \"id\", \"ID_2\", \"a\"\"b'c\" FROM 'FOLDER/t.parquet'"))
        .containsExactly("id|ID|a\"b'c");
    Tables.write(new OutputTable(1, columns), database("\"My.Table\"", Existing.REFUSE));
    assertThat(inDatabase("SELECT \"ID_2\" FROM \"My.Table\"")).containsExactly("ID");
  }

  @Test
  void textsNameTargets() {
    assertThat(TableTarget.parse("predictions", null, Existing.REFUSE)).isEmpty();
    for (String file : List.of("p.parquet", "P.PQ", "a/p.csv", "p.csv.gz")) {
      assertThat(TableTarget.parse(file, null, Existing.REFUSE))
          .contains(new TableTarget.File(Path.of(file)));
    }
    assertThat(TableTarget.parse("jdbc:duckdb:x.db  s.p", null, Existing.REPLACE))
        .contains(new TableTarget.Database("jdbc:duckdb:x.db", "s.p", null, Existing.REPLACE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          jdbc:duckdb:x.db | out: expected an address and the name of a table, 'jdbc:... predictions', found no name
          jdbc:duckdb:x.db a.b.c | out: expected the name of a table, TABLE or SCHEMA.TABLE, found a.b.c
          jdbc:postgresql://db/shop?password=secret p | out: expected an address without a password, found one; put it into the variable GOSSAMER_JDBC_PASSWORD or a file
          jdbc:postgresql://db/shop?sslpassword=secret p | out: expected an address without a password, found one; put it into the variable GOSSAMER_JDBC_PASSWORD or a file
          jdbc:mysql://ann:secret@db/shop p | out: expected an address without a password, found one; put it into the variable GOSSAMER_JDBC_PASSWORD or a file
          jdbc:sqlserver://db;user=ann;pwd=secret p | out: expected an address without a password, found one; put it into the variable GOSSAMER_JDBC_PASSWORD or a file
          jdbc:oracle:thin:ann/secret@//db:1521/shop p | out: expected an address without a password, found one; put it into the variable GOSSAMER_JDBC_PASSWORD or a file
          jdbc:mysql://(host=db,password=secret)/shop p | out: expected an address without a password, found one; put it into the variable GOSSAMER_JDBC_PASSWORD or a file
          """)
  void otherTargetsAreRefused(String text, String message) {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> TableTarget.parse(text, null, Existing.REFUSE))
        .withMessage(message)
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> new TableTarget.File(Path.of("p.json")))
        .withMessage(
            "out: expected a name that ends in .parquet, .pq, .csv or .csv.gz, found p.json");
  }

  @Test
  void passwordsAreFoundBetweenBlanksAndNotElsewhere() {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> JdbcAddress.require("out", "jdbc:sqlserver://db; user = a; password = x"))
        .withMessageStartingWith("out: expected an address without a password");
    for (String address :
        List.of(
            "jdbc:oracle:thin:@//db:1521/shop",
            "jdbc:oracle:thin:/@wallet",
            "jdbc:oracle:thin:ann@//db:1521/shop",
            "jdbc:postgresql://db:5432/shop?user=ann@work")) {
      JdbcAddress.require("out", address);
    }
  }

  /// The name of a schema is no pattern.
  @Test
  void aTableOfASchemaWithASimilarNameIsAnother() throws SQLException {
    Tables.write(table(1, 1), database("p", Existing.REFUSE));
    try (Connection connection =
            DriverManager.getConnection("jdbc:duckdb:" + folder.resolve("out.db"));
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE SCHEMA my_app");
      statement.execute("CREATE SCHEMA my1app");
    }
    Tables.write(table(2, 1), database("my1app.p", Existing.REFUSE));
    Tables.write(table(3, 1), database("my_app.p", Existing.REFUSE));
    Tables.write(table(4, 1), database("my_app.p", Existing.REPLACE));
    assertThat(inDatabase("SELECT (SELECT count(*) FROM my1app.p), count(*) FROM my_app.p"))
        .containsExactly("2|4");
  }

  @Test
  void aDatabaseThatDoesNotAnswerIsRefused() {
    TableTarget.Database nowhere =
        new TableTarget.Database("jdbc:nowhere:x", "p", null, Existing.REFUSE);
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> Tables.requireWritable(nowhere))
        .withMessage("jdbc:nowhere:x p: No suitable driver found for jdbc:nowhere:x");
    Path empty = folder.resolve("empty");
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> {
          Files.writeString(empty, "");
          Tables.requireWritable(
              new TableTarget.Database("jdbc:duckdb:", "p", empty, Existing.REFUSE));
        })
        .withMessage(empty + ": expected a password in the first line, found none");
  }

  /// What a group of rows takes does not grow with their width.
  @Test
  void wideRowsComeInSmallGroups() {
    assertThat(LongStream.of(0, 1, 50, 500, 5000).map(DuckDbRows::groupRows))
        .containsExactly(122_880L, 122_880L, 32_768L, 4_096L, 2_048L);
  }
}
