package dev.gossamer.gnn.minibatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.comm.ShareOf;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.gnn.historical.HistoricalCounts;
import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.gnn.minibatch.HistoricalTrainings.Case;
import dev.gossamer.gnn.minibatch.HistoricalTrainings.Outcome;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.stack.Sage;
import dev.gossamer.graph.GraphData;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HistoricalTrainingTest {
  @TempDir Path checkpoint;

  private static Outcome train(Case what, MinibatchSettings settings) {
    Map<Integer, Outcome> byRank = outcomes(what, settings);
    Outcome first = Objects.requireNonNull(byRank.get(0));
    byRank.values().forEach(each -> assertThat(each.values()).isEqualTo(first.values()));
    return first;
  }

  private static Map<Integer, Outcome> outcomes(Case what, MinibatchSettings settings) {
    Map<Integer, Outcome> byRank = new ConcurrentHashMap<>();
    try (GraphData dataset = HistoricalTrainings.dataset(what)) {
      ThreadRanks.run(
          what.ranks(),
          world ->
              byRank.put(world.rank(), HistoricalTrainings.train(world, dataset, what, settings)));
    }
    return byRank;
  }

  static Stream<Case> cases() {
    return HistoricalTrainings.cases();
  }

  @ParameterizedTest
  @ShareOf("cases")
  void withoutHitsAndWithMissesFetchedItIsExact(Case what) {
    ThreadRanks.run(what.ranks(), world -> HistoricalTrainings.assertExactWithoutHits(world, what));
  }

  @Test
  void theSameSeedGivesTheSameBits() {
    Case what = new Case(4, new Sage(), true, false);
    for (OnMiss onMiss : OnMiss.values()) {
      HistoricalSettings cached = new HistoricalSettings(60, 3, 20, 1, onMiss);
      Outcome once = train(what, HistoricalTrainings.settings(what, cached, false));
      assertThat(train(what, HistoricalTrainings.settings(what, cached, false)).values())
          .isEqualTo(once.values());
      assertThat(once.historical().hits()).isPositive();
      assertThat(once.historical().misses()).isPositive();
    }
  }

  /// An epoch has 11 batches. Lives and delays of less, of about an epoch and of more; caches that
  /// are too small for all rows, and pushes that leave some out.
  @ParameterizedTest
  @CsvSource({"1000, 9, 1000, 1", "1000, -1, 20, 1", "25, 12, 8, 3", "60, 60, 20, 14"})
  void anEpochGoesOnFromWhatACheckpointHas(int lines, int life, int limit, int delay) {
    Case what = new Case(4, new Sage(), true, false);
    HistoricalSettings cached = new HistoricalSettings(lines, life, limit, delay, OnMiss.DROP);
    assertResumable(what, HistoricalTrainings.settings(what, cached, false));
  }

  /// Batches of a vertex: ranks that have fewer than others have none in some turns, and push none.
  @Tag("slow")
  @Test
  void anEpochWithTurnsWithoutABatchGoesOnFromWhatACheckpointHas() {
    Case what = new Case(4, new Sage(), false, true);
    HistoricalSettings cached = new HistoricalSettings(1000, 12, 1000, 2, OnMiss.FETCH);
    MinibatchSettings single =
        HistoricalTrainings.settings(what, cached, false).withBatchPerRank(1);
    assertThat(outcomes(what, single).values().stream().map(o -> o.counts().batches()).distinct())
        .hasSizeGreaterThan(1);
    assertResumable(what, single);
  }

  private void assertResumable(Case what, MinibatchSettings settings) {
    ThreadRanks.run(
        what.ranks(),
        world -> HistoricalTrainings.assertResumable(world, what, settings, checkpoint));
  }

  static Stream<Case> otherCases() {
    return Stream.concat(HistoricalTrainings.cases(), HistoricalTrainings.subgraphCases())
        .filter(what -> what.ranks() == 4);
  }

  /// With other samplers and with blocks that two ranks share: whoever drops a row or takes an old
  /// one trains on, and goes on from a checkpoint.
  @ParameterizedTest
  @ShareOf("otherCases")
  void anySamplerAndReplicationGoesOnFromWhatACheckpointHas(Case what) {
    HistoricalSettings cached = new HistoricalSettings(1000, 4, 1000, 1, OnMiss.DROP);
    assertResumable(what, HistoricalTrainings.settings(what, cached, false));
  }

  /// Most neighbours are remote, and vertices are read seldom: batches would be off by too much.
  @ParameterizedTest
  @EnumSource(OnMiss.class)
  void automaticallyItFetchesWhereEmbeddingsWouldCostAccuracy(OnMiss onMiss) {
    Case what = new Case(4, new Sage(), false, false);
    HistoricalSettings measured =
        new HistoricalSettings(1000, HistoricalSettings.AUTOMATIC, 1000, 1, onMiss);
    MinibatchSettings settings = HistoricalTrainings.settings(what, measured, false);
    Map<Integer, Outcome> byRank = outcomes(what, settings);
    Outcome exact = train(what, HistoricalTrainings.settings(what, null, true));
    for (Outcome each : byRank.values()) {
      assertThat(each.values()).isEqualTo(exact.values());
      assertThat(each.life()).isZero();
      assertThat(each.historical().featureBytes() + each.historical().pushedBytes()).isZero();
      assertThat(each.warning().orElseThrow()).contains("would be missed").doesNotContain("\n");
      assertThat(each.warning()).isEqualTo(first(byRank).warning());
    }
    assertThat(exact.warning()).isEmpty();
    assertThat(byRank.values().stream().mapToLong(o -> o.counts().fetched().bytes()).sum())
        .isEqualTo(
            outcomes(what, HistoricalTrainings.settings(what, null, true)).values().stream()
                .mapToLong(o -> o.counts().fetched().bytes())
                .sum());
    assertResumable(what, settings);
  }

  private static Outcome first(Map<Integer, Outcome> byRank) {
    return Objects.requireNonNull(byRank.get(0));
  }

  /// One rank has no remote neighbours: nothing can be missed or old.
  @Test
  void automaticallyItKeepsEmbeddingsWhereTheyCostNothing() {
    Case what = new Case(1, new Sage(), true, false);
    MinibatchSettings settings =
        HistoricalTrainings.settings(what, HistoricalSettings.DEFAULT, false);
    Outcome kept = train(what, settings);
    assertThat(kept.life()).isPositive();
    assertThat(kept.warning()).isEmpty();
  }

  static Stream<Case> subgraphCases() {
    return HistoricalTrainings.subgraphCases();
  }

  /// Features are all there; embeddings are if they are read often enough to be asked for. Ranks
  /// take steps as large as those that fetch, and as many, and come to about the same losses.
  @Tag("slow")
  @ParameterizedTest
  @MethodSource("subgraphCases")
  void subgraphsOfOwnVerticesLearnWhatThoseOfAllDo(Case what) {
    HistoricalSettings cached = new HistoricalSettings(1000, 30, 1000, 1, OnMiss.DROP);
    MinibatchSettings settings = HistoricalTrainings.settings(what, cached, false);
    Outcome own = train(what, settings.withBatchSize(30));
    Outcome fetched = train(what, HistoricalTrainings.shared(what).withBatchSize(30));
    assertThat(own.historical().misses(0)).isZero();
    assertThat(own.historical().hits(2)).isPositive();
    assertThat(own.counts().batches()).isEqualTo(fetched.counts().batches());
    assertThat(own.values().getLast()).isCloseTo(fetched.values().getLast(), within(0.1));
    // A batch of a step estimates the loss of a block, or of the graph: not several of them.
    assertThat(trained(own) / trained(fetched)).isBetween(0.6, 1.6);
  }

  /// The mean of the losses of all epochs.
  private static double trained(Outcome outcome) {
    return IntStream.range(0, HistoricalTrainings.EPOCHS)
        .mapToDouble(epoch -> outcome.values().get(2 * epoch))
        .average()
        .orElseThrow();
  }

  /// One rank has no halo, and its subgraphs are those of the whole graph.
  @Test
  void subgraphsWithoutAHaloAreExact() {
    Case what = new Case(1, new Sage(), true, false, 1, Sampler.saintWalk(3, 8, 2));
    MinibatchSettings own = HistoricalTrainings.settings(what, HistoricalSettings.DEFAULT, false);
    assertThat(train(what, own).values())
        .isEqualTo(train(what, HistoricalTrainings.shared(what)).values());
  }

  @Test
  void hitsGrowWithLinesLifeAndPushes() {
    Case what = new Case(4, new Sage(), false, false);
    HistoricalSettings full = new HistoricalSettings(1000, 6, 1000, 1, OnMiss.DROP);
    double all = hitRate(what, full);
    assertThat(all).isGreaterThan(0.2);
    assertThat(hitRate(what, new HistoricalSettings(20, 6, 1000, 1, OnMiss.DROP))).isLessThan(all);
    assertThat(hitRate(what, new HistoricalSettings(1000, 1, 1000, 1, OnMiss.DROP)))
        .isLessThan(all);
    assertThat(hitRate(what, new HistoricalSettings(1000, 6, 2, 1, OnMiss.DROP))).isLessThan(all);
    assertThat(hitRate(what, new HistoricalSettings(1000, 6, 1000, 5, OnMiss.DROP)))
        .isLessThan(all);
  }

  /// One batch of each rank an epoch, so that what is pushed in an epoch is used in a later one.
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void embeddingsOfAnEpochAreUsedInALaterOne(int delay) {
    Case what = new Case(4, new Sage(), false, false);
    HistoricalSettings cached = new HistoricalSettings(1000, 2 + delay, 1000, delay, OnMiss.DROP);
    MinibatchSettings one = HistoricalTrainings.settings(what, cached, false).withBatchSize(200);
    Outcome outcome = train(what, one);
    assertThat(outcome.counts().batches()).isEqualTo(HistoricalTrainings.EPOCHS);
    HistoricalCounts counts = outcome.historical();
    assertThat(counts.hits(2)).isPositive();
    assertThat(counts.hitsOfAge(0) + (delay == 2 ? counts.hitsOfAge(1) : 0)).isZero();
  }

  @Test
  void aLifeOrDelayWithoutEndIsAllowed() {
    Case what = new Case(2, new Sage(), true, false);
    for (int delay : new int[] {1, Integer.MAX_VALUE}) {
      HistoricalSettings forever =
          new HistoricalSettings(
              Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, delay, OnMiss.DROP);
      HistoricalCounts counts =
          train(what, HistoricalTrainings.settings(what, forever, false)).historical();
      assertThat(counts.hits(1) > 0).isEqualTo(delay == 1);
    }
  }

  private static double hitRate(Case what, HistoricalSettings settings) {
    HistoricalCounts counts =
        train(what, HistoricalTrainings.settings(what, settings, false)).historical();
    long young = 0;
    for (int age = 0; age < settings.delay(); age++) {
      young += counts.hitsOfAge(age);
    }
    assertThat(young).isZero();
    return (double) counts.hits() / (counts.hits() + counts.misses());
  }

  @Test
  void aRankThatDropsMissesFetchesNothing() {
    Case what = new Case(4, new Sage(), true, false);
    HistoricalSettings cached = new HistoricalSettings(1000, 2, 50, 1, OnMiss.DROP);
    Outcome outcome = train(what, HistoricalTrainings.settings(what, cached, false));
    assertThat(outcome.counts().fetched().fetched()).isZero();
    assertThat(outcome.historical().pushedBytes()).isPositive();
  }
}
