package dev.gossamer.cli.graph;

import dev.gossamer.LearningSettings;
import dev.gossamer.PlanningSpace;
import dev.gossamer.cli.machine.RankNumbers;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.LayerSizes;
import dev.gossamer.gnn.sampling.SamplerKind;
import dev.gossamer.gnn.sampling.SamplerRequest;
import dev.gossamer.gnn.sampling.Samplers;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of the strategies that a plan compares.
final class PlanSpaceOptions {
  @Option(
      names = "--ranks",
      paramLabel = "P",
      description =
          "Numbers of ranks, as 1,2,6, or 4..64 for 4, 8, 16, 32 and 64 (default: powers of two up to the ranks of the"
              + " cluster).")
  @Nullable String ranks;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      description = "Only full-graph or only minibatch (default: both).")
  SamplingOptions.@Nullable Mode mode;

  @Option(
      names = "--placement",
      paramLabel = "WHERE",
      split = ",",
      description =
          "Placements to compare, on the whole graph and for minibatches of each rank's own vertices: "
              + RankOptions.PLACEMENTS
              + " (default: block,random,gvb).")
  @Nullable List<String> placements;

  @Option(
      names = "--sampler",
      paramLabel = "KIND",
      split = ",",
      description =
          "How minibatches are drawn: ${COMPLETION-CANDIDATES} (default: "
              + Samplers.DEFAULT_NAME
              + "; none with models that do not look at neighbours).",
      completionCandidates = SamplingOptions.SamplerNames.class)
  @Nullable List<String> samplers;

  @Option(
      names = "--fanout",
      paramLabel = "S",
      split = ",",
      description =
          "Neighbours per vertex, as for 'gossamer train' (default: "
              + Samplers.DEFAULT_FANOUT
              + ").")
  @Nullable List<Integer> fanout;

  @Option(
      names = "--layer-sizes",
      paramLabel = "S",
      split = ",",
      description =
          "Vertices per batch and layer, likewise (default: "
              + LayerSizes.PER_VERTEX
              + " for each vertex of the step in the last layer).")
  @Nullable List<Integer> layerSizes;

  @Option(
      names = "--walk-length",
      paramLabel = "STEPS",
      description = "Steps of a walk, likewise (default: " + Samplers.DEFAULT_WALK_LENGTH + ").")
  @Nullable Integer walkLength;

  @Option(
      names = "--batch",
      paramLabel = "B",
      description =
          "Training vertices of a step, or with --task links training edges (default: "
              + Samplers.DEFAULT_BATCH_SIZE
              + ").")
  @Nullable Integer batch;

  @Option(
      names = "--epochs",
      paramLabel = "N",
      description = "Epochs of the planned run (default: ${DEFAULT-VALUE}).",
      defaultValue = "" + LearningSettings.Pace.DEFAULT_EPOCHS)
  int epochs;

  @Option(
      names = "--evaluate-every",
      paramLabel = "N",
      defaultValue = "1",
      description = "Epochs between two evaluations of that run (default: ${DEFAULT-VALUE}).")
  int evaluateEvery;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description = "Seed of placements and batches (default: ${DEFAULT-VALUE}).")
  long seed;

  @Option(names = "--all", description = "List all strategies, not only the fastest.")
  boolean all;

  /// Returns the strategies to compare, except minibatches.
  PlanningSpace space() {
    PlanningSpace space = PlanningSpace.DEFAULT;
    if (ranks != null) {
      space = space.withRanks(RankNumbers.parse(ranks));
    }
    if (placements != null) {
      space = space.withPlacements(placements.stream().map(RankOptions::knownPlacement).toList());
    }
    return space;
  }

  boolean planWholeGraph() {
    return mode != SamplingOptions.Mode.MINIBATCH;
  }

  /// Returns the settings for each sampler.
  List<MinibatchSettings> minibatches(NetworkOptions network) {
    if (mode == SamplingOptions.Mode.FULL_GRAPH) {
      return List.of();
    }
    List<MinibatchSettings> settings = new ArrayList<>();
    int size = batch == null ? Samplers.DEFAULT_BATCH_SIZE : batch;
    int layers = network.layerCount();
    for (String name : samplers == null ? List.of(network.usualSampler()) : samplers) {
      SamplerKind kind = Samplers.of(name);
      SamplerRequest request = SamplerRequest.ofLayers(layers).withBatchSize(size);
      request = given(kind, request, "fanouts", fanout);
      request = given(kind, request, "layerSizes", layerSizes);
      request = given(kind, request, "walkLength", walkLength == null ? null : List.of(walkLength));
      settings.add(
          MinibatchSettings.of(kind.make(request)).withBatchSize(size).withAutomaticBulk());
    }
    return settings;
  }

  /// A number for the samplers that read it; for one alone that does not, it is refused.
  private SamplerRequest given(
      SamplerKind kind, SamplerRequest request, String component, @Nullable List<Integer> numbers) {
    boolean alone = samplers == null || samplers.size() == 1;
    return alone || kind.reads().contains(component) ? request.with(component, numbers) : request;
  }
}
