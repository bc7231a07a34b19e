package dev.gossamer.pruned;

import static java.util.stream.Collectors.joining;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.pruned.PlannedRun.Compute;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.ReadingProgress;
import dev.gossamer.pruned.layers.DenseArchitecture;
import dev.gossamer.pruned.pipeline.GridPlan;
import dev.gossamer.pruned.pipeline.PipelineSettings;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.pipeline.StorageSettings;
import dev.gossamer.pruned.prune.Pruning.Never;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Predicts memory, messages and time of strategies for training a pruned network, before the run.
///
/// @param source data and beginning
/// @param asked settings
/// @param reading notified of the progress of reading the data
record PrunedPlanning(TrainingSource source, PrunedSettings asked, ReadingProgress reading) {
  /// Plans every strategy on every grid; see [PrunedTraining#plan].
  PrunedPlan strategies(List<RankPlace> places) {
    return source.isPublished()
        ? strategies(source.published(asked.model()), null, places)
        : source.open(
            asked.model(),
            reading,
            opened -> strategies(source.architecture(asked.model(), opened), opened, places));
  }

  /// Plans the run as configured; see [PrunedTraining#planAsSet].
  PrunedPlan asSet(RankPlace place) {
    return source.open(
        asked.model(),
        reading,
        opened -> {
          PrunedJob job = job(asked, source.architecture(asked.model(), opened), opened);
          PlannedWay way = job.way();
          PlannedRun run = way.on(job.grid(way.demand(place), place.memory()), place);
          return described(opened.description(), List.of(run), List.of(way));
        });
  }

  private PrunedJob job(
      PrunedSettings settings, DenseArchitecture architecture, @Nullable Corpus opened) {
    return PrunedJob.of(settings, architecture, source.memory(opened), null);
  }

  private PrunedPlan strategies(
      DenseArchitecture architecture, @Nullable Corpus opened, List<RankPlace> places) {
    Map<Compute, PlannedWay> ways = new EnumMap<>(Compute.class);
    for (PrunedSettings each : variants()) {
      PlannedWay way = job(each, architecture, opened).way();
      ways.putIfAbsent(way.compute(), way);
    }
    List<PlannedRun> runs = new ArrayList<>();
    for (RankPlace place : places) {
      for (PlannedWay way : ways.values()) {
        for (PipelineSettings settings : way.settings(place)) {
          if (asked.hasAutomaticStages() || settings.grid().inter() == asked.stages()) {
            runs.add(way.on(settings.grid(), place));
          }
        }
      }
    }
    if (runs.isEmpty()) {
      throw noGrid(places);
    }
    runs.sort(
        Comparator.comparing((PlannedRun run) -> !run.fits())
            .thenComparingDouble(PlannedRun::seconds)
            .thenComparingLong(run -> run.last().memory().bytes())
            .thenComparingInt(run -> run.place().ranks()));
    return described(opened == null ? null : opened.description(), runs, ways.values());
  }

  private InvalidSettingException noGrid(List<RankPlace> places) {
    return new InvalidSettingException(
        "{ranks}: expected stages x replicas that share {batch} %d in microbatches of %d%s, found %s"
            .formatted(
                asked.batches().batch(),
                asked.batches().microbatch(),
                asked.hasAutomaticStages() ? "" : ", with {stages} " + asked.stages(),
                places.stream().map(place -> "" + place.ranks()).collect(joining(", "))));
  }

  private static PrunedPlan described(
      @Nullable String description, List<PlannedRun> runs, Collection<PlannedWay> ways) {
    GridPlan grids = ways.iterator().next().grids();
    return new PrunedPlan(
        description,
        grids.network(),
        grids.state().format(),
        ways.stream().mapToDouble(way -> way.sparsities().getLast()).max().orElse(0),
        runs);
  }

  /// Variants of pruning and computing, simplest first; several may be equivalent.
  private List<PrunedSettings> variants() {
    PruningSettings pruning = asked.pruning();
    StorageSettings storage = asked.storage();
    if (!pruning.prunes() || storage.products() != Products.AUTO) {
      return List.of(asked);
    }
    List<PrunedSettings> variants = new ArrayList<>();
    variants.add(asked.withPruning(pruning.withWhen(new Never())));
    if (pruning.criterion() == null || !pruning.criterion().isStructural()) {
      variants.add(asked.withStorage(storage.withProducts(Products.DENSE)));
      if (storage.index() == null && storage.downCast() == null) {
        variants.add(asked.withStorage(storage.withProducts(Products.SPARSE)));
      }
    }
    variants.add(asked);
    return variants;
  }
}
