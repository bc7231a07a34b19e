package dev.gossamer.cli.report;

import dev.gossamer.GraphModel;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.settings.ConfigFile;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.pruned.PrunedModel;
import dev.gossamer.pruned.prune.MaskReport;
import dev.gossamer.run.CheckpointFolder;
import dev.gossamer.run.ManifestFields;
import dev.gossamer.run.Median;
import dev.gossamer.run.MetricsFile;
import dev.gossamer.run.RunEstimate;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.RunMetrics;
import dev.gossamer.run.RunTrace;
import dev.gossamer.run.RunTraffic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/// What the folder of a run says, of whichever trainer, finished or not.
///
/// @param name of the folder
/// @param settings by flag; empty if a program started the run
/// @param metrics of each step
/// @param best number of the step with the weights that the run ends with; 0 if there is no
///   checkpoint yet, or nothing says which they are
/// @param estimate what was computed of it before it began; null of runs of older versions
/// @param traffic what ranks sent; null before the end of the run
/// @param trace the timeline; null if nobody asked for one
/// @param survivors elements of the matrices of a pruned network; null before the end of the run,
///   and of other networks
/// @param evaluated what its model does; null if nobody asked for it
record ReportedRun(
    String name,
    Map<String, String> settings,
    RunMetrics metrics,
    int best,
    @Nullable RunEstimate estimate,
    @Nullable RunTraffic traffic,
    @Nullable RunTrace trace,
    @Nullable MaskReport survivors,
    @Nullable EvaluatedModel evaluated) {

  /// The share of weights that are pruned, in the metrics of a step.
  static final String SPARSITY = "sparsity";

  private static final String ITERATION = "iteration";

  /// Reads a folder.
  ///
  /// @throws InvalidInputException if there is no run in it, or one of its files is damaged
  static ReportedRun read(Path path) {
    RunFolder folder = RunFolder.openBegun(path);
    RunMetrics metrics =
        Files.exists(folder.metrics())
            ? RunMetrics.read(folder.metrics())
            : new RunMetrics(List.of());
    Map<String, String> settings =
        Files.exists(folder.config()) ? ConfigFile.read(folder.config()).values() : Map.of();
    return new ReportedRun(
        name(path),
        settings,
        metrics,
        best(folder, settings, metrics),
        Files.exists(folder.plan()) ? RunEstimate.read(folder.plan()) : null,
        Files.exists(folder.traffic()) ? RunTraffic.read(folder.traffic()) : null,
        Files.exists(folder.trace()) ? RunTrace.read(folder.trace()) : null,
        isPruned(metrics) && Files.exists(folder.model()) ? PrunedModel.inspectAt(path) : null,
        null);
  }

  /// A training of this process.
  ///
  /// @param steps so far
  static ReportedRun begun(List<RunMetrics.Step> steps, RunEstimate estimate) {
    return new ReportedRun(
        "", Map.of(), new RunMetrics(steps), 0, estimate, null, null, null, null);
  }

  private static boolean isPruned(RunMetrics metrics) {
    return !metrics.steps().isEmpty() && metrics.steps().getLast().number(SPARSITY) > 0;
  }

  /// Evaluates the model of the run on the data that it was trained on.
  ///
  /// @param path of the folder
  /// @throws InvalidInputException if it has no model, or its data are gone
  ReportedRun evaluated(Path path, CommonOptions common) {
    return new ReportedRun(
        name,
        settings,
        metrics,
        best,
        estimate,
        traffic,
        trace,
        survivors,
        countsIterations()
            ? EvaluatedModel.ofSamples(path, common)
            : EvaluatedModel.ofVertices(path, common));
  }

  private static String name(Path path) {
    try {
      return String.valueOf(path.toRealPath(LinkOption.NOFOLLOW_LINKS).getFileName());
    } catch (IOException e) {
      throw InvalidInputException.unreadable(path, e);
    }
  }

  private static int best(RunFolder folder, Map<String, String> settings, RunMetrics metrics) {
    if (metrics.steps().isEmpty()) {
      return 0;
    }
    CheckpointFolder checkpoint = CheckpointFolder.ofEpochs(folder.checkpoint());
    ManifestFields manifest = checkpoint.exists() ? checkpoint.read() : null;
    RunMetrics.Step last = metrics.steps().getLast();
    return last.unit().equals(ITERATION)
        ? bestIteration(manifest, settings)
        : bestEpoch(folder, manifest, last.number());
  }

  /// A checkpoint says which iteration was the best even if the run does not keep its weights.
  private static int bestIteration(
      @Nullable ManifestFields manifest, Map<String, String> settings) {
    if (manifest == null || settings.isEmpty()) {
      return 0;
    }
    String keep = settings.get("keep");
    boolean keepsBest =
        keep == null ? wholeNumber(settings.get("patience")) > 0 : keep.equals("best");
    int done = number(manifest, ITERATION);
    return keepsBest
        ? manifest.objectsIfAny("best").stream()
            .findFirst()
            .map(best -> number(best, ITERATION))
            .orElse(done)
        : done;
  }

  /// Of the checkpoint or, if none is of the last epoch, of a model that is not older: the end of a
  /// run need not write a checkpoint, and a run that is resumed still has the model of its last
  /// end.
  private static int bestEpoch(RunFolder folder, @Nullable ManifestFields manifest, int last) {
    ManifestFields progress =
        manifest != null && manifest.has("progress") ? manifest.object("progress") : null;
    int written = progress == null ? 0 : number(progress, "epoch");
    Map<String, String> model = written == last ? Map.of() : modelFacts(folder);
    boolean isNewer = !model.isEmpty() && wholeNumber(model.get("epochs")) >= written;
    return isNewer
        ? wholeNumber(model.get("best_epoch"))
        : progress == null ? 0 : number(progress, "bestEpoch");
  }

  /// None of a model that cannot be read, as of another version: the training goes on without it.
  private static Map<String, String> modelFacts(RunFolder folder) {
    try {
      return Files.exists(folder.model()) ? GraphModel.factsAt(folder.path()) : Map.of();
    } catch (InvalidInputException e) {
      return Map.of();
    }
  }

  private static int number(ManifestFields fields, String name) {
    return (int) fields.integer(name, 0, Integer.MAX_VALUE);
  }

  /// Returns a number of settings or facts; 0 if it is none.
  static int wholeNumber(@Nullable String text) {
    return text != null && text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : 0;
  }

  /// What the evaluation of the model found; null if nobody asked for it.
  EvaluatedModel.@Nullable Found found() {
    return evaluated == null ? null : evaluated.found();
  }

  /// What is counted: `epoch` or `iteration`.
  String unit() {
    return metrics.steps().isEmpty() ? "epoch" : metrics.steps().getFirst().unit();
  }

  /// Whether it is a run of `prune train`, whose iterations differ in what they cost.
  boolean countsIterations() {
    return unit().equals(ITERATION);
  }

  /// The step with the weights that the run ends with, or the last one so far; null before the
  /// first.
  RunMetrics.@Nullable Step chosen() {
    List<RunMetrics.Step> steps = metrics.steps();
    if (steps.isEmpty()) {
      return null;
    }
    return steps.stream()
        .filter(step -> step.number() == best)
        .findFirst()
        .orElseGet(steps::getLast);
  }

  /// The peak of the resident bytes of the first process; 0 if it is not known.
  long peakBytes() {
    return (long) values(MetricsFile.PEAK).filter(Double::isFinite).max().orElse(0);
  }

  /// The estimate of the resident bytes of the process that needs most; 0 if it is not known.
  long estimatedBytes() {
    return estimate == null ? 0 : estimate.memory().bytes();
  }

  /// Planned seconds of an epoch, or of an iteration of [#planned]; 0 if they are not known.
  double plannedSeconds() {
    return estimate == null ? 0 : estimate.seconds();
  }

  /// Numbers of all steps.
  double[] numbers() {
    return metrics.steps().stream().mapToDouble(RunMetrics.Step::number).toArray();
  }

  /// A number of all steps.
  ///
  /// @param key as in `metrics.jsonl`
  DoubleStream values(String key) {
    return metrics.steps().stream().mapToDouble(step -> step.number(key));
  }

  /// The median of a number of all steps; not a number if no step has it.
  ///
  /// @param key as in `metrics.jsonl`
  double median(String key) {
    return median(values(key));
  }

  /// The run with the steps that its planned seconds are of alone: those that are as sparse as the
  /// last. A network that is not pruned has no others.
  ReportedRun planned() {
    List<RunMetrics.Step> steps = metrics.steps();
    if (steps.isEmpty() || !isPruned(metrics)) {
      return this;
    }
    double last = steps.getLast().number(SPARSITY);
    return new ReportedRun(
        name,
        settings,
        new RunMetrics(steps.stream().filter(step -> step.number(SPARSITY) == last).toList()),
        best,
        estimate,
        traffic,
        trace,
        survivors,
        evaluated);
  }

  /// The median seconds of a phase; not a number if no step has it.
  double medianOfPhase(String phase) {
    return median(
        metrics.steps().stream()
            .mapToDouble(step -> step.phases().getOrDefault(phase, Double.NaN)));
  }

  private static double median(DoubleStream values) {
    double[] known = values.filter(Double::isFinite).toArray();
    return known.length == 0 ? Double.NaN : Median.of(Arrays.stream(known));
  }

  /// A score of all steps; not a number where a step was not evaluated.
  double[] scores(String part, String metric) {
    return metrics.steps().stream().mapToDouble(step -> step.score(part, metric)).toArray();
  }
}
