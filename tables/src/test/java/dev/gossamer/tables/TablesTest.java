package dev.gossamer.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.Task;
import dev.gossamer.graph.format.Datasets;
import dev.gossamer.graph.format.Fingerprint;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.tables.Tables.TableOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TablesTest {
  private static final Map<String, Encoding> ALL = all();

  @TempDir Path folder = Path.of("");

  private static Map<String, Encoding> all() {
    Map<String, Encoding> all = new LinkedHashMap<>();
    all.put("balance", new Encoding.Numeric(Encoding.Scale.STANDARD));
    all.put("country", new Encoding.Categorical(Encoding.Categorical.USUAL));
    all.put("opened", new Encoding.Dates());
    all.put("note", new Encoding.Text(8));
    return all;
  }

  @BeforeEach
  void writeTables() throws IOException {
    Shop.write(folder);
  }

  private TableGraph read(GraphSchema schema) {
    return Tables.read(schema, folder, TableOptions.DEFAULT);
  }

  @Test
  void readsIdsEdgesClassesAndParts() {
    try (TableGraph graph = read(Shop.schema(Map.of()))) {
      GraphData d = graph.data();
      assertThat(d.vertexNames()).containsExactly("007", "011", "a3", "a4", "a5", "a6");
      assertThat(d.info().classNames()).containsExactly("broker", "shop");
      assertThat(d.labels()).containsExactly(1, 1, 0, 0, GraphData.UNLABELLED, 1);
      assertThat(d.split())
          .containsExactly(
              Split.TRAIN.code(),
              Split.TRAIN.code(),
              Split.TRAIN.code(),
              Split.VALIDATION.code(),
              Split.NONE.code(),
              Split.TEST.code());
      assertThat(d.edges()).isEqualTo(6);
      CsrMatrix a = d.adjacency();
      assertThat(a.rowLength(0)).isEqualTo(2);
      assertThat(List.of(a.column(0), a.column(1))).containsExactly(1, 5);
      assertThat(List.of(a.value(0), a.value(1))).containsExactly(1.5f, 6f);
      assertThat(d.hasFeatures()).isFalse();
      assertThat(graph.report().tables())
          .containsExactly(
              new ImportReport.Rows("accounts", 6), new ImportReport.Rows("payments", 6));
    }
  }

  /// The values by hand: mean and deviation of 10 and 20, the training values, are 15 and 5.
  @Test
  void featuresAreFittedToTrainingVertices() {
    try (TableGraph graph = read(Shop.schema(ALL))) {
      GraphData d = graph.data();
      List<String> names = List.copyOf(d.featureNames());
      DenseMatrix x = ((Features.Dense) d.features()).x();
      assertThat(column(x, names, "balance")).containsExactly(-1, 1, 0, 5, 7, 9);
      assertThat(column(x, names, "balance missing")).containsExactly(0, 0, 1, 0, 0, 0);
      assertThat(column(x, names, "country=DE")).containsExactly(1, 1, 0, 0, 0, 1);
      assertThat(column(x, names, "country=FR")).containsExactly(0, 0, 1, 0, 0, 0);
      assertThat(names).as("no training vertex has it").doesNotContain("country=US");
      assertThat(column(x, names, "country other")).containsExactly(0, 0, 0, 1, 0, 0);
      assertThat(column(x, names, "country missing")).containsExactly(0, 0, 0, 0, 1, 0);
      double deviation = Math.sqrt(2.0 / 3);
      double[] elapsed = column(x, names, "opened elapsed");
      for (int v = 0; v < 5; v++) {
        assertThat(elapsed[v]).isCloseTo((v - 1) / deviation, within(1e-6));
      }
      // 1970-01-01 was a Thursday, 2024-01-01 a Monday: four days into the week.
      assertThat(column(x, names, "opened sin of week")[0])
          .isCloseTo(Math.sin(2 * Math.PI * 4 / 7), within(1e-6));
      assertThat(column(x, names, "opened missing")).containsExactly(0, 0, 0, 0, 0, 1);
      double[] lengths = new double[6];
      for (int f = names.indexOf("note words[0]"); f < names.indexOf("note words[0]") + 8; f++) {
        for (int v = 0; v < 6; v++) {
          lengths[v] += (double) x.get(v, f) * x.get(v, f);
        }
      }
      for (int v = 0; v < 6; v++) {
        assertThat(lengths[v]).isCloseTo(v == 3 ? 0 : 1, within(1e-6));
      }
    }
  }

  /// A model refuses features of another definition.
  @Tag("slow")
  @Test
  void otherTrainingValuesAreAnotherDefinition() throws IOException {
    String definition = definition();
    assertThat(definition()).isEqualTo(definition);
    Files.writeString(folder.resolve("accounts.csv"), Shop.ACCOUNTS.replace(",60,", ",61,"));
    assertThat(definition()).as("a test vertex").isEqualTo(definition);
    Files.writeString(folder.resolve("accounts.csv"), Shop.ACCOUNTS.replace(",20,", ",21,"));
    assertThat(definition()).as("a training vertex").isNotEqualTo(definition);
  }

  private String definition() {
    try (TableGraph graph = read(Shop.schema(ALL))) {
      return String.valueOf(graph.data().info().provenance().get(GraphData.Info.DEFINITION));
    }
  }

  private static double[] column(DenseMatrix x, List<String> names, String name) {
    int f = names.indexOf(name);
    assertThat(f).as(name).isNotNegative();
    return IntStream.range(0, (int) x.rows()).mapToDouble(v -> x.get(v, f)).toArray();
  }

  @Test
  void quantilesRankAmongTrainingVertices() {
    GraphSchema schema =
        Shop.schema(Map.of("balance", new Encoding.Numeric(Encoding.Scale.QUANTILES)));
    try (TableGraph graph = read(schema)) {
      DenseMatrix x = ((Features.Dense) graph.data().features()).x();
      double[] ranks = column(x, List.copyOf(graph.data().featureNames()), "balance");
      assertThat(ranks).as("of 10 and 20").containsExactly(-0.5, 0.5, 0, 1, 1, 1);
    }
  }

  @Test
  void moreValuesThanTheLimitAreHashed() {
    GraphSchema schema = Shop.schema(Map.of("note", new Encoding.Categorical(2)));
    try (TableGraph graph = read(schema)) {
      assertThat(graph.data().featureNames())
          .containsExactly("note hash[0]", "note hash[1]", "note missing");
      DenseMatrix x = ((Features.Dense) graph.data().features()).x();
      for (int v = 0; v < 6; v++) {
        assertThat(x.get(v, 0) + x.get(v, 1) + x.get(v, 2)).isEqualTo(1);
      }
    }
  }

  @Test
  void listsBecomeTheirElements() throws IOException {
    Files.writeString(
        folder.resolve("lists.jsonl"),
        """
        {"id": "007", "v": [1, 2.5]}
        {"id": "011", "v": null}
        """);
    GraphSchema schema =
        new GraphSchema(
            "lists",
            List.of(
                new VertexTable(
                    "lists",
                    new TableSource.Files("lists.jsonl"),
                    "id",
                    null,
                    null,
                    null,
                    Map.of("v", new Encoding.Numbers()))),
            List.of(Shop.payments("payments.csv")),
            false,
            new Handling(
                Handling.Dangling.DROP, Handling.Duplicates.REFUSE, Handling.Missing.REFUSE),
            SplitRule.DEFAULT,
            List.of(),
            Task.CLASSIFICATION);
    try (TableGraph graph = read(schema)) {
      assertThat(graph.data().featureNames()).containsExactly("v[0]", "v[1]", "v missing");
      DenseMatrix x = ((Features.Dense) graph.data().features()).x();
      assertThat(List.of(x.get(0, 0), x.get(0, 1), x.get(0, 2))).containsExactly(1f, 2.5f, 0f);
      assertThat(List.of(x.get(1, 0), x.get(1, 1), x.get(1, 2))).containsExactly(0f, 0f, 1f);
      assertThat(graph.report().dangling()).isEqualTo(5);
      assertThat(graph.data().edges()).isEqualTo(1);
      assertThat(graph.data().info().provenance()).containsEntry("dropped", "5 dangling edges");
    }
  }

  /// CSV, JSON lines, Parquet, packed and in pieces, by a query and by another database: one graph.
  @Test
  void theSameTablesGiveTheSameGraph() throws SQLException {
    String accounts = "SELECT * FROM read_csv('FOLDER/accounts.csv', types = {'id': 'VARCHAR'})";
    String payments =
        "SELECT * FROM read_csv('FOLDER/payments.csv', types = {'sender': 'VARCHAR', 'receiver': 'VARCHAR'})";
    Shop.sql(
        folder,
        "COPY (" + accounts + ") TO 'FOLDER/a.parquet'",
        "COPY (" + payments + ") TO 'FOLDER/p.parquet'",
        "COPY (" + accounts + ") TO 'FOLDER/a.jsonl.gz' (FORMAT json, COMPRESSION gzip)",
        "COPY (" + payments + " LIMIT 2) TO 'FOLDER/p-1.tsv' (DELIMITER '\t')",
        "COPY ("
            + payments
            + " OFFSET 2) TO 'FOLDER/p-2.tsv.zst' (FORMAT csv, DELIMITER '\t', COMPRESSION zstd)",
        "ATTACH 'FOLDER/shop.db' AS shop",
        "CREATE TABLE shop.accounts AS " + accounts,
        "CREATE TABLE shop.payments AS " + payments,
        "DETACH shop");
    String database = "jdbc:duckdb:" + folder.resolve("shop.db");
    List<GraphSchema> schemas =
        List.of(
            Shop.schema(ALL),
            Shop.schema(Shop.accounts("a.parquet", ALL), Shop.payments("p.parquet")),
            Shop.schema(Shop.accounts("a.jsonl.gz", ALL), Shop.payments("p-*.tsv*")),
            sources(
                TableSource.parse("sql: select * from 'a.parquet'"),
                TableSource.parse("sql: select * from 'p.parquet';")),
            sources(
                TableSource.parse(database + " select * from accounts"),
                TableSource.parse(database + " select * from payments")));
    String expected = fingerprint(schemas.getFirst());
    for (GraphSchema schema : schemas) {
      assertThat(fingerprint(schema))
          .as("%s", schema.vertices().getFirst().source())
          .isEqualTo(expected);
    }
  }

  private static GraphSchema sources(TableSource accounts, TableSource payments) {
    return Shop.schema(
        new VertexTable("accounts", accounts, "id", "kind", "fold", null, ALL),
        new EdgeTable("payments", payments, "sender", "receiver", "amount"));
  }

  private String fingerprint(GraphSchema schema) {
    try (TableGraph graph = read(schema)) {
      return Fingerprint.of(graph.data());
    }
  }

  @Test
  void aSchemaIsADataSet() {
    new SchemaFile(Shop.schema(ALL), folder).write(folder.resolve("graph.yaml"));
    try (GraphData d = Datasets.open(folder.resolve("graph.yaml"))) {
      assertThat(d.name()).isEqualTo("shop");
      assertThat(Fingerprint.of(d)).isEqualTo(fingerprint(Shop.schema(ALL)));
    }
  }

  @Test
  void twoTablesOfVerticesHaveTheirOwnFeatures() throws IOException {
    Files.writeString(folder.resolve("goods.csv"), "id,price,colour\ng1,300,red\ng2,500,blue\n");
    Files.writeString(folder.resolve("bought.csv"), "who,what\n007,g1\na3,g2\n");
    Map<String, Encoding> ofGoods = new LinkedHashMap<>();
    ofGoods.put("price", new Encoding.Numeric(Encoding.Scale.STANDARD));
    ofGoods.put("colour", new Encoding.Categorical(Encoding.Categorical.USUAL));
    VertexTable goods =
        new VertexTable(
            "goods", new TableSource.Files("goods.csv"), "id", null, null, null, ofGoods);
    GraphSchema schema =
        new GraphSchema(
            "shop",
            List.of(
                Shop.accounts(
                    "accounts.csv", Map.of("balance", new Encoding.Numeric(Encoding.Scale.NONE))),
                goods),
            List.of(
                Shop.payments("payments.csv"),
                new EdgeTable("bought", new TableSource.Files("bought.csv"), "who", "what", null)),
            false,
            Handling.REFUSE,
            SplitRule.DEFAULT,
            List.of(),
            Task.CLASSIFICATION);
    try (TableGraph graph = read(schema)) {
      GraphData d = graph.data();
      assertThat(d.vertices()).isEqualTo(8);
      assertThat(d.edges()).isEqualTo(8);
      assertThat(d.featureNames())
          .containsExactly(
              "accounts.balance",
              "accounts.balance missing",
              "goods.price",
              "goods.colour=blue",
              "goods.colour=red",
              "goods.colour other",
              "is accounts",
              "is goods");
      DenseMatrix x = ((Features.Dense) d.features()).x();
      List<String> names = List.copyOf(d.featureNames());
      // None of them is a training vertex, so all count.
      assertThat(column(x, names, "goods.price")).containsExactly(0, 0, 0, 0, 0, 0, -1, 1);
      assertThat(column(x, names, "goods.colour=red")).containsExactly(0, 0, 0, 0, 0, 0, 1, 0);
      assertThat(column(x, names, "is goods")).containsExactly(0, 0, 0, 0, 0, 0, 1, 1);
    }
  }

  /// A pair of vertices may have edges of two types: 007 pays 011, which knows it.
  @Test
  void typesOfVerticesAndEdgesAreKept() throws IOException {
    Files.writeString(folder.resolve("goods.csv"), "id\ng1\ng2\n");
    Files.writeString(folder.resolve("knows.csv"), "a,b\n011,007\na3,g2\n007,a3\n");
    GraphSchema plain = Shop.schema(Map.of());
    List<VertexTable> vertices = new ArrayList<>(plain.vertices());
    vertices.add(
        new VertexTable(
            "goods", new TableSource.Files("goods.csv"), "id", null, null, null, Map.of()));
    List<EdgeTable> edges = new ArrayList<>(plain.edges());
    edges.add(new EdgeTable("knows", new TableSource.Files("knows.csv"), "a", "b", null));
    try (TableGraph graph = read(plain.withTables(vertices, edges))) {
      GraphData d = graph.data();
      GraphTypes types = Objects.requireNonNull(d.types());
      assertThat(types.vertices())
          .containsExactly(
              new GraphTypes.OfVertices("accounts", 6), new GraphTypes.OfVertices("goods", 2));
      assertThat(types.edges()).containsExactly("payments", "knows");
      assertThat(IntStream.range(0, 8).map(types::ofVertex))
          .containsExactly(0, 0, 0, 0, 0, 0, 1, 1);
      CsrMatrix a = d.adjacency();
      List<String> found = new ArrayList<>();
      for (int v = 0; v < 8; v++) {
        for (long e = a.rowPointer(v); e < a.rowPointer(v + 1); e++) {
          found.add(
              v
                  + " "
                  + a.column(e)
                  + (types.has(e, 0) ? " pays" : "")
                  + (types.has(e, 1) ? " knows" : ""));
        }
      }
      assertThat(found)
          .containsExactly(
              "0 1 pays knows",
              "0 2 knows",
              "0 5 pays",
              "1 0 pays knows",
              "1 2 pays",
              "2 0 knows",
              "2 1 pays",
              "2 3 pays",
              "2 7 knows",
              "3 2 pays",
              "3 4 pays",
              "4 3 pays",
              "4 5 pays",
              "5 0 pays",
              "5 4 pays",
              "7 2 knows");
      assertThat(types.count(0, d)).isEqualTo(6);
      assertThat(types.count(1, d)).isEqualTo(3);
    }
  }

  @Test
  void danglingEndsBecomeVerticesIfAsked() throws IOException {
    Files.writeString(
        folder.resolve("payments.csv"), Shop.PAYMENTS + "a6,zz,1\nyy,zz,1\n007,007,1\n007,011,1\n");
    Handling add =
        new Handling(Handling.Dangling.ADD, Handling.Duplicates.REFUSE, Handling.Missing.REFUSE);
    try (TableGraph graph = read(Shop.schema(ALL).withHandling(add))) {
      assertThat(graph.data().vertexNames()).endsWith("a6", "yy", "zz");
      assertThat(graph.data().edges()).isEqualTo(8);
      assertThat(graph.report().dangling()).isEqualTo(2);
      assertThat(graph.report().selfLoops()).isEqualTo(1);
      assertThat(graph.report().merged()).isEqualTo(1);
      assertThat(graph.data().info().provenance())
          .containsEntry("dropped", "1 self loop")
          .containsEntry("added", "vertices of 2 dangling edges");
      DenseMatrix x = ((Features.Dense) graph.data().features()).x();
      List<String> names = List.copyOf(graph.data().featureNames());
      assertThat(column(x, names, "in no table")).containsExactly(0, 0, 0, 0, 0, 0, 1, 1);
      assertThat(graph.data().adjacency().value(0)).as("weights are added").isEqualTo(2.5f);
    }
  }

  @Test
  void theFirstOfDuplicatesCountsIfAsked() throws IOException {
    Files.writeString(
        folder.resolve("accounts.csv"),
        Shop.ACCOUNTS + "007,broker,1,DE,,x,test\n,shop,1,DE,,x,\n");
    Handling first =
        new Handling(Handling.Dangling.REFUSE, Handling.Duplicates.FIRST, Handling.Missing.DROP);
    try (TableGraph graph = read(Shop.schema(ALL).withHandling(first))) {
      assertThat(graph.data().vertices()).isEqualTo(6);
      assertThat(graph.data().labels()[0]).isEqualTo(1);
      assertThat(graph.report().duplicates()).isEqualTo(1);
      assertThat(graph.report().missing()).isEqualTo(1);
    }
  }

  @Test
  void idsThatAreNumbersNeedNoNames() throws SQLException {
    Shop.sql(
        folder,
        "COPY (SELECT i AS id FROM range(4) t(i)) TO 'FOLDER/v.parquet'",
        "COPY (SELECT i AS s, (i + 1) % 4 AS t FROM range(4) t(i)) TO 'FOLDER/e.parquet'");
    GraphSchema schema =
        Shop.schema(
            new VertexTable(
                "v", new TableSource.Files("v.parquet"), "id", null, null, null, Map.of()),
            new EdgeTable("e", new TableSource.Files("e.parquet"), "s", "t", null));
    try (TableGraph graph = read(schema)) {
      assertThat(graph.data().vertexNames()).isNull();
      assertThat(graph.data().edges()).isEqualTo(4);
      assertThat(graph.data().adjacency().values()).isNull();
    }
  }

  private TableGraph numbered(String prefix, String strange) throws IOException {
    StringBuilder vertices = new StringBuilder("id,kind\n");
    StringBuilder edges = new StringBuilder("s,t,w\n");
    for (int i = 0; i < 300; i++) {
      vertices.append("%s%d,%s%n".formatted(prefix, 100 - i * 7, i % 3 == 0 ? "a" : ""));
      edges.append(
          "%1$s%2$d,%1$s%3$d,%4$d%n".formatted(prefix, 100 - i * 7, 100 - i * i % 300 * 7, i % 5));
    }
    edges.append(strange);
    Files.writeString(folder.resolve("v.csv"), vertices);
    Files.writeString(folder.resolve("e.csv"), edges);
    return read(
        Shop.schema(
            new VertexTable(
                "v", new TableSource.Files("v.csv"), "id", "kind", null, null, Map.of()),
            new EdgeTable("e", new TableSource.Files("e.csv"), "s", "t", "w")));
  }

  /// Numbers are looked up in another way than texts.
  @Test
  void idsThatAreNumbersInTextsGiveTheSameGraphAsOtherTexts() throws IOException {
    try (TableGraph numbers = numbered("", "100,-1993,0.5\n");
        TableGraph texts = numbered("x", "x100,x-1993,0.5\n")) {
      CsrMatrix a = numbers.data().adjacency();
      CsrMatrix b = texts.data().adjacency();
      assertThat(a.nnz()).isEqualTo(b.nnz()).isGreaterThan(300);
      assertThat(a.columns().mismatch(b.columns())).isEqualTo(-1);
      assertThat(a.rowPointers().mismatch(b.rowPointers())).isEqualTo(-1);
      assertThat(Objects.requireNonNull(a.values()).mismatch(Objects.requireNonNull(b.values())))
          .isEqualTo(-1);
      assertThat(numbers.report()).isEqualTo(texts.report());
      assertThat(numbers.data().labels()).isEqualTo(texts.data().labels());
      assertThat(numbers.data().vertexNames()).startsWith("100", "93").endsWith("-1993");
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(strings = {"0100", "+100", "1e2", "100.0", " 100", "0x64", "1_00", "one"})
  void aNumberThatIsWrittenOtherwiseIsNoId(String id) {
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> numbered("", "93,%s,1%n".formatted(id)))
        .withMessageStartingWith(
            "e.csv: expected ends of edges among the ids of vertices, found 1 edge with others (such as %s)"
                .formatted(id));
  }

  /// The database knows the form of a file by a sample; what it says of the rest is not hidden.
  @Test
  void whatComesAfterTheSampleIsRefusedWithItsLine() throws IOException {
    StringBuilder vertices = new StringBuilder("id,x\n");
    for (int i = 0; i < 250_000; i++) {
      vertices.append(i).append(",1\n");
    }
    Files.writeString(folder.resolve("v.csv"), vertices.append("250000,many\n"));
    Files.writeString(folder.resolve("e.csv"), "s,t\n1,2\n");
    GraphSchema schema =
        Shop.schema(
            new VertexTable("v", new TableSource.Files("v.csv"), "id", null, null, null, Map.of()),
            new EdgeTable("e", new TableSource.Files("e.csv"), "s", "t", null));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> read(schema))
        .withMessage("v.csv: line 250002: column x: expected a whole number, found 'many'");
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "accounts.csv | `id,kind` | `key,kind` | accounts.csv: expected a column id, found key, kind",
        "accounts.csv | `a6,shop` | `007,shop` | accounts.csv: column id: expected each id once, found 1 row with the id of an earlier row (ids 007)",
        "accounts.csv | `a6,shop` | `,shop` | accounts.csv: column id: expected an id in every row, found 1 row without (rows 6)",
        "accounts.csv | `big,test` | `big,exam` | accounts.csv: column fold: row 6: expected train, validation, test or nothing, found exam",
        "accounts.csv | `,60,` | `,1e39,` | accounts.csv: column balance: row 6: expected a finite number, found 1.0E39",
        "accounts.csv | `,60,` | `,sixty,` | accounts.csv: column balance: row 6: expected a number, found sixty",
        "payments.csv | `a6,007` | `a6,zz` | payments.csv: expected ends of edges among the ids of vertices, found 1 edge with others (such as zz)",
        "payments.csv | `a6,007` | `a6,` | payments.csv: columns sender and receiver: expected both ends of every edge, found 1 row without (such as a6 to none)",
        "payments.csv | `,6` | `,` | payments.csv: column amount: expected a finite weight of every edge, found 1 without",
        "payments.csv | `,6` | `,six` | payments.csv: column amount: expected numbers as weights, found VARCHAR",
      })
  void whatDoesNotFitIsRefusedInALine(String file, String found, String wrong, String message)
      throws IOException {
    Path path = folder.resolve(file);
    String text = Files.readString(path);
    assertThat(text).contains(found);
    int at = text.lastIndexOf(found);
    Files.writeString(path, text.substring(0, at) + wrong + text.substring(at + found.length()));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> read(Shop.schema(ALL)))
        .withMessageStartingWith(message)
        .withMessageNotContaining("\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`sql: select * frm 'accounts.csv'` | sql: expected one SELECT, found: syntax error at or near \"'accounts.csv'\" (character 13)",
        "`sql: copy (select 1) to 'x.csv'` | sql: expected one SELECT, found: Only SELECT statements",
        "`sql: select 1; select 2` | sql: expected one SELECT, found 2 statements",
        "`sql: select nope from 'accounts.csv'` | `Referenced column \"nope\" not found`",
        "`jdbc:nowhere:x select 1` | jdbc:nowhere:x: No suitable driver",
        "`*.xls` | `*.xls: expected 1 to 100000 files of .csv`",
        "nothing.csv | cannot read: no such file",
        "/dev/zero | expected a regular file",
      })
  void sourcesThatCannotBeReadAreRefusedInALine(String source, String message) {
    GraphSchema schema = sources(TableSource.parse(source), new TableSource.Files("payments.csv"));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> read(schema))
        .withMessageContaining(message)
        .withMessageNotContaining("\n");
    assertThat(folder.resolve("x.csv")).doesNotExist();
  }

  @Test
  void passwordsAreNoPartOfAnAddress() {
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> TableSource.parse("jdbc:postgresql://db/shop?password=secret select 1"))
        .withMessageContaining("expected an address without a password")
        .withMessageNotContaining("secret");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> TableSource.parse("jdbc:mysql://ann:secret@db/shop select 1"))
        .withMessageNotContaining("secret");
  }

  @Test
  void splitsByTimeAndByClass() {
    VertexTable timed =
        new VertexTable(
            "accounts",
            new TableSource.Files("accounts.csv"),
            "id",
            "kind",
            null,
            "opened",
            Map.of());
    GraphSchema schema = Shop.schema(timed, Shop.payments("payments.csv"));
    SplitRule byTime = new SplitRule(SplitRule.By.TIME, Splits.Fractions.parse("50/25/25"), 0);
    try (TableGraph graph = read(schema.withSplit(byTime))) {
      assertThat(graph.data().split())
          .as("a5 has no class, a6 no time")
          .containsExactly(1, 1, 2, 3, 0, 0);
    }
    SplitRule byClass = new SplitRule(SplitRule.By.CLASS, Splits.Fractions.parse("50/0/50"), 3);
    try (TableGraph graph = read(schema.withSplit(byClass))) {
      byte[] split = graph.data().split();
      assertThat(split[2] + split[3]).as("one broker each").isEqualTo(1 + 3);
      assertThat(split[4]).isZero();
    }
  }

  /// Fitted to two training accounts, with mean 15 and deviation 5 as in
  /// [#featuresAreFittedToTrainingVertices]; the new accounts have other values and no class.
  @Test
  void otherTablesGetTheFeaturesOfTheFirst() throws IOException {
    Files.writeString(
        folder.resolve("new.csv"),
        """
        id,balance,country,opened,note
        n1,25,FR,2024-02-01,red
        n2,,US,2024-02-02,
        """);
    Files.writeString(folder.resolve("links.csv"), "sender,receiver,amount\nn1,n2,3\n");
    try (TableGraph trained = read(Shop.schema(ALL))) {
      GraphSchema like =
          Tables.like(trained.fitted(), "new", folder, List.of("new.csv"), List.of("links.csv"))
              .schema();
      try (TableGraph graph = read(like)) {
        GraphData d = graph.data();
        List<String> names = List.copyOf(d.featureNames());
        assertThat(names).isEqualTo(trained.data().featureNames());
        assertThat(d.info().provenance())
            .containsEntry(
                GraphData.Info.DEFINITION,
                trained.data().info().provenance().get(GraphData.Info.DEFINITION));
        assertThat(d.info().classNames()).containsExactly("broker", "shop");
        assertThat(d.hasLabels()).isFalse();
        DenseMatrix x = ((Features.Dense) d.features()).x();
        assertThat(column(x, names, "balance")).containsExactly(2, 0);
        assertThat(column(x, names, "balance missing")).containsExactly(0, 1);
        assertThat(column(x, names, "country=FR")).containsExactly(1, 0);
        assertThat(column(x, names, "country other")).containsExactly(0, 1);
      }
    }
  }

  /// The same rows, as new tables, are the same features; as the schema is read again from its
  /// text, also bit by bit.
  @Test
  void aSchemaTravelsAsText() {
    try (TableGraph trained = read(Shop.schema(ALL))) {
      String text = String.valueOf(trained.data().info().schema());
      assertThat(SchemaFile.parse("text", text)).isEqualTo(trained.fitted());
      assertThat(text).doesNotContain("accounts.csv");
      GraphSchema like = Shop.schema(ALL).fittedAs(SchemaFile.parse("text", text));
      try (TableGraph again = read(like)) {
        assertThat(Fingerprint.of(again.data())).isEqualTo(Fingerprint.of(trained.data()));
        assertThat(again.fitted()).isEqualTo(trained.fitted());
      }
    }
  }

  @Test
  void aClassThatTheModelDoesNotKnowIsRefused() {
    GraphSchema schema = Shop.schema(ALL).withClasses(List.of("shop"));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> read(schema))
        .withMessage(
            "accounts.csv: column kind: row 3: expected one of the schema's 1 classes, found broker");
  }

  @Test
  void aTableWithoutASourceIsRefused() {
    GraphSchema schema = Shop.schema(ALL).withoutSources();
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> read(schema))
        .withMessageStartingWith("table accounts: expected its source");
  }
}
