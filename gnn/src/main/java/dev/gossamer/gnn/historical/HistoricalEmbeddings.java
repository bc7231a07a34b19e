package dev.gossamer.gnn.historical;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.feature.FeatureSource;
import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.gnn.sampling.Boundary;
import dev.gossamer.gnn.sampling.SampledBatch;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.format.RowFormat;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What one rank keeps and pushes of the inputs of its network's layers (MB, section 3.2): the
/// features for layer 0, embeddings for the others.
///
/// The turns of an epoch go, on every rank alike: [#receive], draw a batch up to [#boundary],
/// [#announce], [#inputs], then compute, with [#load] for each layer but the first, and [#push]
/// when the forward pass is done. Each epoch begins with empty caches, so that one that is resumed
/// from a checkpoint takes the same steps as one that was not interrupted.
public final class HistoricalEmbeddings implements AutoCloseable {
  private final HistoricalSettings settings;
  private final HaloPartition partition;
  private final int begin;
  private final Features own;
  private final FeatureSource source;
  private final List<HistoricalCache> caches = new ArrayList<>();
  private final EmbeddingPush push;
  private final PushPlan plan;
  private final HitLines[] hits;
  private final HistoricalCounts counts;
  private final Workers workers;
  private long epoch;
  private int turns;
  private int turn;

  /// The parts of the graph and of the features that one rank has.
  ///
  /// @param comm all ranks, block `i` being rank `i`'s; borrowed
  /// @param distribution which rows of the graph each rank has
  /// @param rows of `Â` of this rank's block, with columns for all vertices; borrowed
  /// @param own features of this rank's block; borrowed
  /// @param all features of all blocks, asked for what misses; borrowed
  /// @param wire what dense rows are on the way
  public record Share(
      Communicator comm,
      RowDistribution distribution,
      CsrMatrix rows,
      Features own,
      FeatureSource all,
      RowFormat wire) {}

  /// Takes all memory of the caches, and tells all ranks which vertices are halo here. Collective.
  ///
  /// @param arena shared, owner of the caches
  /// @param share what this rank has
  /// @param widths of the inputs of the network's layers but the first
  /// @param settings sizes and lives of the caches
  /// @param seed of the run
  /// @param workers threads that share the work
  public HistoricalEmbeddings(
      Arena arena,
      Share share,
      List<Integer> widths,
      HistoricalSettings settings,
      long seed,
      Workers workers) {
    this.settings = settings;
    this.workers = workers;
    Communicator comm = share.comm();
    begin = share.distribution().begin(comm.rank());
    partition = new HaloPartition(begin, share.rows());
    own = share.own();
    source = drops() ? FeatureSource.whole(own) : share.all();
    int lines = Math.min(settings.lines(), partition.halos().length);
    caches.add(cache(arena, lines, featureLines(arena, lines, share)));
    for (int width : widths) {
      caches.add(cache(arena, lines, new DenseLines(arena, lines, width, share.wire())));
    }
    HaloDirectory directory = new HaloDirectory(comm, share.distribution(), partition);
    int[] degrees = new int[partition.solids()];
    Arrays.setAll(degrees, v -> (int) share.rows().rowLength(v));
    plan =
        new PushPlan(
            caches.size(), comm.size(), partition, directory, degrees, settings.pushLimit(), seed);
    hits = new HitLines[caches.size()];
    Arrays.setAll(hits, l -> new HitLines());
    counts = new HistoricalCounts(caches.size(), settings.life());
    push = new EmbeddingPush(comm.split(0, comm.rank()), caches, settings.delay(), workers);
  }

  /// {@return bytes that a rank takes for it, before it exists}
  ///
  /// @param settings sizes and lives of the caches
  /// @param features of all vertices
  /// @param widths of the inputs of the network's layers but the first
  /// @param solids vertices of the rank
  /// @param halos of the rank, at most
  /// @param ranks how many train
  public static long bytes(
      HistoricalSettings settings,
      Features features,
      List<Integer> widths,
      long solids,
      long halos,
      int ranks) {
    int lines = (int) Math.min(settings.lines(), halos);
    long row = featureLineBytes(features);
    for (int width : widths) {
      row += DenseLines.bytes(1, width);
    }
    long caches = lines * row + (widths.size() + 1) * HistoricalCache.bytes(lines);
    // A batch's pushes come and go: from each rank at most what its halo vertices are.
    long pushed = Math.min((ranks - 1L) * settings.pushLimit(), Math.max(solids, halos));
    return caches
        + 2 * (settings.delay() + 1L) * pushed * row
        + (solids + 2 * halos) * Integer.BYTES;
  }

  private static long featureLineBytes(Features features) {
    return switch (features) {
      case Features.Dense dense -> DenseLines.bytes(1, dense.width());
      case Features.Sparse sparse ->
          SparseLines.bytes(
              1, Math.toIntExact(sparse.x().longestRow()), sparse.x().values() != null);
      case Features.None none -> 0;
    };
  }

  private HistoricalCache cache(Arena arena, int lines, CacheLines rows) {
    return new HistoricalCache(arena, lines, settings.life(), rows);
  }

  private static CacheLines featureLines(Arena arena, int lines, Share share) {
    return switch (share.own()) {
      case Features.Dense dense -> new DenseLines(arena, lines, dense.width(), share.wire());
      case Features.Sparse sparse ->
          new SparseLines(
              arena,
              lines,
              sparse.width(),
              LongestRow.of(share.comm(), sparse.x()),
              sparse.x().values() != null);
      case Features.None none ->
          throw new IllegalArgumentException("features: expected features, found none");
    };
  }

  /// Whether batches do without what misses, so that no rows of other ranks are asked for.
  private boolean drops() {
    return settings.onMiss() == OnMiss.DROP;
  }

  /// Lines of the rows that a batch takes from a cache, in the order of its sources.
  private static final class HitLines {
    private int[] lines = {};
    private int count;

    void add(int line) {
      if (count == lines.length) {
        lines = Arrays.copyOf(lines, Math.max(64, 2 * count));
      }
      lines[count++] = line;
    }

    int[] toArray() {
      return Arrays.copyOf(lines, count);
    }
  }

  /// Empties the caches.
  ///
  /// @param number of the epoch, 0-based
  /// @param turns of every rank
  public void beginEpoch(long number, int turns) {
    epoch = number;
    this.turns = turns;
    turn = -1;
    caches.forEach(HistoricalCache::clear);
  }

  /// Goes to the next turn: stores what was pushed `d` turns ago. Collective.
  public void receive() {
    turn++;
    int sent = turn - settings.delay();
    if (sent >= 0) {
      long start = System.nanoTime();
      push.await(sent);
      long come = System.nanoTime();
      counts.waitNanos += come - start;
      caches.forEach(cache -> cache.purge(turn));
      push.store(sent);
      counts.copyNanos += System.nanoTime() - come;
    }
    for (HitLines each : hits) {
      each.count = 0;
    }
  }

  /// {@return where this turn's batch ends: at remote vertices, those that a cache has being
  /// supplied from it} Local.
  public Boundary boundary() {
    return this::draw;
  }

  private void draw(int layer, int[] sources, int destinations, Boundary.Fate[] fates) {
    long start = System.nanoTime();
    HistoricalCache cache = caches.get(layer);
    Boundary.Fate missed = drops() ? Boundary.Fate.DROPPED : Boundary.Fate.COMPUTED;
    for (int i = destinations; i < sources.length; i++) {
      if (partition.isSolid(sources[i])) {
        continue;
      }
      int line = cache.search(sources[i], turn);
      if (line < 0) {
        counts.miss(layer);
        fates[i] = missed;
      } else {
        counts.hit(layer, cache.age(line, turn));
        hits[layer].add(line);
        fates[i] = Boundary.Fate.SUPPLIED;
      }
    }
    counts.searchNanos += System.nanoTime() - start;
  }

  private boolean pushes() {
    return turn < turns - settings.delay();
  }

  /// Finds out which rows of the batch are wanted by whom (MB's Map), and tells them how many.
  /// Collective, and does not wait.
  ///
  /// @param batch none if this rank has none in this turn
  public void announce(@Nullable SampledBatch batch) {
    if (!pushes()) {
      return;
    }
    long start = System.nanoTime();
    plan.map(batch, epoch, turn);
    push.announce(turn, plan, own);
    counts.mapNanos += System.nanoTime() - start;
  }

  /// The features of a batch's inputs: those of solid vertices from this rank's own, those that
  /// were supplied from the cache, and those that missed from their owners. Collective if misses
  /// are fetched.
  ///
  /// @param batch none if this rank has none in this turn
  /// @param into overwritten
  /// @param fetched rows that missed
  /// @return a row for each input
  public Features inputs(@Nullable SampledBatch batch, FetchedRows into, FetchedRows fetched) {
    int[] computed = batch == null ? new int[0] : batch.blocks().getFirst().computedSources();
    int[] wanted = drops() ? Arrays.stream(computed).map(v -> v - begin).toArray() : computed;
    int[] lines = hits[0].toArray();
    if (own instanceof Features.Dense dense) {
      into.dense(computed.length + lines.length, dense.width());
      source.fetch(wanted, into, workers);
      DenseMatrix x = into.dense(computed.length + lines.length, dense.width());
      load(0, x.rows(computed.length, x.rows()));
      return into.features();
    }
    source.fetch(wanted, fetched, workers);
    long start = System.nanoTime();
    if (caches.getFirst().lines() instanceof SparseLines sparse
        && fetched.features() instanceof Features.Sparse rows) {
      try (Arena arena = Arena.ofShared()) {
        into.stacked(rows.x(), sparse.load(arena, lines), workers);
      }
    }
    counts.copyNanos += System.nanoTime() - start;
    return into.features();
  }

  /// HECLoad: the rows that a layer's input takes from the cache.
  ///
  /// @param layer 0 for the input features
  /// @param to one row for each supplied source, overwritten
  public void load(int layer, DenseMatrix to) {
    long start = System.nanoTime();
    if (caches.get(layer).lines() instanceof DenseLines dense) {
      dense.load(hits[layer].toArray(), to, workers);
    }
    counts.copyNanos += System.nanoTime() - start;
  }

  /// Pushes what the forward pass has made. Collective, and waits for no rows.
  ///
  /// @param hidden inputs of the layers but the first, one row for each computed source; none if
  ///   this rank has no batch
  public void push(List<DenseMatrix> hidden) {
    if (!pushes()) {
      return;
    }
    long start = System.nanoTime();
    List<Features> inputs = new ArrayList<>(List.of(own));
    hidden.forEach(h -> inputs.add(new Features.Dense(h)));
    counts.pushedBytes += push.send(turn, plan, inputs);
    counts.copyNanos += System.nanoTime() - start;
  }

  /// {@return what has been done so far; borrowed}
  public HistoricalCounts counts() {
    return counts;
  }

  /// Frees what is not the arena's. Collective.
  @Override
  public void close() {
    push.close();
  }
}
