package dev.gossamer.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.EdgeTimes;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.Task;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.tables.Tables.TableOptions;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TimeZone;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Values of sources whose types are not known, or not those of the store.
class SourceReaderTest {
  @TempDir Path folder = Path.of("");

  private void write(String file, String text) throws IOException {
    Path path = folder.resolve(file);
    Files.createDirectories(Objects.requireNonNull(path.getParent()));
    Files.writeString(path, text);
  }

  private TableGraph read(GraphSchema schema) {
    return Tables.read(schema, folder, TableOptions.DEFAULT);
  }

  private void refused(GraphSchema schema, String message) {
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> read(schema).close())
        .withMessage(message);
  }

  private static VertexTable vertices(String source, Map<String, Encoding> features) {
    return new VertexTable("v", TableSource.parse(source), "id", null, null, null, features);
  }

  private static EdgeTable edges(String source) {
    return new EdgeTable("e", TableSource.parse(source), "s", "t", null);
  }

  private static double feature(GraphData d, int v, String name) {
    int f = Objects.requireNonNull(d.featureNames()).indexOf(name);
    assertThat(f).as(name).isNotNegative();
    DenseMatrix x = ((Features.Dense) d.features()).x();
    return x.get(v, f);
  }

  private static Map<String, Encoding> categories(String... columns) {
    Map<String, Encoding> features = new LinkedHashMap<>();
    for (String column : columns) {
      features.put(column, new Encoding.Categorical(Encoding.Categorical.USUAL));
    }
    return features;
  }

  /// In a new file, the values of a column may all be whole numbers, or names of truth values.
  @ParameterizedTest
  @ValueSource(strings = {"v.csv", "v/*.csv"})
  void valuesOfCsvFilesAreWhatIsWritten(String source) throws IOException {
    String training =
        "id,size,code,sex,note\na,1,007,F,1.50\nb,1.5,A12,M,x\nc,2,007,F,x\nd,2,B1,M,x\n";
    write("v.csv", training);
    write("v/1.csv", training);
    write("v/2.csv", "id,size,code,sex,note\ne,1,007,F,1\n");
    write("e.csv", "s,t,kind\na,b,1\nb,c,2.5\n");
    write("new.csv", "id,size,code,sex,note\nm,1,007,F,1.50\nn,2,007,F,1\n");
    write("links.csv", "s,t,kind\nm,n,1\n");
    Map<String, Encoding> features = categories("size", "code", "sex");
    features.put("note", new Encoding.Text(8));
    GraphSchema schema =
        Shop.schema(vertices(source, features), edges("e.csv").withTypes("kind", List.of()));
    try (TableGraph trained = read(schema);
        TableGraph other =
            read(
                Tables.like(
                        trained.fitted(), "new", folder, List.of("new.csv"), List.of("links.csv"))
                    .schema())) {
      GraphData d = other.data();
      assertThat(d.featureNames())
          .isEqualTo(trained.data().featureNames())
          .startsWith("size=1", "size=1.5", "size=2", "size other", "code=007");
      assertThat(feature(d, 0, "size=1")).isEqualTo(1);
      assertThat(feature(d, 1, "size=2")).isEqualTo(1);
      assertThat(feature(d, 0, "code=007")).isEqualTo(1);
      assertThat(feature(d, 0, "sex=F")).isEqualTo(1);
      for (int i = 0; i < 8; i++) {
        String word = "note words[%d]".formatted(i);
        assertThat(feature(d, 0, word)).isEqualTo(feature(trained.data(), 0, word));
      }
      assertThat(Objects.requireNonNull(d.types()).edges()).containsExactly("1", "2.5");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"v.csv", "v/*.csv"})
  void decimalCommasAreNumbers(String source) throws IOException {
    String text = "id;Umsatz in €;Rabatt;n;note\na;3548,83;1,5;3;x\nb;-7,25;;4;y\n";
    write("v.csv", text);
    write("v/1.csv", text);
    write("v/2.csv", "id;Umsatz in €;Rabatt;n;note\nc;12;2,5;5;z\n");
    write("e.csv", "s;t;w\na;b;0,5\nb;a;2\n");
    Encoding plain = new Encoding.Numeric(Encoding.Scale.NONE);
    Map<String, Encoding> features = new LinkedHashMap<>();
    for (String column : List.of("Umsatz in €", "Rabatt", "n")) {
      features.put(column, plain);
    }
    EdgeTable edges = new EdgeTable("e", TableSource.parse("e.csv"), "s", "t", "w");
    try (TableGraph graph = read(Shop.schema(vertices(source, features), edges))) {
      GraphData d = graph.data();
      assertThat(feature(d, 0, "Umsatz in €")).isEqualTo(3548.83f);
      assertThat(feature(d, 1, "Umsatz in €")).isEqualTo(-7.25f);
      assertThat(feature(d, 0, "Rabatt")).isEqualTo(1.5f);
      assertThat(feature(d, 1, "n")).isEqualTo(4);
      assertThat(d.adjacency().value(0)).isEqualTo(2.5f);
    }
  }

  /// Commas between values are none in numbers, and a column may have both signs.
  @Test
  void commasThatAreNoDecimalsAreLeft() throws IOException {
    write("v.csv", "id;x;y\na;1.5;1,5\nb;2.5;2.5\n");
    write("e.csv", "s,t\na,b\n");
    Map<String, Encoding> features = new LinkedHashMap<>();
    features.put("x", new Encoding.Numeric(Encoding.Scale.NONE));
    features.putAll(categories("y"));
    try (TableGraph graph = read(Shop.schema(vertices("v.csv", features), edges("e.csv")))) {
      assertThat(feature(graph.data(), 1, "x")).isEqualTo(2.5f);
      assertThat(feature(graph.data(), 0, "y=1,5")).isEqualTo(1);
    }
  }

  @Test
  void textInAnotherEncodingIsRefused() throws IOException {
    write("e.csv", "s,t\na,b\n");
    GraphSchema schema = Shop.schema(vertices("v.csv", Map.of()), edges("e.csv"));
    String text = "id;Stadt\na;München\nb;Köln\n";
    Files.writeString(folder.resolve("v.csv"), text, Charset.forName("windows-1252"));
    refused(
        schema,
        "v.csv: line 2: expected text in UTF-8, found other bytes; convert it: iconv -f WINDOWS-1252 -t UTF-8, or from what it is in");
    Files.writeString(folder.resolve("v.csv"), "\ufeff" + text, StandardCharsets.UTF_16LE);
    refused(
        schema,
        folder.resolve("v.csv")
            + ": expected text in UTF-8, found UTF-16; convert it: iconv -f UTF-16 -t UTF-8");
  }

  /// Classes that are whole numbers are in the order of numbers; a column that is read in two ways
  /// has the type that its values show.
  @Test
  void classesOfCsvFilesAreWhatIsWritten() throws IOException {
    write("v.csv", "id,y,part\na,10,train\nb,2,test\nc,1,train\nd,,\n");
    write("e.csv", "s,t,w\na,b,1\nb,c,2\n");
    Map<String, Encoding> number = Map.of("y", new Encoding.Numeric(Encoding.Scale.NONE));
    for (Map<String, Encoding> features : List.of(Map.<String, Encoding>of(), number)) {
      VertexTable table =
          new VertexTable("v", new TableSource.Files("v.csv"), "id", "y", "part", null, features);
      EdgeTable edges =
          new EdgeTable("e", new TableSource.Files("e.csv"), "s", "t", "w")
              .withTypes("w", List.of());
      try (TableGraph graph = read(Shop.schema(table, edges))) {
        assertThat(graph.data().info().classNames()).containsExactly("1", "2", "10");
        assertThat(graph.data().labels()).containsExactly(2, 1, 0, GraphData.UNLABELLED);
        assertThat(graph.data().split()).containsExactly(1, 3, 1, 0);
        assertThat(Objects.requireNonNull(graph.data().types()).edges()).containsExactly("1", "2");
      }
    }
  }

  /// The database examines a part only unless it is told otherwise.
  @Tag("slow")
  @Test
  void aFractionBehindManyWholeNumbersOfAJsonFileIsExact() throws IOException {
    StringBuilder rows = new StringBuilder();
    IntStream.range(0, 250_000).forEach(i -> rows.append("{\"id\": %d, \"x\": 1}%n".formatted(i)));
    write("v/a.jsonl", rows + "{\"id\": 250000, \"x\": 1.4}\n");
    IntStream.range(0, 40)
        .forEach(i -> {
          try {
            write("v/b%02d.jsonl".formatted(i), "{\"id\": %d, \"x\": 2}%n".formatted(300_000 + i));
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    write("v/c.jsonl", "{\"id\": 400000, \"x\": 2.4, \"other\": 1}\n");
    write("e.csv", "s,t\n1,2\n");
    Map<String, Encoding> features = Map.of("x", new Encoding.Numeric(Encoding.Scale.NONE));
    try (TableGraph graph = read(Shop.schema(vertices("v", features), edges("e.csv")))) {
      assertThat(feature(graph.data(), 250_000, "x")).isEqualTo(1.4f);
      assertThat(feature(graph.data(), 250_041, "x")).isEqualTo(2.4f);
    }
  }

  /// The database examines a few files at once; the last ones have other values than the first.
  @Test
  void columnsOfManyJsonFilesHaveATypeForAllValues() throws IOException {
    for (int i = 0; i < 9; i++) {
      write(
          "v/%d.jsonl".formatted(i),
          """
          {"id": %d, "late": null, "size": %d, "on": "2024-01-0%d", "at": "2024-01-01", "good": true, "any": 1}
          """
              .formatted(i, i, i + 1));
    }
    write(
        "v/9.jsonl",
        """
        {"id": 9, "late": 2.5, "size": 0.5, "on": "never", "at": "2024-01-02 12:00:00", "good": 7, "any": "x", "new": 3}
        """);
    try (TableStore store = TableStore.open(folder, TableOptions.DEFAULT)) {
      SourceRows rows =
          new SourceReader(store, folder).rows(new TableSource.Files("v"), "v", ColumnRoles.NONE);
      assertThat(rows.columns())
          .containsExactly(
              new Column("id", "BIGINT"),
              new Column("late", "DOUBLE"),
              new Column("size", "DOUBLE"),
              new Column("on", "VARCHAR"),
              new Column("at", "VARCHAR"),
              new Column("good", "JSON"),
              new Column("any", "JSON"),
              new Column("new", "BIGINT"));
      assertThat(store.number("SELECT count(*) FROM %s WHERE size < 9".formatted(rows.relation())))
          .isEqualTo(10);
    }
  }

  private String database(String... statements) throws SQLException {
    List<String> all = new ArrayList<>();
    all.add("ATTACH 'FOLDER/in.db' AS d");
    all.addAll(List.of(statements));
    all.add("DETACH d");
    Shop.sql(folder, all.toArray(String[]::new));
    return "jdbc:duckdb:" + folder.resolve("in.db") + " ";
  }

  /// Two numbers above 2 to the 53rd, which are one as fractions.
  @Test
  void decimalNumbersOfDatabasesAreExactIds() throws SQLException {
    String database =
        database(
            "CREATE TABLE d.v (id DECIMAL(38,0), short DECIMAL(9,0), price DECIMAL(9,2))",
            "INSERT INTO d.v VALUES (9007199254740992, 7, 1.50), (9007199254740993, 8, 2), (5, 9, 2)",
            "CREATE TABLE d.e (s BIGINT, t DECIMAL(38,3))",
            "INSERT INTO d.e VALUES (9007199254740993, 5.000)");
    Map<String, Encoding> features = categories("short", "price");
    GraphSchema schema =
        Shop.schema(
            vertices(database + "select * from v", features), edges(database + "select * from e"));
    try (TableGraph graph = read(schema)) {
      assertThat(graph.data().vertexNames())
          .containsExactly("9007199254740992", "9007199254740993", "5");
      assertThat(graph.data().adjacency().column(0)).isEqualTo(2);
      assertThat(graph.data().featureNames()).contains("short=7", "price=1.5", "price=2");
    }
    SchemaProposal proposal =
        Tables.propose(
            "p",
            folder,
            List.of(database + "select * from v"),
            List.of(database + "select * from e"));
    assertThat(proposal.schema().vertices().getFirst().id()).isEqualTo("id");
    assertThat(proposal.schema().vertices().getFirst().features())
        .containsEntry("price", new Encoding.Numeric(Encoding.Scale.STANDARD));
  }

  /// In Berlin there is no half past two of this night in spring, and two of it in autumn.
  @Test
  void timesOfDatabasesDoNotDependOnTheZoneOfThisMachine() throws SQLException {
    String database =
        database(
            "CREATE TABLE d.e (s VARCHAR, t VARCHAR, local TIMESTAMP, zoned TIMESTAMPTZ, day DATE)",
            "INSERT INTO d.e VALUES"
                + " ('a', 'b', '2024-03-31 02:30:00', '2024-10-26 22:30:00+00', '2024-03-31'),"
                + " ('b', 'c', '2024-10-27 02:30:00', '2024-10-27 05:30:00+02', '2024-10-27')");
    TimeZone usual = TimeZone.getDefault();
    TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
    try {
      assertThat(times(database, "local")).containsExactly("2024-03-31T02:30", "2024-10-27T02:30");
      assertThat(times(database, "zoned")).containsExactly("2024-10-26T22:30", "2024-10-27T03:30");
      assertThat(times(database, "day")).containsExactly("2024-03-31", "2024-10-27");
    } finally {
      TimeZone.setDefault(usual);
    }
  }

  private List<String> times(String database, String column) {
    GraphSchema schema =
        new GraphSchema(
            "e",
            List.of(),
            List.of(edges(database + "select * from e").withTime(column)),
            true,
            Handling.ADD,
            SplitRule.DEFAULT,
            List.of(),
            Task.CLASSIFICATION);
    try (TableGraph graph = read(schema)) {
      EdgeTimes times = Objects.requireNonNull(graph.data().times());
      return IntStream.range(0, 2).mapToObj(e -> times.text(times.of(e))).toList();
    }
  }

  /// Ids of a column of unsigned numbers are those of a column of others.
  @Test
  void unsignedIdsMayBeAboveThoseWithASign() throws SQLException {
    Shop.sql(
        folder,
        "COPY (SELECT unnest([18446744073709551615, 7, 0])::UBIGINT AS id) TO 'FOLDER/v.parquet'",
        "COPY (SELECT 7::BIGINT AS s, 18446744073709551615::UBIGINT AS t) TO 'FOLDER/e.parquet'");
    try (TableGraph graph =
        read(Shop.schema(vertices("v.parquet", Map.of()), edges("e.parquet")))) {
      assertThat(graph.data().vertexNames()).containsExactly("18446744073709551615", "7", "0");
      assertThat(graph.data().adjacency().column(0)).isEqualTo(1);
    }
  }

  /// A model of the first file would read the second by another order of day and month.
  @Test
  void datesThatCanBeReadInTwoWaysAreRefused() throws IOException {
    write("v.csv", "id,day\na,02/13/2024\nb,02/03/2024\n");
    write("e.csv", "s,t\na,b\n");
    Map<String, Encoding> dates = Map.of("day", new Encoding.Dates());
    try (TableGraph trained = read(Shop.schema(vertices("v.csv", dates), edges("e.csv")))) {
      write("new.csv", "id,day\na,02/02/2024\nb,03/04/2024\nc,\n");
      GraphSchema like =
          Tables.like(trained.fitted(), "new", folder, List.of("new.csv"), List.of("e.csv"))
              .schema();
      refused(
          like,
          folder.resolve("new.csv")
              + ": column day: expected dates that can be read in one way, found such as '03/04/2024' only; write them as 2024-12-31, or read them by a query with strptime");
      write("new.csv", "id,day\na,2024-02-13\nb,2024-03-04\n");
      try (TableGraph other = read(like)) {
        assertThat(feature(other.data(), 0, "day elapsed"))
            .isEqualTo(feature(trained.data(), 0, "day elapsed"));
      }
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({
    "03/04/2024 10:00:00, true",
    "13/04/2024 10:00:00, false",
    "03-04-24, true",
    "13-04-24, true",
    "13-04-99, false",
    "2024-03-04 10:00:00, false",
    "05.05.2024, false",
  })
  void eachFileSaysTheOrderOfItsDates(String date, boolean refused) throws IOException {
    write("v.csv", "id\na\nb\n");
    write("e/1.csv", "s,t,at\na,b,2024-05-06\n");
    write("e/2.csv", "s,t,at\nb,a,%s\n".formatted(date));
    GraphSchema schema = Shop.schema(vertices("v.csv", Map.of()), edges("e/*.csv").withTime("at"));
    if (refused) {
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> read(schema).close())
          .withMessageStartingWith(
              folder.resolve("e/2.csv")
                  + ": column at: expected dates that can be read in one way, found such as '"
                  + date);
    } else {
      read(schema).close();
    }
  }

  @Test
  void anyFoldersMayBeNone() throws IOException {
    write("v.csv", "id\na\nb\nc\n");
    write("e/1.csv", "s,t\na,b\n");
    write("e/x/y/2.csv", "s,t\nb,c\n");
    write("f/x/3.csv", "s,t\na,c\n");
    Map<String, Integer> patterns =
        Map.of(
            "e/**/*.csv",
            2,
            "**/[12].csv",
            2,
            "{e,f}/**/*.csv",
            3,
            "e/**/y/*.csv",
            1,
            "e/*.csv",
            1);
    patterns.forEach((pattern, count) -> {
      try (TableGraph graph = read(Shop.schema(vertices("v.csv", Map.of()), edges(pattern)))) {
        assertThat(graph.data().edges()).as(pattern).isEqualTo(count.longValue());
      }
    });
  }

  /// Nothing shows the type of a column without values.
  @Test
  void columnsWithoutValuesAreMissingValues() throws IOException {
    write("v.csv", "id,x,day,q\na,1,2024-01-01,1\nb,3,2024-01-03,2\n");
    write("e.csv", "s,t,w,kind,z\na,b,2,pays,1.5\n");
    Map<String, Encoding> features = new LinkedHashMap<>();
    features.put("x", new Encoding.Numeric(Encoding.Scale.STANDARD));
    features.put("day", new Encoding.Dates());
    features.put("q", new Encoding.Numeric(Encoding.Scale.QUANTILES));
    EdgeTable edges =
        new EdgeTable("e", new TableSource.Files("e.csv"), "s", "t", "w")
            .withTypes("kind", List.of())
            .withFeatures(Map.of("z", new Encoding.Numeric(Encoding.Scale.NONE)));
    write("new.csv", "id,x,day,q\nm,,,\n");
    write("none.csv", "s,t,w,kind,z\n");
    try (TableGraph trained = read(Shop.schema(vertices("v.csv", features), edges));
        TableGraph other =
            read(
                Tables.like(
                        trained.fitted(), "new", folder, List.of("new.csv"), List.of("none.csv"))
                    .schema())) {
      GraphData d = other.data();
      assertThat(d.featureNames()).isEqualTo(trained.data().featureNames());
      assertThat(feature(d, 0, "x")).isZero();
      assertThat(feature(d, 0, "day elapsed")).isZero();
      assertThat(d.edges()).isZero();
      GraphTypes types = d.types();
      assertThat(types == null ? List.of("pays") : types.edges()).containsExactly("pays");
    }
    try (TableGraph fitted = read(Shop.schema(vertices("new.csv", features), edges("none.csv")))) {
      assertThat(feature(fitted.data(), 0, "x missing")).isEqualTo(1);
      assertThat(feature(fitted.data(), 0, "day missing")).isEqualTo(1);
    }
    refused(
        Shop.schema(vertices("v.csv", Map.of()), edges("none.csv").withTypes("kind", List.of())),
        "none.csv: column kind: expected 1 to 32 types of edges, found none; join some by a query");
  }

  private static EdgeTable unnamed(String source) {
    return new EdgeTable("e", TableSource.parse(source), "column0", "column1", null);
  }

  @Test
  void theOnlyRowOfAFileWithoutNamesIsARow() throws IOException {
    write("v.csv", "id\n5\n7\n");
    write("e.csv", "5,7\n");
    try (TableGraph graph = read(Shop.schema(vertices("v.csv", Map.of()), unnamed("e.csv")))) {
      assertThat(graph.data().edges()).isEqualTo(1);
    }
  }

  @Test
  void severalFilesMayHaveNamesAlone() throws IOException {
    write("v.csv", "id\na\nb\n");
    write("e/1.csv", "s,t,w\na,b,2\n");
    write("e/2.csv", "s,t,w\n");
    write("none/1.csv", "s,t,w\n");
    write("none/2.csv", "s,t,w\n");
    EdgeTable weighted = new EdgeTable("e", TableSource.parse("e/*.csv"), "s", "t", "w");
    try (TableGraph graph = read(Shop.schema(vertices("v.csv", Map.of()), weighted))) {
      assertThat(graph.data().edges()).isEqualTo(1);
      assertThat(graph.data().adjacency().value(0)).isEqualTo(2);
    }
    try (TableGraph graph = read(Shop.schema(vertices("v.csv", Map.of()), edges("none/*.csv")))) {
      assertThat(graph.data().edges()).isZero();
    }
  }

  /// Ids above 64 bits are proposed, and columns of such numbers are still numbers.
  @Test
  void wholeNumbersOfDatabasesMayHaveMoreThan64Bits() throws SQLException {
    String database =
        database(
            "CREATE TABLE d.v (id DECIMAL(38,0), paid DECIMAL(38,0))",
            "INSERT INTO d.v VALUES (18446744073709551616, 10000000000000000000),"
                + " (18446744073709551617, 10000000000000000000), (5, 1), (6, 1)",
            "CREATE TABLE d.e (s DECIMAL(38,0), t DECIMAL(38,0))",
            "INSERT INTO d.e VALUES (18446744073709551617, 5), (18446744073709551616, 6)");
    GraphSchema schema =
        Tables.propose(
                "p",
                folder,
                List.of(database + "select * from v"),
                List.of(database + "select * from e"))
            .schema();
    assertThat(schema.vertices().getFirst().id()).isEqualTo("id");
    assertThat(schema.vertices().getFirst().features())
        .containsEntry("paid", new Encoding.Numeric(Encoding.Scale.STANDARD));
    try (TableGraph graph = read(schema)) {
      assertThat(graph.data().edges()).isEqualTo(2);
    }
  }

  /// What is wrong with a file is said of its values, not of options of ours.
  @Tag("slow")
  @Test
  void aDamagedFileWithUnclearDatesIsNamed() throws IOException {
    write("v.csv", "id\na\nb\n");
    write("e.csv", "s,t,at\n" + "a,b,03/04/2024\n".repeat(300_000) + "a,b,c,d,e\n");
    GraphSchema schema = Shop.schema(vertices("v.csv", Map.of()), edges("e.csv").withTime("at"));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> read(schema).close())
        .withMessageStartingWith("e.csv: ");
  }
}
