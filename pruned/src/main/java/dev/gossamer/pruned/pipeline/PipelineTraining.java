package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.TrainingFailedException;
import dev.gossamer.nn.optimizer.LearningRate;
import dev.gossamer.pruned.corpus.Part;
import dev.gossamer.run.MetricsFile;
import dev.gossamer.run.RunFolder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The iterations of a run on one rank: pruning, evaluations and, if the run has a folder,
/// checkpoints and `metrics.jsonl`. All ranks run it together.
public final class PipelineTraining {

  /// Iterations and learning rate of a run.
  ///
  /// @param iterations evaluations and checkpoints
  /// @param learningRate of each iteration
  /// @param smaller the grid on which a pruned network continues; null for the initial grid
  public record Settings(
      IterationSettings iterations, LearningRate learningRate, @Nullable SmallerGrid smaller) {}

  /// How a run ended.
  ///
  /// @param iterations done, including those of the runs that it resumed
  /// @param interrupted whether it was asked to stop before its last iteration
  /// @param validation of the last iteration; null if the run was interrupted
  /// @param records of this run
  public record Result(
      int iterations,
      boolean interrupted,
      @Nullable Score validation,
      List<IterationRecord> records) {
    /// Copies the collections.
    public Result {
      records = List.copyOf(records);
    }
  }

  private final PipelineTrainer trainer;
  private final Pruner pruner;
  private final IterationSettings settings;
  private final LearningRate learningRate;
  private final @Nullable SmallerGrid smaller;
  private final @Nullable RunFolder folder;
  private final @Nullable PipelineCheckpoint checkpoint;
  private final IterationListener listener;

  /// Creates a run on this rank.
  ///
  /// @param trainer of this rank, in the state of [Beginning#of]
  /// @param pruner of this rank
  /// @param settings iterations and learning rate
  /// @param folder where the first rank writes metrics and every stage its part of a checkpoint;
  ///   null for a run that writes no files
  /// @param listener notified of each iteration
  public PipelineTraining(
      PipelineTrainer trainer,
      Pruner pruner,
      Settings settings,
      @Nullable RunFolder folder,
      IterationListener listener) {
    this.trainer = trainer;
    this.pruner = pruner;
    this.settings = settings.iterations();
    learningRate = settings.learningRate();
    smaller = settings.smaller();
    this.folder = folder;
    checkpoint = folder == null ? null : new PipelineCheckpoint(folder.checkpoint());
    this.listener = listener;
  }

  /// Trains to the end, from the folder's checkpoint if there is one. After the last iteration, it
  /// only evaluates the network. Collective.
  ///
  /// @return how the run ended
  /// @throws TrainingFailedException if the loss is not finite
  /// @throws dev.gossamer.base.InvalidInputException if the checkpoint has more iterations than the
  ///   run, or is damaged
  public Result run() {
    int done = checkpoint != null && checkpoint.exists() ? checkpoint.read(trainer, pruner) : 0;
    if (done > settings.iterations()) {
      throw new InvalidSettingException(
          "{iterations}: expected at least the %d that are done%s, found %d"
              .formatted(
                  done, folder == null ? "" : " in " + folder.path(), settings.iterations()));
    }
    if (done == settings.iterations() || (done > 0 && isHopeless(done - 1))) {
      trainer.takeBest();
      return new Result(done, false, validation(), List.of());
    }
    List<IterationRecord> records = new ArrayList<>();
    try (MetricsFile metrics = metrics(done)) {
      for (int step = done; step < settings.iterations(); step++) {
        IterationRecord record = iteration(step);
        records.add(record);
        if (metrics != null) {
          metrics.append(record.line(pruner.parameters()));
        }
        listener.done(record);
        boolean last = record.number() == settings.iterations() || isHopeless(step);
        boolean stopped = record.result().stopped() && !last;
        if (checkpoint != null && (stopped || last || isCheckpointDue(record.number()))) {
          checkpoint.write(record.number(), trainer, pruner);
        }
        if (stopped) {
          return new Result(record.number(), true, null, records);
        }
        if (last) {
          break;
        }
      }
    }
    IterationRecord last = records.getLast();
    return new Result(last.number(), false, ended(last), records);
  }

  /// Whether patience is at its end.
  ///
  /// @param step 0-based
  private boolean isHopeless(int step) {
    int worse = trainer.best().standing().worse();
    return settings.patience() > 0 && pruner.isDone(step) && worse >= settings.patience();
  }

  /// The score of the weights that the run ends with.
  private Score ended(IterationRecord last) {
    if (settings.keepsBest() && trainer.best().standing().iteration() < last.number()) {
      trainer.takeBest();
      return validation();
    }
    return last.validation() == null ? validation() : last.validation();
  }

  private @Nullable MetricsFile metrics(int done) {
    return folder == null || trainer.world().rank() > 0
        ? null
        : MetricsFile.open(folder.metrics(), done);
  }

  private boolean isCheckpointDue(int done) {
    return settings.checkpointEvery() > 0 && done % settings.checkpointEvery() == 0;
  }

  /// @param step 0-based
  private IterationRecord iteration(int step) {
    if (pruner.before(step) && smaller != null) {
      List<StagePart> stages = smaller.choose(trainer);
      if (stages != null) {
        trainer.move(stages);
        listener.moved(step, stages);
      }
    }
    double rate = learningRate.at(step);
    IterationResult result = trainer.iterate(step, rate, listener.stops());
    requireFinite(step, result);
    boolean evaluated =
        step + 1 == settings.iterations() || (step + 1) % settings.evaluateEvery() == 0;
    Score score = evaluated ? validation() : null;
    if (score != null) {
      trainer.evaluated(step + 1, score.loss());
    }
    return new IterationRecord(
        step + 1, rate, trainer.part().settings().grid(), result, pruner.kept(), score);
  }

  private Score validation() {
    return trainer.evaluate(Part.VALIDATION, settings.evaluateSamples());
  }

  private static void requireFinite(int step, IterationResult result) {
    if (!Double.isFinite(result.loss())) {
      throw new TrainingFailedException(
          "iteration %d: the loss is %s; lower the learning rate, or use bf16 or fp32"
              .formatted(step + 1, result.loss()));
    }
  }
}
