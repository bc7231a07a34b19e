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
    assertThat(proposed.json().get("columns")).hasSize(8);
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

  @Test
  void flagsChangeTheSchema() throws IOException {
    Files.writeString(
        folder.resolve("payments.csv"), "acc-1,nobody,1\n", StandardOpenOption.APPEND);
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

  @Test
  void tablesOrASchemaAreNeeded() {
    Cli neither = run();
    assertThat(neither.status()).isEqualTo(2);
    assertThat(neither.err())
        .contains("expected --vertices and --edges, or --schema, found neither");
  }
}
