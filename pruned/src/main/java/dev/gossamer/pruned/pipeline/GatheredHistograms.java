package dev.gossamer.pruned.pipeline;

import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.nn.state.WeightHistogram;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;

/// How the weights of all pipeline stages are distributed.
public final class GatheredHistograms {
  private static final MemorySegment NONE = MemorySegment.ofArray(new float[0]);

  private GatheredHistograms() {}

  /// Counts the surviving weights of each parameter, each on its stage. Collective.
  ///
  /// Cost: one pass over a rank's weights, and two messages of at most 10 KiB to each rank for each
  /// parameter of the network.
  ///
  /// @param trainer of this rank
  /// @return the histograms by name, in the order of the stages, on every rank
  public static Map<String, WeightHistogram> of(PipelineTrainer trainer) {
    Map<String, WeightHistogram> histograms = new LinkedHashMap<>();
    StagePart mine = trainer.part();
    ModelState model = trainer.state().model();
    for (StagePart stage : mine.all()) {
      for (ParameterLayout.Entry entry : stage.layout().entries()) {
        MemorySegment weights =
            stage.stage() == mine.stage()
                ? model.kept().entry(entry.name()).of(model.weights())
                : NONE;
        histograms.put(entry.name(), sum(trainer, WeightHistogram.of(weights)));
      }
    }
    return histograms;
  }

  /// The replicas of a stage have the same weights: the first ones count.
  private static WeightHistogram sum(PipelineTrainer trainer, WeightHistogram mine) {
    double[] numbers = mine.numbers();
    trainer.sumOverParts(numbers);
    double[] ends = {-mine.least(), mine.greatest()};
    trainer.max(ends);
    return WeightHistogram.ofSums(numbers, -ends[0], ends[1]);
  }
}
