package dev.gossamer.pruned.pipeline;

import dev.gossamer.nn.state.ParameterLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Chooses the grid on which a pruned network continues: the fewest stages that fit into the memory
/// of the ranks. This is the benefit of pruning for a pipeline: fewer stages wait less for each
/// other, and the freed ranks share the batch (SAMO, section IV-B).
///
/// @param plan of all grids
/// @param threads of a rank
/// @param limit maximum bytes of a rank of this process
public record SmallerGrid(GridPlan plan, int threads, long limit) {
  /// The stages of the grid on which a network continues, the same on all ranks; null for the
  /// current grid. While parameters move, a rank holds those of both grids. Collective.
  ///
  /// @param trainer of this rank
  @Nullable List<StagePart> choose(PipelineTrainer trainer) {
    RankGrid now = trainer.part().settings().grid();
    Map<String, Long> kept = kept(trainer);
    double[] most = {-(double) limit, trainer.state().bytes()};
    trainer.max(most);
    for (PipelineSettings settings : plan.grids(now.ranks())) {
      if (settings.grid().inter() >= now.inter()) {
        return null;
      }
      List<StagePart> stages = StagePart.all(trainer.part().network(), settings, plan.state());
      long bytes =
          stages.stream()
              .mapToLong(part -> part.bytes(entry -> kept.getOrDefault(entry.name(), 0L), threads))
              .max()
              .orElseThrow();
      if (bytes + most[1] <= -most[0]) {
        return stages;
      }
    }
    return null;
  }

  /// How much of each parameter of the network survives.
  private static Map<String, Long> kept(PipelineTrainer trainer) {
    StagePart part = trainer.part();
    List<ParameterLayout.Entry> all = part.network().layout().entries();
    ParameterLayout mine = trainer.state().model().kept();
    boolean counted = part.settings().grid().replica(trainer.world().rank()) == 0;
    double[] counts = new double[all.size()];
    for (int i = 0; i < counts.length; i++) {
      String name = all.get(i).name();
      counts[i] = counted && mine.has(name) ? mine.entry(name).count() : 0;
    }
    trainer.sum(counts);
    Map<String, Long> kept = new HashMap<>();
    for (int i = 0; i < counts.length; i++) {
      kept.put(all.get(i).name(), (long) counts[i]);
    }
    return kept;
  }
}
