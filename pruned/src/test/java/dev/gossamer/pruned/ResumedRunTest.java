package dev.gossamer.pruned;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.pruned.pipeline.RunSummary;
import dev.gossamer.pruned.prune.Criterion;
import dev.gossamer.pruned.prune.Pruning.EarlyBird;
import dev.gossamer.pruned.prune.Pruning.Gradual;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a run makes of the folder that it resumes.
class ResumedRunTest {
  private static final int ITERATIONS = 3;

  @TempDir static Path shared;
  private static Path text = Path.of("");
  private static Path finished = Path.of("");

  @TempDir Path folder;

  @BeforeAll
  static void train() throws IOException {
    text = TinyText.write(shared);
    finished =
        Objects.requireNonNull(training().folder(shared.resolve("runs")).train().plan().folder());
  }

  private static PrunedTraining training() {
    return training(ITERATIONS);
  }

  /// Pruned before the last iteration.
  private static PrunedTraining training(int iterations) {
    EarlyBird soon = EarlyBird.DEFAULT.withMaskEvery(1).withMaskWindow(2).withMaskDistance(1);
    return TinyText.training(text)
        .iterations(iterations)
        .prune(soon.withPruneUntil(iterations - 1));
  }

  private Path copy() throws IOException {
    Path run = folder.resolve("run");
    try (Stream<Path> all = Files.walk(finished)) {
      for (Path each : all.toList()) {
        Files.copy(each, run.resolve(finished.relativize(each).toString()));
      }
    }
    return run;
  }

  @Test
  void writesTheModelThatAFinishedRunLacks() throws IOException {
    Path run = copy();
    List<String> lost =
        List.of(
            "model.safetensors", "mask.safetensors", "model-compressed.safetensors", "tokens.json");
    for (String name : lost) {
      Files.delete(run.resolve(name));
    }
    PrunedResult resumed = training().resume(run).train();
    assertThat(resumed.result().interrupted()).isFalse();
    assertThat(resumed.result().records()).isEmpty();
    assertThat(Objects.requireNonNull(resumed.summary()).last()).isNull();
    for (String name : lost) {
      assertThat(run.resolve(name)).hasSameBinaryContentAs(finished.resolve(name));
    }
    for (String name : List.of("metrics.jsonl", "traffic.json", "checkpoint/manifest.json")) {
      assertThat(run.resolve(name)).hasSameBinaryContentAs(finished.resolve(name));
    }
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> training(ITERATIONS - 1).resume(run).train())
        .withMessageMatching("iterations: expected at least the 3 that are done in .*, found 2");
  }

  /// A field, what stands there instead, and what is said of it.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          .*|null|manifest.json: expected a JSON object, found null
          .*|{}|manifest.json: iteration: expected a whole number in 1..2147483647, found none
          "files":.*?]|"files":null|files: expected a list of objects, found null
          "files":.*?]|"files":[]|files: expected a list of objects, found []
          "files":.*?]|"files":[null]|files[0]: expected an object, found null
          "name":"[^"]*"|"name":null|files[0].name: expected a file of this checkpoint
          "name":"[^"]*"|"name":"../../x"|files[0].name: expected a file of this checkpoint
          "sha256":"[^"]*"|"sha256":"00"|files[0].sha256: expected 64 hexadecimal digits, found "00"
          ("files":.)(.*?)]|$1$2,$2]|safetensors: expected to be named once by the manifest
          "iteration":3|"iteration":-1|iteration: expected a whole number in 1..2147483647, found -1
          "steps":3|"steps":1000000000|steps: expected a whole number in 0..3, found 1000000000
          "lossScale":1.0|"lossScale":0|lossScale: expected a number in 1.0..3.4028234663852886E38
          "lossScale":1.0|"lossScale":1e999|lossScale: expected a number in 1.0..3.40282346638528
          "lossScale":1.0|"lossScale":NaN|manifest.json: expected a JSON object
          "goodSteps":3|"goodSteps":-1|goodSteps: expected a whole number in 0..3, found -1
          "skipped":0|"skipped":-1|skipped: expected a whole number in 0..3, found -1
          "remembered":0|"remembered":1000000000|remembered: expected a whole number in 0..0
          "ticket":2|"ticket":3|ticket: expected a whole number in -1..2, found 3
          "ticket":2.*true|"ticket":-1,"atRest":1|atRest: expected true or false, found 1
          """)
  void refusesAManifestThatSaysSomethingElse(String field, String instead, String message)
      throws IOException {
    Path run = copy();
    Path manifest = run.resolve("checkpoint/manifest.json");
    String written = Files.readString(manifest);
    String changed = written.replaceFirst(field, instead);
    assertThat(changed).as(written).isNotEqualTo(written);
    Files.writeString(manifest, changed);
    assertThatThrownBy(() -> training().resume(run).train())
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(message);
  }

  @Test
  void remembersNoMoreMasksThanAreCompared() throws IOException {
    Path run = copy();
    Path manifest = run.resolve("checkpoint/manifest.json");
    Files.writeString(
        manifest,
        Files.readString(manifest)
            .replace("\"ticket\":2", "\"ticket\":-1")
            .replace("\"remembered\":0", "\"remembered\":1000000000"));
    assertThatThrownBy(() -> training().resume(run).train())
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("remembered: expected a whole number in 0..64, found 1000000000");
    assertThatExceptionOfType(InvalidSettingException.class)
        .isThrownBy(() -> EarlyBird.DEFAULT.withMaskWindow(65))
        .withMessage("maskWindow: expected at most 64, found 65");
  }

  @ParameterizedTest
  @ValueSource(strings = {"model.safetensors", "mask.safetensors", "tokens.json", "checkpoint"})
  void followsNoLink(String name) throws IOException {
    Path run = copy();
    Path elsewhere = folder.resolve("elsewhere");
    Files.move(run.resolve(name), elsewhere);
    Files.createSymbolicLink(run.resolve(name), elsewhere);
    assertThatThrownBy(() -> training().iterations(ITERATIONS + 1).resume(run).train())
        .isInstanceOf(InvalidInputException.class)
        .hasMessageMatching(
            ".*/%s: expected a (file|folder) of the run, found a link; .*".formatted(name));
    Path kept = finished.resolve(name);
    if (Files.isRegularFile(kept)) {
      assertThat(elsewhere).hasSameBinaryContentAs(kept);
    }
  }

  @Test
  void otherTextIsNotLearnedFrom() throws IOException {
    Path run = copy();
    Path other = folder.resolve("other.txt");
    Files.writeString(other, Files.readString(text).replace('e', 'a'));
    assertThatThrownBy(() -> TinyText.training(other).resume(run).train())
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(
            "data.json: expected the data that the run was started with, found data that differ in: data");
  }

  /// Resumed after its last iteration, and between two steps. The schedule of the longer run asks
  /// for less than has been pruned, the second one also in the end.
  @ParameterizedTest
  @CsvSource({
    "PER_LAYER, 10, 0.5, 0.5",
    "PER_LAYER, 10, 0.5, 0.3",
    "PER_LAYER, 4, 0.5, 0.5",
    "GLOBAL, 10, 0.5, 0.5",
    "BLOCKS, 10, 0.5, 0.5",
    "STRUCTURES, 10, 0.2, 0.2",
    "STRUCTURES, 4, 0.2, 0.2"
  })
  void keepsWhatIsPrunedInALongerRun(
      Criterion criterion, int stopAfter, double sparsity, double later) {
    PruningSettings pruning =
        PruningSettings.DEFAULT
            .withWhen(Gradual.DEFAULT.withMaskEvery(1))
            .withCriterion(criterion)
            .withSparsity(sparsity);
    AtomicInteger done = new AtomicInteger();
    PrunedTraining ten = TinyText.training(text).iterations(10).pruning(pruning);
    PrunedResult first =
        ten.folder(folder)
            .onIteration(record -> done.set(record.number()))
            .stopWhen(() -> done.get() + 1 == stopAfter)
            .train();
    long kept = first.result().records().getLast().kept();
    List<Long> left = new ArrayList<>();
    PrunedResult longer =
        ten.iterations(20)
            .sparsity(later)
            .resume(Objects.requireNonNull(first.plan().folder()))
            .onIteration(record -> left.add(record.kept()))
            .train();
    RunSummary summary = Objects.requireNonNull(longer.summary());
    assertThat(left)
        .hasSize(20 - stopAfter)
        .startsWith(kept)
        .isSortedAccordingTo(Comparator.reverseOrder());
    assertThat(summary.sparsity()).isCloseTo(sparsity, within(0.05));
    if (stopAfter == 10) {
      assertThat(left).containsOnly(kept);
      assertThat(summary.ticket()).isEqualTo(Objects.requireNonNull(first.summary()).ticket());
    }
  }

  @Test
  void needsARunToResume() {
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> training().resume(folder).train())
        .withMessageContaining("expected a run folder with config.yaml or metrics.jsonl");
  }
}
