package dev.gossamer.cli.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.cli.Cli;
import dev.gossamer.cli.SmallTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class DatasetImportCommandTest {
  @TempDir Path folder = Path.of("");

  @BeforeEach
  void writeTables() throws IOException {
    SmallTables.write(folder);
  }

  private Cli run(String... more) {
    List<String> arguments =
        new ArrayList<>(List.of("dataset", "import", "--out", out().toString()));
    arguments.addAll(List.of(more));
    return Cli.run(arguments.toArray(String[]::new));
  }

  private Cli runOnTables(String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--vertices",
                folder.resolve("accounts.csv").toString(),
                "--edges",
                folder.resolve("payments.csv").toString()));
    arguments.addAll(List.of(more));
    return run(arguments.toArray(String[]::new));
  }

  private Path out() {
    return folder.resolve("shop");
  }

  /// From tables to predictions by the user's own ids.
  @Test
  void importsWhatCanBeTrainedAndPredicted() throws IOException {
    Cli imported = runOnTables("--json");
    assertThat(imported.status()).as(imported.err()).isZero();
    JsonNode facts = imported.json();
    assertThat(facts.get("vertices").asInt()).isEqualTo(60);
    assertThat(facts.get("edges").asInt()).isEqualTo(120);
    assertThat(facts.get("classes").asInt()).isEqualTo(3);
    String runs = folder.resolve("runs").toString();
    Cli trained =
        Cli.run(("train --epochs 2 --json -q --data " + out() + " --runs " + runs).split(" "));
    assertThat(trained.status()).as(trained.err()).isZero();
    Path predictions = folder.resolve("predictions");
    String run = trained.json().get("run_folder").asString();
    Cli predicted = Cli.run("predict", run, "-q", "--out", predictions.toString());
    assertThat(predicted.status()).as(predicted.err()).isZero();
    assertThat(Files.readString(predictions.resolve("predictions.csv"))).contains("acc-59,");
  }

  /// The schema has features of edges, which the data set keeps.
  @Tag("slow")
  @Test
  void edgesHaveFeatures() {
    Cli imported =
        run("--schema", folder.resolve("payments.yaml").toString(), "--split", "40/30/30");
    assertThat(imported.status()).as(imported.err()).isZero();
    assertThat(imported.out()).contains("  120 edges with 1 feature  ");
    assertThat(out().resolve("edge_features.npy")).exists();
    assertThat(out().resolve("edge_features.txt")).hasContent("amount");
    Cli info = Cli.run("dataset", "info", "--json", "--data", out().toString());
    assertThat(info.json().get("edge_features").asInt()).isEqualTo(1);
    Cli text = Cli.run("dataset", "info", "--data", out().toString());
    assertThat(text.out()).contains("edge features      1\n");
    String runs = folder.resolve("runs").toString();
    String train = "train --epochs 1 --data " + out() + " --runs " + runs;
    assertThat(Cli.run((train + " --model gat").split(" ")).err())
        .contains("         layers read 1 feature of each edge\n");
    assertThat(Cli.run((train + " --model gcn").split(" ")).err())
        .contains("         1 feature of each edge not used: only gat and gin read them\n");
  }

  /// A model predicts for new tables, which it was not fitted to, and of which the classes are not
  /// known: imported first, or by their schema.
  @Tag("slow")
  @Test
  void newTablesGetTheFeaturesOfTheModel() throws IOException {
    assertThat(runOnTables("-q").status()).isZero();
    String runs = folder.resolve("runs").toString();
    Cli trained =
        Cli.run(("train --epochs 2 --json -q --data " + out() + " --runs " + runs).split(" "));
    assertThat(trained.status()).as(trained.err()).isZero();
    String run = trained.json().get("run_folder").asString();
    Path accounts = folder.resolve("new.csv");
    Path payments = folder.resolve("links.csv");
    Files.writeString(
        accounts,
        """
        id,balance,country,opened
        n1,700,DE,2024-03-01
        n2,,XX,
        """);
    Files.writeString(payments, "sender,receiver,amount\nn1,n2,3\n");
    Path imported = folder.resolve("new");
    Cli like =
        Cli.run(
            "dataset import --like %s --vertices %s --edges %s --out %s"
                .formatted(run, accounts, payments, imported)
                .split(" "));
    assertThat(like.status()).as(like.err()).isZero();
    assertThat(like.out()).contains("kind", "nothing", "is not in this table", "as in training");
    assertThat(predictions(run, imported)).startsWith("vertex,class,probability\nn1,");
    assertThat(predictions(run, folder.resolve("new.yaml"))).isEqualTo(predictions(run, imported));
    Path own = folder.resolve("own.yaml");
    Files.writeString(
        own,
        """
        vertices:
        - {source: new.csv, id: id, features: {balance: numeric, country: categorical}}
        edges:
        - {source: links.csv, from: sender, to: receiver, weight: amount}
        """);
    assertThat(predictions(run, own))
        .as("a schema that is not fitted")
        .isEqualTo(predictions(run, imported));
    Cli fitted = Cli.run("dataset", "import", "--schema", own.toString(), "--out", imported + "2");
    assertThat(fitted.status()).as(fitted.err()).isZero();
    Cli refused = Cli.run("predict", run, "--data", imported + "2", "--out", imported + "3");
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err()).contains("as the model was trained on").doesNotContain("\tat ");
  }

  private String predictions(String run, Path data) throws IOException {
    Path to = folder.resolve("predictions");
    Cli predicted =
        Cli.run("predict", run, "-q", "--data", data.toString(), "--out", to.toString());
    assertThat(predicted.status()).as(predicted.err()).isZero();
    return Files.readString(to.resolve("predictions.csv"));
  }

  @Test
  void onlyModelsOfTablesAreLikeTables() {
    Path graph = folder.resolve("graph");
    assertThat(
            Cli.run(
                    ("dataset build rmat --scale 6 --features 4 --classes 2 --out " + graph)
                        .split(" "))
                .status())
        .isZero();
    Cli refused = runOnTables("--like", graph.toString());
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err()).contains("expected features that were computed from tables");
    assertThat(out()).doesNotExist();
  }

  @Tag("slow")
  @Test
  void theProposedSchemaImportsTheSameBytes() {
    assertThat(runOnTables("-q").status()).isZero();
    String first = fingerprint(out());
    Path schema = folder.resolve("shop.yaml");
    assertThat(schema).exists();
    assertThat(run("--schema", schema.toString(), "-q").status()).isZero();
    assertThat(fingerprint(out())).isEqualTo(first);
    assertThat(runOnTables("-q").status()).as("the same proposal").isZero();
    assertThat(fingerprint(schema)).as("a schema is a data set").isEqualTo(first);
  }

  private static String fingerprint(Path data) {
    Cli info = Cli.run("dataset", "info", "--data", data.toString(), "--json");
    assertThat(info.status()).as(info.err()).isZero();
    return info.json().get("fingerprint").asString();
  }

  @Test
  void aDryRunProposesOnly() {
    Cli proposed = runOnTables("--dry-run", "--json");
    assertThat(proposed.status()).as(proposed.err()).isZero();
    assertThat(proposed.json().get("columns")).hasSize(9);
    assertThat(proposed.json().get("columns").get(0).get("becomes").asString()).isEqualTo("id");
    assertThat(folder.resolve("shop.yaml")).exists();
    assertThat(out()).doesNotExist();
  }

  @Test
  void aChangedSchemaIsNotReplaced() throws IOException {
    Path schema = folder.resolve("shop.yaml");
    Files.writeString(schema, "name: mine\n");
    Cli refused = runOnTables();
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err()).contains("shop.yaml: expected no other schema, found one");
    assertThat(schema).hasContent("name: mine\n");
  }

  @Tag("slow")
  @Test
  void flagsChangeTheSchema() throws IOException {
    Files.writeString(
        folder.resolve("payments.csv"), "acc-1,nobody,1,2024-06-01\n", StandardOpenOption.APPEND);
    Cli refused = runOnTables("-q");
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err())
        .contains("found 1 edge with others (such as nobody)")
        .doesNotContain("\tat ");
    assertThat(out()).doesNotExist();
    Cli added =
        run(
            "--schema",
            folder.resolve("shop.yaml").toString(),
            "--on-dangling",
            "add",
            "--split-by",
            "class",
            "--split",
            "60/20/20",
            "--json");
    assertThat(added.status()).as(added.err()).isZero();
    assertThat(added.json().get("vertices").asInt()).isEqualTo(61);
    assertThat(added.json().get("train").asInt()).as("9 of 15 of each class").isEqualTo(27);
  }

  /// The written schema imports the same data set; nobody has changed the one without the flags.
  @Test
  void theProposedSchemaHasWhatFlagsSay() throws IOException {
    Files.writeString(
        folder.resolve("payments.csv"),
        "acc-1,nobody,1,2024-06-01\nacc-1,,1,2024-06-01\nacc-1,acc-2,1,\n",
        StandardOpenOption.APPEND);
    assertThat(runOnTables("-q").status()).isEqualTo(2);
    Cli changed =
        runOnTables(
            "--on-dangling", "drop", "--on-missing", "drop", "--directed", "--split", "40/30/30");
    assertThat(changed.status()).as(changed.err()).isZero();
    assertThat(changed.out())
        .contains("found    1 dangling edge, 1 row without id, end, time or type");
    String first = fingerprint(out());
    Path schema = folder.resolve("shop.yaml");
    assertThat(schema)
        .content()
        .contains("directed: true", "on-dangling: drop", "on-missing: drop", "split: 40/30/30");
    assertThat(run("--schema", schema.toString(), "-q").status()).isZero();
    assertThat(fingerprint(out())).isEqualTo(first);
    Cli other = runOnTables("-q");
    assertThat(other.status()).isEqualTo(2);
    assertThat(other.err()).contains("shop.yaml: expected no other schema, found one");
  }

  /// Another name of the same folder.
  @Test
  void theProposedSchemaIsBesideTheDataSet() {
    List<String> arguments =
        List.of(
            "dataset",
            "import",
            "--edges",
            folder.resolve("payments.csv").toString(),
            "-q",
            "--out",
            out().resolve("part/..").toString());
    Cli imported = Cli.run(arguments.toArray(String[]::new));
    assertThat(imported.status()).as(imported.err()).isZero();
    assertThat(folder.resolve("shop.yaml")).exists();
    assertThat(out().resolve("shop.yaml")).doesNotExist();
  }

  @Test
  void nothingIsProposedForASchema() {
    Cli refused = run("--schema", folder.resolve("payments.yaml").toString(), "--dry-run");
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err())
        .contains("--dry-run: proposes a schema for --edges and --vertices, found --schema alone")
        .hasLineCount(1);
  }

  @Test
  void tablesOrASchemaAreNeeded() {
    Cli neither = run();
    assertThat(neither.status()).isEqualTo(2);
    assertThat(neither.err()).contains("or --schema, found neither");
    Cli vertices = run("--vertices", folder.resolve("accounts.csv").toString());
    assertThat(vertices.status()).isEqualTo(2);
    assertThat(vertices.err()).contains("or --schema, found --vertices alone");
  }

  /// A table of edges is a graph, too.
  @Test
  void endsOfEdgesAreVerticesWithoutATableOfThem() throws IOException {
    Path known = Files.writeString(folder.resolve("known.csv"), "a,b\nann,bob\nbob,cid\n");
    Cli alone = run("--edges", known.toString(), "--json");
    assertThat(alone.status()).as(alone.err()).isZero();
    assertThat(alone.json().get("vertices").asInt()).isEqualTo(3);
    assertThat(alone.json().get("edges").asInt()).isEqualTo(2);
    Cli refusing = run("--edges", known.toString(), "--on-dangling", "refuse");
    assertThat(refusing.status()).isEqualTo(2);
    assertThat(refusing.err()).contains("--on-dangling: expected add, as no table has vertices");
  }
}
