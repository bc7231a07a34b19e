package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.TrainingFailedException;
import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.RankFailedException;
import dev.gossamer.comm.Traffic;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.optimizer.LearningRate;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrainingLoopTest {
  @TempDir static Path shared;
  @TempDir Path folder;

  /// A run of four epochs with a checkpoint.
  @BeforeAll
  static void makeARun() {
    try (Toy toy = new Toy()) {
      run(shared, toy, settings(4, 0, 4), "four");
    }
  }

  private void copyOfARun(String name) throws IOException {
    Path from = shared.resolve("four");
    try (Stream<Path> all = Files.walk(from)) {
      for (Path each : all.toList()) {
        Files.copy(each, folder.resolve(name).resolve(from.relativize(each).toString()));
      }
    }
  }

  /// Weights follow a gradient that depends on weights and epoch; validation accuracy peaks at
  /// epoch 6.
  private static final class Toy implements EpochTrainer {
    private final Arena arena = Arena.ofShared();
    private final Workers workers = new Workers(1);
    private final DenseState state;
    private final Optimizer optimizer;
    private final Team team;
    private int evaluations;
    double lossFrom = Double.MAX_VALUE;
    double weightsFrom = Double.MAX_VALUE;
    IntPredicate withoutScore = _ -> false;
    @Nullable NumericFault fault;

    Toy() {
      this(ThreadRanks.alone());
    }

    Toy(Communicator world) {
      team = Team.of(world, arena);
      ParameterLayout layout = ParameterLayout.builder().add("w", 2, 3, true).build();
      state = new DenseState(arena, layout);
      optimizer = new Optimizer(arena, new OptimizerRule.Adam(0.01), layout);
    }

    @Override
    public double train(int epoch, double learningRate) {
      for (int i = 0; i < 6; i++) {
        float w = state.weights().getAtIndex(ValueLayout.JAVA_FLOAT, i);
        state.gradients().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) Math.sin(w + i + epoch));
      }
      optimizer.step(state, learningRate, workers);
      if (epoch >= weightsFrom) {
        state.weights().setAtIndex(ValueLayout.JAVA_FLOAT, 5, Float.POSITIVE_INFINITY);
      }
      evaluations = epoch + 1;
      return epoch >= lossFrom ? Double.NaN : 1.0 / (epoch + 1);
    }

    @Override
    public Evaluation evaluate() {
      // Best after 6 epochs, and as good after 7 and 8: the first of equals is kept.
      double accuracy = 1 - Math.max(1, Math.abs(evaluations - 7)) / 100.0;
      // Best after 3 epochs.
      double loss = withoutScore.test(evaluations) ? Double.NaN : 2 + Math.abs(evaluations - 3);
      Evaluation.Scores scores =
          new Evaluation.Scores(10, Map.of(Metric.LOSS, loss, Metric.ACCURACY, accuracy));
      return new Evaluation(scores, scores, scores);
    }

    @Override
    public @Nullable NumericFault fault() {
      return fault;
    }

    @Override
    public DenseState state() {
      return state;
    }

    @Override
    public Optimizer optimizer() {
      return optimizer;
    }

    @Override
    public Traffic.Snapshot sent() {
      return new Traffic(1).snapshot();
    }

    @Override
    public Team team() {
      return team;
    }

    @Override
    public Map<Phase, Double> takePhases() {
      return Map.of();
    }

    float[] weights() {
      return state.weights().toArray(ValueLayout.JAVA_FLOAT);
    }

    @Override
    public void close() {
      workers.close();
      arena.close();
    }
  }

  private static LoopSettings settings(int epochs, int patience, int checkpointEvery) {
    return settings(Metric.ACCURACY, epochs, patience, checkpointEvery);
  }

  private static LoopSettings settings(
      Metric selectBy, int epochs, int patience, int checkpointEvery) {
    return new LoopSettings(
        epochs, selectBy, patience, 1, checkpointEvery, new LearningRate.Constant(0.1));
  }

  @Test
  void keepsTheWeightsOfTheBestEpoch() throws IOException {
    try (Toy toy = new Toy();
        Toy six = new Toy()) {
      TrainingLoop.Result result = run(toy, settings(10, 0, 0), "a");
      run(six, settings(6, 0, 0), "b");
      assertThat(result.bestEpoch()).isEqualTo(6);
      assertThat(result.epochs()).isEqualTo(10);
      assertThat(toy.weights()).isEqualTo(six.weights());
      assertThat(Files.readAllLines(folder.resolve("a/metrics.jsonl"))).hasSize(10);
    }
  }

  @Test
  void stopsWhenPatienceIsOut() {
    try (Toy toy = new Toy()) {
      assertThat(run(toy, settings(100, 3, 0), "a").epochs()).isEqualTo(9);
    }
  }

  /// Scores are better until the sixth epoch: the second evaluation has nothing to say against it.
  @Test
  void patienceEndsAtAnEvaluationAlsoAfterAResume() throws IOException {
    LoopSettings seldom =
        new LoopSettings(100, Metric.ACCURACY, 1, 2, 0, new LearningRate.Constant(0.1));
    try (Toy whole = new Toy();
        Toy first = new Toy();
        Toy second = new Toy()) {
      assertThat(run(whole, seldom, "whole").epochs()).isEqualTo(8);
      RunFolder parts = new RunFolder(Files.createDirectory(folder.resolve("parts")));
      List<TrainingLoop> loops = new ArrayList<>();
      loops.add(
          new TrainingLoop(
              seldom,
              first,
              parts,
              true,
              record -> {
                if (record.epoch() == 3) {
                  loops.getFirst().requestStop();
                }
              }));
      assertThat(loops.getFirst().run().interrupted()).isTrue();
      TrainingLoop.Result result = run(second, seldom, "parts");
      assertThat(result.epochs()).isEqualTo(8);
      assertThat(result.bestEpoch()).isEqualTo(6);
      assertThat(second.weights()).isEqualTo(whole.weights());
    }
  }

  /// A loss is not compared with an accuracy: selection begins with the weights of the checkpoint.
  @Test
  void aResumedRunSelectsByAnotherScoreFromItsCheckpointOn() throws IOException {
    copyOfARun("a");
    RunFolder run = new RunFolder(folder.resolve("a"));
    assertThat(TrainingLoop.otherScore(run, Metric.ACCURACY)).isEmpty();
    assertThat(TrainingLoop.otherScore(run, Metric.LOSS)).hasValue("accuracy");
    try (Toy toy = new Toy();
        Toy five = new Toy();
        Toy done = new Toy();
        Toy back = new Toy()) {
      TrainingLoop.Result result = run(toy, settings(Metric.LOSS, 8, 0, 4), "a");
      assertThat(result.bestEpoch()).isEqualTo(5);
      run(five, settings(5, 0, 0), "five");
      assertThat(toy.weights()).isEqualTo(five.weights());
      assertThat(run(done, settings(Metric.LOSS, 8, 0, 4), "a").bestEpoch()).isEqualTo(5);
      // The loss, 4, is no accuracy.
      assertThat(run(back, settings(Metric.ACCURACY, 8, 0, 4), "a").bestEpoch()).isEqualTo(8);
    }
  }

  @Test
  void anOlderManifestDoesNotSayTheScore() throws IOException {
    copyOfARun("a");
    RunFolder run = new RunFolder(folder.resolve("a"));
    Path manifest = run.checkpoint().resolve("manifest.json");
    String older = Files.readString(manifest).replace("\"selectBy\":\"accuracy\",", "");
    assertThat(older).isNotEqualTo(Files.readString(manifest));
    Files.writeString(manifest, older);
    assertThat(TrainingLoop.otherScore(run, Metric.LOSS)).isEmpty();
    try (Toy toy = new Toy()) {
      assertThat(run(toy, settings(8, 0, 4), "a").bestEpoch()).isEqualTo(6);
    }
  }

  @Test
  void aLossIsBestWhereItIsLowest() {
    try (Toy toy = new Toy();
        Toy three = new Toy()) {
      TrainingLoop.Result result = run(toy, settings(Metric.LOSS, 100, 4, 2), "a");
      run(three, settings(3, 0, 0), "b");
      assertThat(result.bestEpoch()).isEqualTo(3);
      assertThat(result.epochs()).isEqualTo(7);
      assertThat(toy.weights()).isEqualTo(three.weights());
    }
  }

  @Test
  void withoutTheScoreNoEpochIsBestAndNoneIsTheLast() {
    try (Toy toy = new Toy()) {
      TrainingLoop.Result result = run(toy, settings(Metric.ROC_AUC, 9, 2, 0), "a");
      assertThat(result.bestEpoch()).isZero();
      assertThat(result.epochs()).isEqualTo(9);
    }
  }

  @Test
  void aResumedRunHasTheBitsOfAnUninterruptedOne() throws IOException {
    try (Toy whole = new Toy();
        Toy first = new Toy();
        Toy second = new Toy()) {
      run(whole, settings(12, 0, 0), "whole");
      RunFolder parts = new RunFolder(folder.resolve("parts"));
      Files.createDirectories(parts.path());
      List<TrainingLoop> loops = new ArrayList<>();
      TrainingLoop interrupted =
          new TrainingLoop(
              settings(12, 0, 2),
              first,
              parts,
              true,
              record -> {
                if (record.epoch() == 7) {
                  loops.getFirst().requestStop();
                }
              });
      loops.add(interrupted);
      assertThat(interrupted.run().interrupted()).isTrue();
      TrainingLoop.Result result =
          new TrainingLoop(settings(12, 0, 2), second, parts, true, record -> {}).run();
      assertThat(result.epochs()).isEqualTo(12);
      assertThat(result.bestEpoch()).isEqualTo(6);
      assertThat(second.weights()).isEqualTo(whole.weights());
      assertThat(metricsOfTheTraining(folder.resolve("parts")))
          .isEqualTo(metricsOfTheTraining(folder.resolve("whole")));
    }
  }

  @Test
  void refusesADamagedCheckpoint() throws IOException {
    try (Toy toy = new Toy()) {
      run(toy, settings(4, 0, 2), "a");
      Path file = folder.resolve("a/checkpoint/epoch-000004.safetensors");
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length - 1] ^= 1;
      Files.write(file, bytes);
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> run(toy, settings(8, 0, 2), "a"))
          .withMessageContaining("epoch-000004.safetensors: expected SHA-256")
          .withMessageContaining("the checkpoint is damaged");
    }
  }

  /// A file or the manifest of the newest checkpoint, which is cut to its first half.
  @ParameterizedTest
  @ValueSource(strings = {"epoch-000004.safetensors", "manifest.json"})
  void mendsADamagedCheckpointByTheOneBefore(String name) throws IOException {
    try (Toy whole = new Toy();
        Toy toy = new Toy();
        Toy again = new Toy()) {
      run(whole, settings(8, 0, 2), "whole");
      run(toy, settings(4, 0, 2), "a");
      RunFolder run = new RunFolder(folder.resolve("a"));
      assertThat(TrainingLoop.mend(run)).isEmpty();
      cut(run.checkpoint().resolve(name));
      assertThat(TrainingLoop.mend(run))
          .hasValueSatisfying(what -> assertThat(what).contains(name));
      assertThat(run.checkpoint().resolve("manifest.json")).content().contains("\"epoch\":2");
      run(again, settings(8, 0, 2), "a");
      assertThat(again.weights()).isEqualTo(whole.weights());
      assertThat(metricsOfTheTraining(folder.resolve("a")))
          .isEqualTo(metricsOfTheTraining(folder.resolve("whole")));
    }
  }

  @Test
  void mendsNothingWithoutAnIntactCheckpointBefore() throws IOException {
    try (Toy toy = new Toy()) {
      run(toy, settings(4, 0, 2), "a");
      RunFolder run = new RunFolder(folder.resolve("a"));
      for (int epochs : List.of(2, 4)) {
        cut(run.checkpoint().resolve(CheckpointFolder.fileOfAll(epochs)));
      }
      List<byte[]> before = contents(run.path());
      assertThat(TrainingLoop.mend(run)).isEmpty();
      assertThat(contents(run.path())).containsExactlyElementsOf(before);
      copyOfARun("single");
      RunFolder single = new RunFolder(folder.resolve("single"));
      cut(single.checkpoint().resolve(CheckpointFolder.fileOfAll(4)));
      assertThat(TrainingLoop.mend(single)).isEmpty();
    }
  }

  private static void cut(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));
  }

  @Test
  void refusesRanksThatFindDifferentCheckpoints() throws IOException {
    copyOfARun("shared");
    assertThatExceptionOfType(RankFailedException.class)
        .isThrownBy(() ->
            ThreadRanks.run(
                2,
                world -> {
                  try (Toy toy = new Toy(world)) {
                    run(toy, settings(8, 0, 4), world.rank() == 0 ? "shared" : "elsewhere");
                  }
                }))
        .havingCause()
        .isInstanceOf(InvalidInputException.class)
        .withMessageContaining(
            "expected one checkpoint for all ranks, found those of epoch 0 and 4; the folder must be");
  }

  @Test
  void aFinishedRunHasNothingLeftToDo() throws IOException {
    try (Toy first = new Toy();
        Toy again = new Toy()) {
      run(first, settings(8, 0, 4), "a");
      byte[] metrics = Files.readAllBytes(folder.resolve("a/metrics.jsonl"));
      TrainingLoop.Result result = run(again, settings(8, 0, 4), "a");
      assertThat(result.epochs()).isEqualTo(8);
      assertThat(result.bestEpoch()).isEqualTo(6);
      assertThat(result.interrupted()).isFalse();
      assertThat(again.weights()).isEqualTo(first.weights());
      assertThat(folder.resolve("a/metrics.jsonl")).hasBinaryContent(metrics);
    }
  }

  /// A JSON object or a field, what stands there instead, and what is said of it.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          .*|null|manifest.json: expected a JSON object, found null
          .*|[]|manifest.json: expected a JSON object, found []
          .*|{}|manifest.json: steps: expected a whole number in 0..9223372036854775807, found none
          .*|{ "steps"|manifest.json: expected a JSON object, found something else
          "steps":4|"steps":-1|manifest.json: steps: expected a whole number in 0.., found -1
          "steps":4|"steps":null|manifest.json: steps: expected a whole number in 0.., found null
          "steps":4|"steps":4.5|manifest.json: steps: expected a whole number in 0.., found 4.5
          "steps":4|"steps":1e99|manifest.json: steps: expected a whole number in 0.., found 1
          "steps":4|"steps":99999999999999999999|steps: expected a whole number in 0..
          "progress":.*|"progress":null}|progress: expected an object, found null
          "epoch":4|"epoch":-5|progress.epoch: expected a whole number in 0..2147483647, found -5
          "epoch":4|"epoch":1000000000|file: expected a file of this checkpoint, epoch-1000000000
          "epoch":4|"epoch":"4"|progress.epoch: expected a whole number in 0..2147483647, found "4"
          "bestEpoch":4|"bestEpoch":5|progress.bestEpoch: expected a whole number in 0..4, found 5
          "bestEpoch":4|"bestEpoch":0|progress.bestValidation: expected a number in -1.0..-1.0
          "bestValidation":[^}]*|"bestValidation":NaN|expected a JSON object
          "bestValidation":[^}]*|"bestValidation":2|progress.bestValidation: expected a number in 0
          "selectBy":"[^"]*"|"selectBy":7|selectBy: expected the name of a score, found 7
          "file":"[^"]*"|"file":null|file: expected a file of this checkpoint, epoch-000004
          "file":"[^"]*"|"file":"../../x"|file: expected a file of this checkpoint, epoch-000004
          "file":"[^"]*"|"file":"epoch-000004\\\\u0000"|file: expected a file of this checkpoint
          "file":"[^"]*"|"file":"epoch-000005.safetensors"|file: expected a file of this checkpoint
          "sha256":"[^"]*"|"sha256":"0"|sha256: expected 64 hexadecimal digits, found "0"
          "sha256":"[^"]*"|"sha256":{}|sha256: expected 64 hexadecimal digits, found {}
          """)
  void refusesAManifestThatSaysSomethingElse(String field, String instead, String message)
      throws IOException {
    try (Toy toy = new Toy()) {
      copyOfARun("a");
      Path manifest = folder.resolve("a/checkpoint/manifest.json");
      String changed = Files.readString(manifest).replaceFirst(field, instead);
      assertThat(changed).isNotEqualTo(Files.readString(manifest));
      Files.writeString(manifest, changed);
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> run(toy, settings(8, 0, 4), "a"))
          .withMessageContaining(message.replace("in 0.., ", "in 0..9223372036854775807, "));
    }
  }

  @Test
  void refusesAManifestThatIsTooLong() throws IOException {
    try (Toy toy = new Toy()) {
      copyOfARun("a");
      Path manifest = folder.resolve("a/checkpoint/manifest.json");
      Files.writeString(manifest, Files.readString(manifest) + " ".repeat(1 << 20));
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> run(toy, settings(8, 0, 4), "a"))
          .withMessageContaining("manifest.json: expected at most 1048576 bytes, found ");
    }
  }

  @Test
  void refusesFewerEpochsThanAreDone() throws IOException {
    try (Toy toy = new Toy()) {
      copyOfARun("a");
      assertThatExceptionOfType(InvalidSettingException.class)
          .isThrownBy(() -> run(toy, settings(3, 0, 4), "a"))
          .withMessageMatching("epochs: expected at least the 4 that are done in .*, found 3");
    }
  }

  @Test
  void deletesNothingButItsOwnEarlierCheckpoints() throws IOException {
    try (Toy toy = new Toy()) {
      run(toy, settings(2, 0, 2), "a");
      Path checkpoint = folder.resolve("a/checkpoint");
      List<String> others =
          List.of(
              "mine.safetensors",
              "epoch-000002-kept.safetensors",
              "iteration.safetensors",
              ".mine.safetensors.tmp-0123cdef");
      for (String name : others) {
        Files.writeString(checkpoint.resolve(name), name);
      }
      List<String> halfWritten =
          List.of(
              ".epoch-000004.safetensors.tmp-0123cdef",
              ".epoch-000004.rank-001.safetensors.tmp-0123cdef",
              ".manifest.json.tmp-0123cdef",
              ".earlier.json.tmp-0123cdef");
      for (String name : halfWritten) {
        Files.writeString(checkpoint.resolve(name), name);
      }
      run(toy, settings(6, 0, 2), "a");
      for (String name : halfWritten) {
        assertThat(checkpoint.resolve(name)).doesNotExist();
      }
      assertThat(checkpoint.resolve("epoch-000002.safetensors")).doesNotExist();
      assertThat(checkpoint.resolve("epoch-000004.safetensors")).exists();
      assertThat(checkpoint.resolve("epoch-000006.safetensors")).exists();
      for (String name : others) {
        assertThat(checkpoint.resolve(name)).hasContent(name);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "metrics.jsonl",
        "checkpoint",
        "checkpoint/manifest.json",
        "checkpoint/epoch-000004.safetensors",
        "checkpoint/epoch-000008.safetensors"
      })
  void followsNoLink(String name) throws IOException {
    try (Toy toy = new Toy()) {
      copyOfARun("a");
      Path link = folder.resolve("a").resolve(name);
      Path elsewhere = folder.resolve("elsewhere");
      if (Files.exists(link)) {
        Files.move(link, elsewhere);
      } else {
        Files.writeString(elsewhere, "kept");
      }
      Files.createSymbolicLink(link, elsewhere);
      List<byte[]> before = contents(elsewhere);
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> run(toy, settings(8, 0, 4), "a"))
          .withMessageMatching(
              ".*/%s: expected a (file|folder) of the run, found a link; .*".formatted(name));
      assertThat(contents(elsewhere)).containsExactlyElementsOf(before);
    }
  }

  private static List<byte[]> contents(Path place) throws IOException {
    List<byte[]> contents = new ArrayList<>();
    try (Stream<Path> all = Files.walk(place)) {
      for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
        contents.add(Files.readAllBytes(file));
      }
    }
    return contents;
  }

  /// Copies of runs can share files by hard links.
  @Test
  void leavesAnotherNameOfItsMetricsAlone() throws IOException {
    try (Toy toy = new Toy()) {
      copyOfARun("a");
      Path copy = Files.createLink(folder.resolve("copy"), folder.resolve("a/metrics.jsonl"));
      byte[] before = Files.readAllBytes(copy);
      run(toy, settings(8, 0, 4), "a");
      assertThat(copy).hasBinaryContent(before);
      assertThat(Files.readAllLines(folder.resolve("a/metrics.jsonl"))).hasSize(8);
    }
  }

  @Test
  void replacesMetricsWithoutLines() throws IOException {
    try (Toy toy = new Toy()) {
      copyOfARun("a");
      Path file = Files.write(folder.resolve("a/metrics.jsonl"), new byte[2 << 20]);
      run(toy, settings(8, 0, 4), "a");
      assertThat(RunMetrics.read(file).steps())
          .extracting(RunMetrics.Step::number)
          .containsExactly(5, 6, 7, 8);
    }
  }

  private void assertDiverges(Toy toy, int checkpointEvery, String message) {
    assertThatExceptionOfType(TrainingFailedException.class)
        .isThrownBy(() -> run(toy, settings(8, 0, checkpointEvery), "a"))
        .withMessage(message);
  }

  @Test
  void failsWhenTheLossIsNoNumber() {
    try (Toy toy = new Toy()) {
      toy.lossFrom = 3;
      assertDiverges(
          toy, 0, "epoch 4: the loss is NaN; lower the learning rate; no checkpoint was written");
      toy.fault = new NumericFault(2, false);
      assertDiverges(
          toy,
          2,
          "epoch 4: the loss is NaN, and the output of layer 2 is the first that is not finite; lower the learning rate; the last checkpoint is of epoch 2");
    }
  }

  private static @Nullable NumericFault fault(String words) {
    return words.isEmpty() ? null : new NumericFault(words.charAt(1) - '0', words.charAt(0) == 'w');
  }

  /// One rank alone may have seen what spoils the weights of all.
  @ParameterizedTest
  @CsvSource({
    "o3, '', the output of layer 3 is the first that is not finite",
    "'', o2, the output of layer 2 is the first that is not finite",
    "o3, o2, the output of layer 2 is the first that is not finite",
    "w1, o2, the output of layer 2 is the first that is not finite",
    "w2, w2, the step before has left weights of layer 2 that are not finite"
  })
  void theFirstFaultOfAllRanksIsNamed(String ofOne, String ofTheOther, String named) {
    assertThatThrownBy(() ->
            ThreadRanks.run(
                2,
                world -> {
                  try (Toy toy = new Toy(world)) {
                    toy.lossFrom = 0;
                    toy.fault = fault(world.rank() == 0 ? ofOne : ofTheOther);
                    new TrainingLoop(settings(8, 0, 0), toy, null, false, record -> {}).run();
                  }
                }))
        .hasRootCauseMessage(
            "epoch 1: the loss is NaN, and %s; lower the learning rate".formatted(named));
  }

  /// Finite weights may have outputs that are not.
  @Test
  void scoresOfOutputsThatAreNoNumbersAreNotCompared() {
    try (Toy toy = new Toy();
        Toy none = new Toy()) {
      toy.withoutScore = epochs -> epochs == 6;
      assertThat(run(toy, settings(8, 0, 0), "b").bestEpoch()).isEqualTo(7);
      none.withoutScore = _ -> true;
      assertDiverges(
          none,
          2,
          "epoch 8: the validation loss is NaN; lower the learning rate; the last checkpoint is of epoch 8");
    }
  }

  /// A step may spoil weights after a loss that was still finite.
  @Test
  void weightsThatAreNotFiniteAreNeverKept() {
    try (Toy toy = new Toy()) {
      toy.weightsFrom = 3;
      assertDiverges(
          toy,
          2,
          "epoch 4: weights are not finite; lower the learning rate; the last checkpoint is of epoch 2");
    }
    try (Toy resumed = new Toy()) {
      assertThat(run(resumed, settings(8, 0, 2), "a").epochs()).isEqualTo(8);
    }
    try (Toy last = new Toy()) {
      last.weightsFrom = 7;
      assertThatExceptionOfType(TrainingFailedException.class)
          .isThrownBy(() -> run(last, settings(Metric.ROC_AUC, 8, 0, 0), "b"))
          .withMessageStartingWith("epoch 8: weights are not finite");
    }
  }

  private TrainingLoop.Result run(Toy toy, LoopSettings settings, String name) {
    return run(folder, toy, settings, name);
  }

  private static TrainingLoop.Result run(Path folder, Toy toy, LoopSettings settings, String name) {
    RunFolder run = new RunFolder(folder.resolve(name));
    try {
      Files.createDirectories(run.path());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return new TrainingLoop(settings, toy, run, true, record -> {}).run();
  }

  private static List<String> metricsOfTheTraining(Path run) throws IOException {
    return Files.readAllLines(run.resolve("metrics.jsonl")).stream()
        .map(line -> line.replaceAll("\"(seconds|peak_rss_bytes)\":[^,]*", ""))
        .toList();
  }
}
