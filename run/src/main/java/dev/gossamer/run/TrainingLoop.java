package dev.gossamer.run;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.TrainingFailedException;
import dev.gossamer.nn.state.DenseState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Runs the epochs of a trainer: learning rate, evaluation, best weights, early stopping, metrics,
/// checkpoints, and a stop between two epochs on request.
public final class TrainingLoop {
  /// How a run ended.
  ///
  /// @param epochs number of completed epochs, including those before a resume
  /// @param bestEpoch 1-based number of the epoch whose weights the model has
  /// @param interrupted whether [#requestStop] ended it, in which case a checkpoint was written
  /// @param finalEvaluation scores of these weights
  public record Result(
      int epochs, int bestEpoch, boolean interrupted, Evaluation finalEvaluation) {}

  private final LoopSettings settings;
  private final EpochTrainer trainer;
  private final @Nullable RunFolder folder;
  private final @Nullable Checkpoint checkpoint;
  private final boolean writer;
  private final Consumer<EpochRecord> listener;
  private volatile boolean stopRequested;

  /// Number of completed epochs in the existing checkpoint; -1 if there is none.
  private int checkpointed = -1;

  /// Prepares a run.
  ///
  /// @param settings how long the loop runs
  /// @param trainer the trainer to run
  /// @param folder for metrics, checkpoints and traffic; null to write nothing
  /// @param writer whether this rank writes the run folder; exactly one rank must
  /// @param listener notified of every epoch, on the loop's thread
  public TrainingLoop(
      LoopSettings settings,
      EpochTrainer trainer,
      @Nullable RunFolder folder,
      boolean writer,
      Consumer<EpochRecord> listener) {
    this.settings = settings;
    this.trainer = trainer;
    this.folder = folder;
    this.checkpoint =
        folder == null ? null : new Checkpoint(folder.checkpoint(), settings.selectBy());
    this.writer = writer && folder != null;
    this.listener = listener;
  }

  /// Puts the checkpoint before the newest of a run in its place if the newest is damaged and the
  /// earlier one is not, unless another training writes to the folder. Called by one process,
  /// before ranks start.
  ///
  /// @param folder of the run
  /// @return what is wrong with the newest checkpoint, if it was replaced
  public static Optional<String> mend(RunFolder folder) {
    return MetricsFile.isOpen(folder.metrics())
        ? Optional.empty()
        : Checkpoint.mend(CheckpointFolder.ofEpochs(folder.checkpoint()));
  }

  /// {@return the name of the score that the best weights of a run's checkpoint were selected by,
  /// if it is another one: then those of earlier epochs are not compared with later ones, and
  /// selection begins with the weights of the checkpoint}
  ///
  /// @param folder of the run
  /// @param selectBy what weights are selected by from now on
  /// @throws InvalidInputException if the checkpoint is damaged
  public static Optional<String> otherScore(RunFolder folder, Metric selectBy) {
    Checkpoint checkpoint = new Checkpoint(folder.checkpoint(), selectBy);
    return checkpoint.exists() ? checkpoint.otherScore() : Optional.empty();
  }

  /// Requests the loop to write a checkpoint after the current epoch and to end. May be called from
  /// any thread.
  public void requestStop() {
    stopRequested = true;
  }

  /// Runs from the first epoch, or from the checkpoint if there is one, and leaves the best weights
  /// in the model and in the run folder.
  ///
  /// @return the best epoch and its scores
  /// @throws InvalidInputException if the checkpoint is damaged, of another model, has more epochs
  ///   than the run, or is not the same on all ranks
  /// @throws TrainingFailedException if the loss or the weights are not finite, with the first
  ///   layer where that was seen and the last checkpoint in the message
  public Result run() {
    try (Arena arena = Arena.ofShared()) {
      DenseState state = trainer.state();
      MemorySegment best = arena.allocate(state.weights().byteSize(), Float.BYTES);
      Checkpoint.Progress progress = Checkpoint.Progress.START;
      boolean comparable = true;
      if (checkpoint != null && checkpoint.exists()) {
        progress = checkpoint.read(state, trainer.optimizer(), best, trainer.carried());
        requireNotBeyond(progress.epoch());
        checkpointed = progress.epoch();
        comparable = checkpoint.otherScore().isEmpty();
      }
      requireSame(progress.epoch());
      if (!comparable) {
        Checkpoint.Progress before = Checkpoint.Progress.withoutBest(progress.epoch() - 1);
        progress = judged(before, trainer.evaluate(), best);
      }
      try (MetricsFile metrics =
          writer && folder != null ? MetricsFile.open(folder.metrics(), progress.epoch()) : null) {
        while (!finished(progress) && !anyRank(stopRequested)) {
          progress = epoch(progress, best, metrics);
        }
      }
      boolean interrupted = !finished(progress);
      boolean wanted = interrupted || settings.checkpointEvery() > 0;
      if (wanted && checkpointed != progress.epoch()) {
        write(progress, best);
      }
      if (!interrupted && progress.bestEpoch() > 0) {
        state.weights().copyFrom(best);
      }
      requireFiniteWeights(progress.epoch());
      int ofWeights = interrupted ? progress.epoch() : progress.bestEpoch();
      Evaluation last = trainer.evaluate();
      if (!isFinite(last)) {
        throw diverged(progress.epoch(), "the validation loss is " + last.validation().loss());
      }
      return new Result(progress.epoch(), ofWeights, interrupted, last);
    }
  }

  private boolean anyRank(boolean value) {
    return trainer.team().max(value ? 1 : 0)[0] > 0;
  }

  /// Machines may see different states of a folder that they do not share.
  private void requireSame(int epoch) {
    double[] most = trainer.team().max(epoch, -epoch);
    if (most[0] != -most[1]) {
      throw new InvalidInputException(
          "%s: expected one checkpoint for all ranks, found those of epoch %d and %d; the folder must be on a file system that all machines share"
              .formatted(
                  folder == null ? "run folder" : folder.path(), (int) -most[1], (int) most[0]));
    }
  }

  private void requireNotBeyond(int done) {
    if (done > settings.epochs() && folder != null) {
      throw new InvalidSettingException(
          "{epochs}: expected at least the %d that are done in %s, found %d"
              .formatted(done, folder.path(), settings.epochs()));
    }
  }

  private boolean finished(Checkpoint.Progress progress) {
    boolean outOfPatience =
        settings.patience() > 0
            && progress.bestEpoch() > 0
            && progress.epoch() - progress.bestEpoch() >= settings.patience()
            // Between two evaluations, the next one may find a better score.
            && evaluatesAfter(progress.epoch() - 1);
    return progress.epoch() >= settings.epochs() || outOfPatience;
  }

  private Checkpoint.Progress epoch(
      Checkpoint.Progress before, MemorySegment best, @Nullable MetricsFile metrics) {
    int epoch = before.epoch();
    double rate = settings.learningRate().at(epoch);
    long start = System.nanoTime();
    double loss = trainer.train(epoch, rate);
    double seconds = (System.nanoTime() - start) / 1e9;
    if (!Double.isFinite(loss)) {
      throw diverged(epoch + 1, "the loss is " + loss);
    }
    EpochCosts costs = EpochCosts.of(trainer);
    Evaluation evaluation = evaluatesAfter(epoch) ? trainer.evaluate() : null;
    EpochRecord record = new EpochRecord(epoch + 1, loss, rate, seconds, costs, evaluation);
    if (metrics != null) {
      metrics.append(record);
    }
    listener.accept(record);
    Checkpoint.Progress after = judged(before, evaluation, best);
    if (settings.checkpointEvery() > 0 && after.epoch() % settings.checkpointEvery() == 0) {
      write(after, best);
    }
    return after;
  }

  /// Says in which layer numbers went wrong, and what there is to go back to. Collective.
  private TrainingFailedException diverged(int epoch, String what) {
    String where =
        NumericFault.first(trainer.team(), trainer.fault())
            .map(fault -> ", and " + fault)
            .orElse("");
    String kept =
        checkpointed < 0
            ? "no checkpoint was written"
            : "the last checkpoint is of epoch " + checkpointed;
    return new TrainingFailedException(
        "epoch %d: %s%s; lower the learning rate%s"
            .formatted(epoch, what, where, checkpoint == null ? "" : "; " + kept));
  }

  private void requireFiniteWeights(int epoch) {
    if (!trainer.state().isFinite()) {
      throw diverged(epoch, "weights are not finite");
    }
  }

  private void write(Checkpoint.Progress progress, MemorySegment best) {
    requireFiniteWeights(progress.epoch());
    Checkpoint written = writer ? checkpoint : null;
    CarriedState carried = trainer.carried();
    List<CarriedState.File> files =
        carried == null
            ? List.of()
            : carried.write(written == null ? null : written.folder(), progress.epoch());
    if (written != null) {
      written.write(progress, trainer.state(), trainer.optimizer(), best, files);
    }
    checkpointed = progress.epoch();
  }

  private boolean evaluatesAfter(int epoch) {
    return (epoch + 1) % settings.evaluateEvery() == 0 || epoch + 1 == settings.epochs();
  }

  /// Finite weights may have outputs that are not; what these score says nothing.
  private static boolean isFinite(Evaluation evaluation) {
    return Double.isFinite(evaluation.validation().loss());
  }

  /// Keeps the weights if they are the best so far; among equal ones, the first.
  private Checkpoint.Progress judged(
      Checkpoint.Progress before, @Nullable Evaluation evaluation, MemorySegment best) {
    int done = before.epoch() + 1;
    OptionalDouble score =
        evaluation == null || !isFinite(evaluation)
            ? OptionalDouble.empty()
            : evaluation.validation().value(settings.selectBy());
    if (score.isEmpty() || !isBetter(score.getAsDouble(), before)) {
      return new Checkpoint.Progress(done, before.bestEpoch(), before.bestValidation());
    }
    best.copyFrom(trainer.state().weights());
    return new Checkpoint.Progress(done, done, score.getAsDouble());
  }

  private boolean isBetter(double score, Checkpoint.Progress before) {
    return before.bestEpoch() == 0 || settings.selectBy().isBetter(score, before.bestValidation());
  }
}
