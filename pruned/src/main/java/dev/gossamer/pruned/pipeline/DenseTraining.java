package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.nn.optimizer.LearningRate;
import dev.gossamer.pruned.corpus.Part;
import dev.gossamer.run.MetricsFile;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.TrainingFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// The iterations of a run on one rank: pruning when it is time, evaluations, checkpoints, and
/// `metrics.jsonl`. All ranks run it together.
public final class DenseTraining {
  private static final JsonMapper JSON = new JsonMapper();

  /// How long a run goes on, and what it does between iterations.
  ///
  /// @param iterations of the whole run
  /// @param evaluateEvery iterations between two evaluations; the last is always evaluated
  /// @param evaluateSamples of the validation part that are looked at, at most
  /// @param checkpointEvery iterations between two checkpoints; 0 for none but at an interruption
  public record Settings(
      int iterations,
      int evaluateEvery,
      long evaluateSamples,
      int checkpointEvery,
      LearningRate learningRate) {
    public Settings {
      require("iterations", iterations, 1);
      require("evaluate-every", evaluateEvery, 1);
      require("evaluate-samples", evaluateSamples, 1);
      require("checkpoint-every", checkpointEvery, 0);
    }

    private static void require(String name, long value, long least) {
      if (value < least) {
        throw new IllegalArgumentException(
            "%s: expected at least %d, found %d".formatted(name, least, value));
      }
    }
  }

  /// What happened in an iteration, as the first rank tells.
  ///
  /// @param number 1-based
  /// @param kept parameters of the whole network that survive
  /// @param validation after it, or null if it was not evaluated
  public record Iteration(
      int number,
      double learningRate,
      IterationResult result,
      long kept,
      @Nullable Score validation) {}

  /// How a run ended.
  ///
  /// @param iterations done, with those of earlier runs that it went on from
  /// @param validation of the last iteration; null if the run was interrupted
  /// @param records of this run
  public record Result(
      int iterations, boolean interrupted, @Nullable Score validation, List<Iteration> records) {
    public Result {
      records = List.copyOf(records);
    }
  }

  private final PipelineTrainer trainer;
  private final Pruner pruner;
  private final Settings settings;
  private final RunFolder folder;
  private final DenseCheckpoint checkpoint;
  private final boolean first;
  private final Consumer<Iteration> listener;
  private volatile boolean stop;

  /// @param first whether this rank writes
  /// @param listener told of each iteration
  public DenseTraining(
      PipelineTrainer trainer,
      Pruner pruner,
      Settings settings,
      RunFolder folder,
      boolean first,
      Consumer<Iteration> listener) {
    this.trainer = trainer;
    this.pruner = pruner;
    this.settings = settings;
    this.folder = folder;
    checkpoint = new DenseCheckpoint(folder.checkpoint());
    this.first = first;
    this.listener = listener;
  }

  /// Ends the run after the iteration that is under way, with a checkpoint. Any thread may call it.
  public void requestStop() {
    stop = true;
  }

  /// Trains to the end, from the folder's checkpoint if there is one. Collective.
  ///
  /// @throws TrainingFailedException if the loss is not finite
  /// @throws InvalidInputException if all iterations have been done, or the checkpoint is damaged
  public Result run() {
    int done = checkpoint.exists() ? checkpoint.read(trainer, pruner) : 0;
    if (done >= settings.iterations()) {
      throw new InvalidInputException(
          "%s: expected fewer than %d iterations done, found %d; to go on, ask for more --iterations"
              .formatted(folder.path(), settings.iterations(), done));
    }
    List<Iteration> records = new ArrayList<>();
    Score validation = null;
    try (MetricsFile metrics = first ? MetricsFile.open(folder.metrics(), done) : null) {
      for (int step = done; step < settings.iterations(); step++) {
        pruner.before(step);
        double rate = settings.learningRate().at(step);
        IterationResult result = trainer.iterate(step, rate, stop);
        requireFinite(step, result);
        boolean last = step + 1 == settings.iterations();
        boolean evaluated = last || (step + 1) % settings.evaluateEvery() == 0;
        validation =
            evaluated ? trainer.evaluate(Part.VALIDATION, settings.evaluateSamples()) : null;
        Iteration record = new Iteration(step + 1, rate, result, pruner.kept(), validation);
        records.add(record);
        if (metrics != null) {
          metrics.append(line(record));
        }
        listener.accept(record);
        boolean due =
            settings.checkpointEvery() > 0 && (step + 1) % settings.checkpointEvery() == 0;
        if (result.stopped() && !last) {
          checkpoint.write(step + 1, trainer, pruner);
          return new Result(step + 1, true, null, records);
        }
        if (due || last) {
          checkpoint.write(step + 1, trainer, pruner);
        }
      }
    }
    return new Result(settings.iterations(), false, validation, records);
  }

  private static void requireFinite(int step, IterationResult result) {
    if (!Double.isFinite(result.loss())) {
      throw new TrainingFailedException(
          "iteration %d: the loss is %s; lower --lr, or use --precision bf16"
              .formatted(step + 1, result.loss()));
    }
  }

  private ObjectNode line(Iteration record) {
    IterationResult result = record.result();
    ObjectNode line = JSON.createObjectNode();
    line.put("iteration", record.number());
    line.put("loss", result.loss());
    line.put("learning_rate", record.learningRate());
    line.put("gradient_norm", result.gradientNorm());
    line.put("loss_scale", result.lossScale());
    line.put("skipped", result.skipped());
    line.put("sparsity", 1 - (double) record.kept() / pruner.parameters());
    line.put("seconds", result.seconds());
    ObjectNode phases = line.putObject("phase_seconds");
    result.phases().forEach((phase, seconds) -> phases.put(phase.label(), seconds));
    if (record.validation() != null) {
      ObjectNode validation = line.putObject("validation");
      validation.put("loss", record.validation().loss());
      validation.put("accuracy", record.validation().accuracy());
      validation.put("perplexity", record.validation().perplexity());
    }
    return line;
  }
}
