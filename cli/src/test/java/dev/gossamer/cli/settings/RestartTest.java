package dev.gossamer.cli.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.Child;
import dev.gossamer.cli.Cli;
import dev.gossamer.cli.KilledRun;
import dev.gossamer.comm.MpiProgram;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A command that is repeated as it is.
class RestartTest {
  private static final String WHOLE =
      "train --hidden 8 --dropout 0.5 --epochs 7 --checkpoint-every 2 --memory 4g -q --data ";

  private static final String PRUNED =
      "prune train --model gpt-tiny --layers 1 --width 8 --heads 2 --length 8 --batch 4 --microbatch 2"
          + " --evaluate-samples 4 --prune one-shot --prune-at 4 --iterations 7 --checkpoint-every 2 --memory 4g -q --data ";

  /// Of a process: one more than it takes to a checkpoint, and to another epoch after it.
  private static final String LINE = "4";

  @TempDir static Path shared;
  @TempDir Path folder;

  @BeforeAll
  static void makeData() throws IOException {
    run(
        "dataset build grid -q --rows 20 --cols 20 --classes 4 --features 8 --split 40/30/30 --out "
            + shared.resolve("grid"));
    Files.writeString(
        shared.resolve("words.txt"), "what survives is kept, and kept again\n".repeat(60));
  }

  private static Cli run(String command) {
    return Cli.run(command.split(" "));
  }

  private static String training() {
    return WHOLE + shared.resolve("grid");
  }

  private static String pruning() {
    return PRUNED + shared.resolve("words.txt");
  }

  private Path run() {
    return folder.resolve("run");
  }

  /// The command that a scheduler repeats.
  private String repeated(String command) {
    return "%s --run-folder %s --resume auto".formatted(command, run());
  }

  private byte[] undisturbed(String command) throws IOException {
    Path whole = folder.resolve("whole");
    Cli cli = run(command + " --run-folder " + whole);
    assertThat(cli.status()).as(cli.err()).isZero();
    return Files.readAllBytes(whole.resolve("model.safetensors"));
  }

  /// Each process is killed in its fourth epoch, the second after its only checkpoint.
  @Tag("slow")
  @Test
  void aRunThatIsKilledAgainAndAgainEndsWithTheSameBits() throws IOException, InterruptedException {
    assertSurvivesKills(training() + " --ranks 2");
  }

  @Tag("endurance")
  @Test
  void soDoesOneOfAPrunedNetwork() throws IOException, InterruptedException {
    assertSurvivesKills(pruning() + " --ranks 2");
  }

  private void assertSurvivesKills(String command) throws IOException, InterruptedException {
    List<String> java =
        Child.java(
            List.of("-Xmx256m", "--add-modules=jdk.incubator.vector"),
            KilledRun.class,
            Stream.concat(Stream.of(LINE), Stream.of(repeated(command).split(" ")))
                .toArray(String[]::new));
    List<Integer> statuses = new ArrayList<>();
    do {
      ProcessBuilder start = new ProcessBuilder(java).inheritIO();
      statuses.add(Child.started(start.redirectOutput(Redirect.DISCARD)).waitFor());
    } while (statuses.getLast() == KilledRun.STATUS);
    assertThat(statuses).containsExactly(KilledRun.STATUS, KilledRun.STATUS, 0);
    assertThat(run().resolve("model.safetensors")).hasBinaryContent(undisturbed(command));
    assertThat(Files.readAllLines(run().resolve("metrics.jsonl"))).hasSize(7);
  }

  @Tag("endurance")
  @Test
  void soDoesOneWhoseRanksAreProcesses() throws IOException, InterruptedException {
    assertSurvivesKills(MpiProgram.OPEN_MPI, training());
  }

  @Tag("endurance")
  @Test
  void soDoesOneOfAPrunedNetworkWhoseRanksAreProcesses() throws IOException, InterruptedException {
    assertSurvivesKills(MpiProgram.MPICH, pruning());
  }

  private void assertSurvivesKills(String launcher, String command)
      throws IOException, InterruptedException {
    String[] words =
        Stream.concat(Stream.of(LINE), Stream.of(repeated(command).split(" ")))
            .toArray(String[]::new);
    List<Integer> statuses = new ArrayList<>();
    do {
      statuses.add(MpiProgram.run(folder, launcher, 2, KilledRun.class, words).status());
    } while (statuses.getLast() != 0 && statuses.size() < 3);
    assertThat(statuses).hasSize(3).endsWith(0).first().isNotEqualTo(0);
    assertThat(run().resolve("model.safetensors"))
        .hasBinaryContent(undisturbed(command + " --ranks 2"));
  }

  @Test
  void aFinishedRunIsNotTrainedAgain() throws IOException {
    assertThat(run(repeated(training())).status()).isZero();
    List<String> metrics = Files.readAllLines(run().resolve("metrics.jsonl"));
    Cli again = run(repeated(training()));
    assertThat(again.status()).as(again.err()).isZero();
    assertThat(again.out()).contains("all were done before");
    assertThat(run().resolve("metrics.jsonl")).hasContent(String.join("\n", metrics));
  }

  @Tag("slow")
  @Test
  void aFinishedRunOfAPrunedNetworkIsNotTrainedAgain() throws IOException {
    assertThat(run(repeated(pruning())).status()).isZero();
    Cli again = run(repeated(pruning()));
    assertThat(again.status()).as(again.err()).isZero();
    assertThat(again.out()).contains("all 7 iterations were done before");
  }

  /// A process that is killed before its run has settings leaves an empty folder, or one that only
  /// says what was asked for.
  @Test
  void aFolderWithoutSettingsIsBegun() throws IOException {
    Files.createDirectories(run());
    Files.writeString(run().resolve("asked.json"), "{}");
    assertThat(run(repeated(training())).status()).isZero();
    assertThat(run().resolve("asked.json")).content().contains("\"--hidden\":\"8\"");
  }

  /// With settings and no checkpoint yet, the run begins with those settings.
  @Test
  void aRunWithoutACheckpointIsBegunAgain() throws IOException {
    byte[] model = undisturbed(training());
    assertThat(run(repeated(training())).status()).isZero();
    for (String file : List.of("manifest.json", "earlier.json")) {
      Files.delete(run().resolve("checkpoint").resolve(file));
    }
    Files.delete(run().resolve("model.safetensors"));
    assertThat(run(repeated(training())).status()).isZero();
    assertThat(run().resolve("model.safetensors")).hasBinaryContent(model);
  }

  /// What was chosen automatically stays, although the command does not say it, and flags that only
  /// an automatic choice may read are no mistake.
  @Test
  void automaticChoicesAreThoseOfTheBeginning() throws IOException {
    String command = training() + " --ranks 2 --mode auto";
    assertThat(run(repeated(command)).status()).isZero();
    Path config = run().resolve("config.yaml");
    Files.writeString(config, Files.readString(config).replace("\"gvb\"", "\"random\""));
    Cli again = run(repeated(command) + " --json");
    assertThat(again.status()).as(again.err()).isZero();
    assertThat(again.json().get("settings").get("placement").asString()).isEqualTo("random");
    assertThat(again.json().get("settings").get("mode").asString()).isEqualTo("full-graph");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--lr 0.5 | found others of --lr; repeat the command",
        "--hidden 9 --seed 2 | found others of --hidden, --seed;",
      })
  void otherSettingsAreRefused(String more, String message) throws IOException {
    assertThat(run(repeated(training())).status()).isZero();
    byte[] model = Files.readAllBytes(run().resolve("model.safetensors"));
    Cli other = run(repeated(training()) + " " + more);
    assertThat(other.status()).isEqualTo(2);
    assertThat(other.err()).hasLineCount(1).contains(run() + ": expected the settings", message);
    assertThat(run().resolve("model.safetensors")).hasBinaryContent(model);
  }

  /// A file of settings is part of what is asked for; flags of the output are not.
  @Test
  void settingsOfAFileAreComparedAndOutputIsNot() throws IOException {
    Path file = folder.resolve("c.yaml");
    Files.writeString(file, "seed: 3");
    String command = repeated(training()) + " --config " + file;
    assertThat(run(command).status()).isZero();
    Cli again = run(command + " --json --trace 1 --runs elsewhere");
    assertThat(again.status()).as(again.err()).isZero();
    assertThat(again.json().get("seed").asInt()).isEqualTo(3);
    Cli planned = run(command + " --dry-run --json");
    assertThat(planned.json().get("dry_run").asBoolean()).isTrue();
    Files.writeString(file, "seed: 4");
    assertThat(run(command).err()).contains("found others of --seed;");
  }

  @Tag("slow")
  @Test
  void theCheckpointBeforeADamagedOneIsTaken() throws IOException {
    byte[] model = undisturbed(training());
    String command = repeated(training());
    assertThat(run(command).status()).isZero();
    Path newest = run().resolve("checkpoint/epoch-000007.safetensors");
    Files.write(newest, new byte[1], StandardOpenOption.APPEND);
    Files.delete(run().resolve("model.safetensors"));
    Cli again = run(command.replace(" -q", ""));
    assertThat(again.status()).as(again.err()).isZero();
    assertThat(again.err())
        .contains(
            "warning  " + newest + ": expected SHA-256",
            "the checkpoint is damaged; the run resumes from the checkpoint before it");
    assertThat(run().resolve("model.safetensors")).hasBinaryContent(model);
    assertThat(Files.readAllLines(run().resolve("metrics.jsonl"))).hasSize(7);
  }

  @Tag("slow")
  @Test
  void theCheckpointOfAPrunedNetworkBeforeADamagedOneIsTaken() throws IOException {
    byte[] model = undisturbed(pruning());
    String command = repeated(pruning());
    assertThat(run(command).status()).isZero();
    Path newest = run().resolve("checkpoint/iteration-000007-stage-000.safetensors");
    Files.write(newest, new byte[1], StandardOpenOption.APPEND);
    Cli again = run(command.replace(" -q", ""));
    assertThat(again.status()).as(again.err()).isZero();
    assertThat(again.err())
        .contains("warning  " + newest, "the run resumes from the checkpoint before it");
    assertThat(run().resolve("model.safetensors")).hasBinaryContent(model);
  }

  @Test
  void aRunThatAnotherTrainingWritesIsRefused() throws IOException {
    String command = repeated(training());
    assertThat(run(command).status()).isZero();
    try (FileChannel metrics =
            FileChannel.open(run().resolve("metrics.jsonl"), StandardOpenOption.WRITE);
        FileLock lock = metrics.lock()) {
      assertThat(lock.isValid()).isTrue();
      Cli second = run(command);
      assertThat(second.status()).isEqualTo(2);
      assertThat(second.err())
          .hasLineCount(1)
          .contains("found another training that writes to it; wait for its end");
    }
  }

  @Test
  void aFolderWithARunIsNotBegunAgain() {
    assertThat(run(repeated(training())).status()).isZero();
    Cli again = run(training() + " --run-folder " + run());
    assertThat(again.status()).isEqualTo(2);
    assertThat(again.err())
        .isEqualTo(
            "gossamer: %s: expected a folder without a run, found one; add --resume auto to continue it, or name another folder%n"
                .formatted(run()));
  }

  /// Of two starts that have found an empty folder, the later one to write finds a run.
  @Test
  void aRunThatBeganMeanwhileKeepsItsSettings() throws IOException {
    RunOptions options = new RunOptions();
    options.folder = run();
    options.require(true, 1);
    Files.writeString(options.create("words").config(), "seed: 3\n");
    assertThatThrownBy(() -> options.create("words"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(run() + ": expected a folder without a run, found one");
  }

  @Test
  void aRunThatWasBegunWithoutANameIsResumedByItsFolder() throws IOException {
    assertThat(run(training() + " --runs " + folder).status()).isZero();
    Path made;
    try (Stream<Path> all = Files.list(folder)) {
      made = all.findFirst().orElseThrow();
    }
    Cli both = run("train --run-folder %s --resume %s".formatted(run(), made));
    assertThat(both.status()).isEqualTo(2);
    assertThat(both.err())
        .isEqualTo(
            "gossamer: --run-folder: expected --resume auto with it, or no --resume, found --resume %s%n"
                .formatted(made));
    Cli again = run("%s --run-folder %s --resume auto".formatted(training(), made));
    assertThat(again.status()).isEqualTo(2);
    assertThat(again.err())
        .contains("expected a run that was begun with --run-folder, found another; resume it with");
  }

  @ParameterizedTest
  @CsvSource({"train,iterations,prune train", "prune train,epochs,train"})
  void aRunOfAnotherCommandIsResumedByThat(String command, String setting, String other)
      throws IOException {
    Files.createDirectory(run());
    Files.writeString(run().resolve("config.yaml"), "seed: 3\n%s: 2\n".formatted(setting));
    Cli refused = run("%s --resume %s".formatted(command, run()));
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err())
        .isEqualTo(
            "gossamer: %s/config.yaml: expected a run of 'gossamer %s', found one of 'gossamer %s'; resume it with: gossamer %s --resume %s%n"
                .formatted(run(), command, other, other, run()));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "train --resume auto | --resume auto: expected --run-folder RUN, the folder of the run, found none",
        "train --resume auto --run-folder R --checkpoint-every 0 | --checkpoint-every: expected at least 1 with --resume auto, found 0",
        "prune train --resume auto --run-folder R | --checkpoint-every: expected at least 1 with --resume auto, found 0",
      })
  void whatWouldBeginAgainIsRefused(String command, String message) {
    Cli cli = run(command.replace("R", run().toString()));
    assertThat(cli.status()).isEqualTo(2);
    assertThat(cli.err()).hasLineCount(1).contains(message);
    assertThat(run()).doesNotExist();
  }
}
