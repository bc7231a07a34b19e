package dev.gossamer.gnn.minibatch;

import dev.gossamer.gnn.feature.FeatureFetch;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.clock.PhaseClock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Batches that are computed from fetched features only. With overlap, features of the next turn
/// are fetched while the current one is computed.
final class FetchedBatches implements BatchFeed {
  private final BulkStream bulks;
  private final FeatureFetch fetch;
  private final int turns;
  private final boolean overlap;
  private final PhaseClock clock;
  private int turn = -1;
  private @Nullable SampledBatch following;
  private Features features = new Features.None();

  /// @param bulks closed with this
  /// @param turns of every rank, at least 1
  FetchedBatches(
      BulkStream bulks, FeatureFetch fetch, int turns, boolean overlap, PhaseClock clock) {
    this.bulks = bulks;
    this.fetch = fetch;
    this.turns = turns;
    this.overlap = overlap;
    this.clock = clock;
  }

  @Override
  public @Nullable SampledBatch next() {
    turn++;
    if (turn == 0 || !overlap) {
      begin();
    }
    SampledBatch batch = following;
    features = clock.measured(Phase.FETCH, "fetch", fetch::finish);
    if (overlap && turn + 1 < turns) {
      begin();
    }
    return batch;
  }

  /// Draws the following batch and begins to fetch its features.
  private void begin() {
    clock.measure(Phase.SAMPLE, "sample", () -> following = bulks.next());
    fetch.begin(following == null ? new int[0] : following.inputs());
  }

  @Override
  public Features inputs() {
    return features;
  }

  @Override
  public void supply(int l, DenseMatrix rows) {}

  @Override
  public void computed(List<DenseMatrix> hidden) {}

  @Override
  public void close() {
    bulks.close();
  }
}
