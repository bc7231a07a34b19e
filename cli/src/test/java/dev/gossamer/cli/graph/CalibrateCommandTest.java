package dev.gossamer.cli.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.cli.Cli;
import dev.gossamer.cli.Folders;
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
import java.util.Locale;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/// From training to decisions; DuckDB reads the predictions.
class CalibrateCommandTest {
  /// A run of two classes, which no test changes.
  @TempDir private static Path shared = Path.of("");

  private static Path sharedRun = Path.of("");

  @TempDir Path folder = Path.of("");

  private String run = "";

  @BeforeAll
  static void train() {
    sharedRun = Path.of(trained(shared, 2, ""));
  }

  @BeforeEach
  void copyTheSharedRun() throws IOException {
    Path copy = folder.resolve("run");
    Folders.copy(sharedRun, copy);
    run = copy.toString();
  }

  private static String data(Path folder, int classes) {
    return folder.resolve("data" + classes).toString();
  }

  /// Trains on a graph with these numbers of classes and these flags.
  private static String trained(Path folder, int classes, String flags) {
    String data = data(folder, classes);
    String build = "dataset build sbm -q --vertices 600 --degree 4 --features 4 --classes ";
    run(build + classes + " --out " + data);
    return run("train --epochs 30 --seed 1 --json -q --data " + data + flags + " --runs " + folder)
        .json()
        .get("run_folder")
        .asString();
  }

  private static Cli run(String command) {
    Cli cli = Cli.run(command.split(" "));
    assertThat(cli.status()).as(cli.err()).isZero();
    return cli;
  }

  private Cli calibrate(String flags) {
    return Cli.run(("calibrate " + run + " -q " + flags).strip().split(" "));
  }

  private JsonNode calibrated(String flags) {
    Cli cli = calibrate("--json " + flags);
    assertThat(cli.status()).as(cli.err()).isZero();
    return cli.json();
  }

  private void refused(String flags, String message) {
    byte[] before = model();
    Cli cli = calibrate(flags);
    assertThat(cli.status()).as(flags).isEqualTo(2);
    assertThat(cli.err()).isEqualTo("gossamer: %s%n", message);
    assertThat(model()).isEqualTo(before);
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  private byte[] model() {
    try {
      return Files.readAllBytes(Path.of(run, "model.safetensors"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private List<String> rows(String address, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(address)) {
      return SqlRows.of(connection, sql.replace("FOLDER", folder.toString()));
    }
  }

  private List<String> rows(String sql) throws SQLException {
    return rows("jdbc:duckdb:", sql);
  }

  private static double number(JsonNode found, String part, String field) {
    return found.get(part).get(field).asDouble();
  }

  /// Evaluation counts what calibration has counted.
  @Test
  void evaluationUsesTemperatureAndThreshold() {
    JsonNode plain = run("evaluate " + run + " -q --json").json();
    JsonNode found = calibrated("--threshold f1");
    assertThat(found.get("threshold_class").asString()).isEqualTo("1");
    assertThat(found.get("file").asString()).isEqualTo(run + "/model.safetensors");
    JsonNode evaluated = run("evaluate " + run + " -q --json").json();
    for (String part : List.of("validation", "test")) {
      String before = part + "_before";
      String after = part + "_after";
      assertThat(number(found, before, "loss"))
          .isCloseTo(plain.get(part + "_loss").asDouble(), within(1e-12));
      assertThat(number(found, before, "accuracy"))
          .isEqualTo(plain.get(part + "_accuracy").asDouble());
      assertThat(number(found, after, "loss"))
          .isCloseTo(evaluated.get(part + "_loss").asDouble(), within(1e-12));
      assertThat(number(found, after, "accuracy"))
          .isEqualTo(evaluated.get(part + "_accuracy").asDouble());
      JsonNode second = evaluated.get(part + "_classes").get(1);
      for (String score : List.of("precision", "recall", "f1")) {
        assertThat(number(found, after, score)).isEqualTo(second.get(score).asDouble());
      }
      assertThat(evaluated.get(part + "_roc_auc").asDouble())
          .isCloseTo(plain.get(part + "_roc_auc").asDouble(), within(1e-6));
    }
    assertThat(number(found, "validation_after", "f1"))
        .isGreaterThanOrEqualTo(number(found, "validation_before", "f1"));
    assertThat(number(found, "validation_after", "loss"))
        .isLessThanOrEqualTo(number(found, "validation_before", "loss"));
  }

  /// The log-odds of a prediction before, divided by the temperature, are those after; and the
  /// class follows from the probability alone.
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(strings = {"likeliest", "f1", "precision:0.6", "0.2", "0.9"})
  void predictionsUseTemperatureAndThreshold(String rule) throws SQLException {
    run("predict " + run + " -q --probabilities --out " + file("before.parquet"));
    JsonNode found = calibrated("--threshold " + rule);
    double threshold = found.path("threshold").asDouble(0.5);
    assertThat(found.has("threshold")).isEqualTo(!rule.equals("likeliest"));
    String predict = "predict " + run + " -q --probabilities --out ";
    run(predict + file("after.parquet"));
    run(predict + file("after.csv"));
    run(predict + file("after"));
    String address = "jdbc:duckdb:" + file("after.db");
    Cli written =
        Cli.run("predict", run, "-q", "--probabilities", "--out", address + " predictions");
    assertThat(written.status()).as(written.err()).isZero();
    String right =
        "SELECT count(*), bool_and((class::VARCHAR = '1') = (\"1\"::DOUBLE >= %s)), "
            .formatted(threshold);
    String certain =
        "bool_and(abs(probability - CASE WHEN class::VARCHAR = '1' THEN \"1\" ELSE \"0\" END) < 1e-6) FROM ";
    for (String table : List.of("after.parquet", "after.csv", "after/predictions.csv")) {
      assertThat(rows(right + certain + "'FOLDER/" + table + "'")).containsExactly("600|true|true");
    }
    assertThat(rows(address, right + certain + "predictions")).containsExactly("600|true|true");
    assertThat(
            rows(
                "SELECT max(abs(ln(b.\"1\" / b.\"0\") / %s - ln(a.\"1\" / a.\"0\"))) < 1e-3 FROM 'FOLDER/before.parquet' b JOIN 'FOLDER/after.parquet' a ON a.id = b.id"
                    .formatted(found.get("temperature").asDouble())))
        .containsExactly("true");
  }

  @Test
  void anotherFileLeavesTheRunAsItIs() {
    byte[] before = model();
    String other = file("calibrated.safetensors");
    JsonNode found = calibrated("--threshold 0.1 --out " + other);
    assertThat(found.get("file").asString()).isEqualTo(other);
    assertThat(model()).isEqualTo(before);
    JsonNode evaluated = run("evaluate " + other + " -q --json --data " + data(shared, 2)).json();
    assertThat(evaluated.get("test_classes").get(1).get("recall").asDouble())
        .isEqualTo(number(found, "test_after", "recall"));
    refused(
        "--out " + other,
        other + ": expected a new file, found one; choose another name, or --force to replace it");
    JsonNode again = calibrated("--out " + other + " --force");
    assertThat(again.has("threshold")).isFalse();
  }

  /// A call starts from the weights, whatever an earlier one wrote.
  @Test
  void callsReplaceEachOtherAndTemperatureOneUndoesThem() {
    byte[] before = model();
    calibrated("--threshold f1");
    byte[] first = model();
    assertThat(first).isNotEqualTo(before);
    calibrated("--threshold 0.3 --temperature 2");
    assertThat(model()).isNotEqualTo(first);
    calibrated("--threshold f1");
    assertThat(model()).isEqualTo(first);
    calibrated("--temperature 1 --threshold likeliest");
    assertThat(model()).isEqualTo(before);
    calibrated("");
    run("train --resume " + run + " -q");
    assertThat(model()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--ranks 3", "--fanout 1000", "--threads 1"})
  void isFittedInEveryWay(String way) {
    JsonNode one = calibrated("--threshold f1");
    JsonNode other = calibrated("--threshold f1 " + way);
    for (String field : List.of("temperature", "threshold")) {
      assertThat(other.get(field).asDouble()).isCloseTo(one.get(field).asDouble(), within(1e-4));
    }
    assertThat(number(other, "test_after", "f1")).isEqualTo(number(one, "test_after", "f1"));
  }

  @Test
  void aDryRunWritesNothing() {
    byte[] before = model();
    JsonNode dry = calibrated("--dry-run --out " + file("none.safetensors"));
    assertThat(dry.get("estimated_bytes"))
        .isEqualTo(run("evaluate " + run + " --dry-run --json").json().get("estimated_bytes"));
    calibrated("--dry-run");
    assertThat(model()).isEqualTo(before);
    assertThat(folder.resolve("none.safetensors")).doesNotExist();
  }

  @Test
  void theTableHasTheScoresBeforeAndAfter() {
    Cli said = calibrate("--threshold f1");
    assertThat(said.err()).isEmpty();
    assertThat(said.out())
        .containsPattern(
            "^ +loss +calibration error +accuracy +precision +recall +F1\\R"
                + "validation before( +[0-9.]+){6}\\R"
                + "validation after( +[0-9.]+){6}\\R"
                + "test before( +[0-9.]+){6}\\R"
                + "test after( +[0-9.]+){6}\\R\\R"
                + "temperature  [0-9.]+\\R"
                + "threshold    0[.][0-9]{6} of class '1'\\R"
                + "model        .*/model.safetensors\\R$");
  }

  @Test
  void moreClassesHaveATemperatureOnly() {
    run = trained(folder, 3, "");
    Cli said = calibrate("");
    assertThat(said.status()).as(said.err()).isZero();
    assertThat(said.out())
        .containsPattern("^ +loss +calibration error +accuracy\\R")
        .doesNotContain("threshold");
    JsonNode found = calibrated("");
    assertThat(found.get("test_after").propertyNames())
        .containsExactly("vertices", "loss", "calibration_error", "accuracy");
    refused(
        "--threshold f1",
        "--threshold: expected a model of two classes, found one of 3; leave it out");
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"'0,1,1\n1,0,1\n', multi-label", "'0.5\n1.5\n', regression"})
  void otherTasksAreRefused(String lines, String task) throws IOException {
    Path labels = Files.writeString(folder.resolve("labels.csv"), lines.repeat(300));
    run = trained(folder, 2, " --labels " + labels);
    refused("", "sbm: expected a model that predicts classes, found one for " + task);
  }

  @Test
  void dataWithoutValidationVerticesAreRefused() {
    String without = file("without");
    run("dataset convert -q --split 50/0/50 --data " + data(shared, 2) + " --out " + without);
    refused(
        "--data " + without,
        "sbm: expected labelled validation vertices to fit probabilities to, found none; draw a split with some");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --threshold best          | --threshold: expected likeliest, f1, precision:P or a number, found best
          --threshold precision:    | --threshold: expected likeliest, f1, precision:P or a number, found precision:
          --threshold precision:90% | --threshold: expected likeliest, f1, precision:P or a number, found precision:90%
          --threshold precision:1.5 | --threshold: expected a precision above 0 and up to 1, found 1.5
          --threshold 1             | --threshold: expected a number between 0 and 1, found 1.0
          --threshold nan           | --threshold: expected likeliest, f1, precision:P or a number, found nan
          --threshold NaN --ranks 2 | --threshold: expected likeliest, f1, precision:P or a number, found nan
          --temperature 0           | --temperature: expected 0.05 to 20.0, found 0.0
          --temperature 21          | --temperature: expected 0.05 to 20.0, found 21.0
          --force                   | --force: a flag of --out; add that or leave it out
          """)
  void flagsThatCannotBeReadAreRefused(String flags, String message) {
    refused(flags, message);
  }

  @Test
  void whatCannotBeWrittenIsRefusedBeforeAnythingIsComputed() throws IOException {
    Path note = Files.writeString(folder.resolve("note"), "mine");
    Cli cli = calibrate("--out " + note + "/model.safetensors");
    assertThat(cli.status()).isEqualTo(2);
    assertThat(cli.err()).contains("note/model.safetensors: cannot write: ").hasLineCount(1);
    assertThat(note).hasContent("mine");
    refused(
        "--out " + folder, folder + ": expected a new file, found a folder; choose another name");
  }

  /// All vertices look the same, so that one threshold predicts all of them, or none.
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aPrecisionOutOfReachIsRefusedWithTheHighest(int ranks) throws IOException {
    StringBuilder edges = new StringBuilder();
    StringBuilder labels = new StringBuilder();
    for (int v = 0; v < 200; v++) {
      edges.append("%d %d%n".formatted(v, (v + 1) % 200));
      labels.append(v % 4 == 0 ? "1\n" : "0\n");
    }
    Files.writeString(folder.resolve("ring.txt"), edges);
    Files.writeString(folder.resolve("y.csv"), labels);
    List<String> words = new ArrayList<>(List.of("train", "--data", file("ring.txt")));
    words.addAll(
        Arrays.asList(
            "--features degree --labels %s --epochs 2 --json -q --runs %s"
                .formatted(file("y.csv"), folder)
                .split(" ")));
    Cli trained = Cli.run(words.toArray(String[]::new));
    assertThat(trained.status()).as(trained.err()).isZero();
    run = trained.json().get("run_folder").asString();
    JsonNode all = calibrated("--threshold 1e-9");
    double share = number(all, "validation_after", "precision");
    assertThat(number(all, "validation_after", "recall")).isEqualTo(1);
    Cli cli = calibrate("--threshold precision:0.9 --ranks " + ranks);
    assertThat(cli.status()).isEqualTo(2);
    assertThat(cli.err())
        .isEqualTo(
            "gossamer: --threshold: expected a precision that a threshold reaches on the validation vertices, %s at most, found 0.9%n",
            String.format(Locale.ROOT, "%.4f", Math.floor(share * 1e4) / 1e4));
  }
}
