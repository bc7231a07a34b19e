package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.comm.Traffic;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.nn.DenseState;
import dev.gossamer.nn.ParameterLayout;
import dev.gossamer.nn.Phase;
import dev.gossamer.nn.optimizer.LearningRate;
import dev.gossamer.nn.optimizer.Optimizer;
import dev.gossamer.nn.optimizer.OptimizerRule;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrainingLoopTest {
  @TempDir Path folder;

  /// Weights follow a gradient that depends on weights and epoch; validation accuracy peaks at
  /// epoch 6.
  private static final class Toy implements EpochTrainer {
    private final Arena arena = Arena.ofShared();
    private final Workers workers = new Workers(1);
    private final DenseState state;
    private final Optimizer optimizer;
    private int evaluations;
    double lossFrom = Double.MAX_VALUE;

    Toy() {
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
      evaluations = epoch + 1;
      return epoch >= lossFrom ? Double.NaN : 1.0 / (epoch + 1);
    }

    @Override
    public Evaluation evaluate() {
      double accuracy = 1 - Math.abs(evaluations - 6) / 100.0;
      Evaluation.Scores scores =
          new Evaluation.Scores(10, 1, accuracy, accuracy, OptionalDouble.empty());
      return new Evaluation(scores, scores, scores);
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
    public boolean anyRank(boolean value) {
      return value;
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
    return new LoopSettings(epochs, patience, 1, checkpointEvery, new LearningRate.Constant(0.1));
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
      assertThat(metricsWithoutTimes(folder.resolve("parts")))
          .isEqualTo(metricsWithoutTimes(folder.resolve("whole")));
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

  @Test
  void failsWhenTheLossIsNoNumber() {
    try (Toy toy = new Toy()) {
      toy.lossFrom = 3;
      assertThatExceptionOfType(TrainingFailedException.class)
          .isThrownBy(() -> run(toy, settings(8, 0, 0), "a"))
          .withMessage("epoch 4: the loss is NaN; lower the learning rate");
    }
  }

  private TrainingLoop.Result run(Toy toy, LoopSettings settings, String name) {
    RunFolder run = new RunFolder(folder.resolve(name));
    try {
      Files.createDirectories(run.path());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return new TrainingLoop(settings, toy, run, true, record -> {}).run();
  }

  private static List<String> metricsWithoutTimes(Path run) throws IOException {
    return Files.readAllLines(run.resolve("metrics.jsonl")).stream()
        .map(line -> line.replaceAll("\"seconds\":[^,]*", ""))
        .toList();
  }
}
