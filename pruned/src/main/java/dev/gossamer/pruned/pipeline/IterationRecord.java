package dev.gossamer.pruned.pipeline;

import dev.gossamer.run.MetricsFile;
import dev.gossamer.run.RunMetrics;
import dev.gossamer.run.memory.SystemMemory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// One iteration of a run.
///
/// @param number 1-based
/// @param learningRate of the iteration
/// @param grid of the iteration
/// @param result loss, times and bytes
/// @param kept parameters of the whole network that survive
/// @param validation after it, or null if it was not evaluated
public record IterationRecord(
    int number,
    double learningRate,
    RankGrid grid,
    IterationResult result,
    long kept,
    @Nullable Score validation) {
  private static final JsonMapper JSON = new JsonMapper();

  /// {@return the iteration as `metrics.jsonl` has it}
  ///
  /// @param parameters of the whole network
  public RunMetrics.Step step(long parameters) {
    return RunMetrics.Step.of(line(parameters));
  }

  /// Returns the line of `metrics.jsonl`.
  ///
  /// @param parameters of the whole network
  ObjectNode line(long parameters) {
    ObjectNode line = JSON.createObjectNode();
    line.put("iteration", number);
    line.put("loss", result.loss());
    line.put("learning_rate", learningRate);
    if (Double.isFinite(result.update().gradientNorm())) {
      line.put("gradient_norm", result.update().gradientNorm());
    }
    line.put("loss_scale", result.update().lossScale());
    line.put("skipped", result.update().skipped());
    line.put("sparsity", 1 - (double) kept / parameters);
    line.put("stages", grid.inter());
    line.put("seconds", result.times().seconds());
    line.put(MetricsFile.PEAK, SystemMemory.peakResident());
    line.put(MetricsFile.SENT, result.sent().all().totalBytes());
    ObjectNode phases = line.putObject("phase_seconds");
    result.times().byLabel().forEach(phases::put);
    if (validation != null) {
      ObjectNode scores = line.putObject("validation");
      scores.put("loss", validation.loss());
      scores.put("accuracy", validation.accuracy());
      // Of a loss of 710, as of a training that diverges, no double is large enough.
      if (Double.isFinite(validation.perplexity())) {
        scores.put("perplexity", validation.perplexity());
      }
    }
    return line;
  }
}
