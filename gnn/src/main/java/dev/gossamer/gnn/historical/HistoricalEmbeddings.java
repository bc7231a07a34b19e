package dev.gossamer.gnn.historical;

import dev.gossamer.base.Workers;
import dev.gossamer.base.trace.EvictionEvent;
import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.feature.FeatureSource;
import dev.gossamer.gnn.feature.FetchedRows;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.gnn.sampling.SamplingMemory;
import dev.gossamer.gnn.sampling.blocks.Boundary;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.run.CarriedState;
import dev.gossamer.run.memory.GrowingSegment;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Caches and pushes the inputs of the layers of a network on one rank (MB, section 3.2): features
/// for layer 0, embeddings for the others.
///
/// Each turn is, on every rank: [#receive], draw a batch up to [#boundary], [#announce], [#inputs],
/// then compute, with [#load] for each layer but the first, and [#push] after the forward pass.
/// Epoch boundaries do not reset turns; [#state] is what is cached and in flight.
public final class HistoricalEmbeddings implements AutoCloseable {
  /// How often an embedding is to be read while it lives: less often read ones are not sent, since
  /// most of them would die unread.
  private static final double LEAST_READS = 0.5;

  private final HistoricalSettings settings;
  private final HaloPartition partition;
  private final int begin;
  private final Features own;
  private final FeatureSource source;
  private final HaloFeatures features;
  private final List<HistoricalCache> caches = new ArrayList<>();
  private final EmbeddingPush push;
  private final PushPlan plan;
  private final int life;
  private final HistoricalState state;
  private final HitLines[] hits;
  private final HistoricalCounts counts;
  private final Workers workers;
  private final HistoricalState.Clock clock = new HistoricalState.Clock();
  private boolean inTurn;

  /// One rank's parts of the graph and of the features.
  ///
  /// @param world all ranks; borrowed
  /// @param comm ranks that push to each other and together have each block once, rank `i` having
  ///   block `i`; borrowed
  /// @param distribution which rows of the graph each rank has
  /// @param rows of `Â` of this rank's block, with columns for all vertices; borrowed
  /// @param own features of this rank's block; borrowed
  /// @param all features of all blocks: those of halo vertices are fetched once; borrowed
  /// @param missed features of all blocks, for misses; borrowed
  /// @param wire message format of dense rows
  public record Share(
      Communicator world,
      Communicator comm,
      RowDistribution distribution,
      CsrMatrix rows,
      Features own,
      FeatureSource all,
      FeatureSource missed,
      RowFormat wire) {}

  /// Allocates the caches, announces which vertices this rank caches, and fetches the features of
  /// those that batches will read. Collective.
  ///
  /// @param arena shared, owner of the caches
  /// @param share this rank's parts
  /// @param widths of the inputs of the network's layers but the first
  /// @param settings sizes and lives of the caches
  /// @param reads expected reads of batches
  /// @param seed of the run
  /// @param workers threads that share the work
  public HistoricalEmbeddings(
      Arena arena,
      Share share,
      List<Integer> widths,
      HistoricalSettings settings,
      HaloReads reads,
      long seed,
      Workers workers) {
    this.settings = settings;
    this.workers = workers;
    Communicator comm = share.comm();
    begin = share.distribution().begin(comm.rank());
    partition = new HaloPartition(begin, share.rows());
    own = share.own();
    source = drops() ? FeatureSource.whole(own) : share.missed();
    counts = new HistoricalCounts(widths.size() + 1);
    int[] halos = partition.halos();
    features =
        new HaloFeatures(
            share.all(),
            reads.worthKeeping(halos, reads.perBatch(0), 0, settings.lines()),
            workers);
    counts.featureBytes = features.sentBytes();
    life = settings.life(reads.turns());
    List<HaloDirectory> directories = new ArrayList<>();
    List<int[]> waits = new ArrayList<>();
    for (int e = 0; e < widths.size(); e++) {
      // With a shorter life a row is too old when it arrives.
      int lines = life < settings.delay() ? 0 : settings.lines();
      double[] perBatch = reads.perBatch(e + 1);
      int[] kept = reads.worthKeeping(halos, perBatch, leastReads(life), lines);
      DenseLines rows = new DenseLines(arena, kept.length, widths.get(e), share.wire());
      caches.add(new HistoricalCache(arena, kept.length, life, rows));
      directories.add(new HaloDirectory(comm, share.distribution(), partition.solids(), kept));
      int[] wait = new int[partition.solids()];
      Arrays.setAll(wait, v -> (int) Math.ceil(1 / perBatch[begin + v]));
      waits.add(wait);
    }
    int[] degrees = new int[partition.solids()];
    Arrays.setAll(degrees, v -> (int) share.rows().rowLength(v));
    plan = new PushPlan(comm.size(), partition, directories, degrees, waits, settings, life, seed);
    hits = new HitLines[caches.size() + 1];
    Arrays.setAll(hits, l -> new HitLines());
    push = new EmbeddingPush(comm.split(0, comm.rank()), caches, settings.delay(), workers);
    state =
        new HistoricalState(
            share.world(),
            share.distribution(),
            comm.rank(),
            life,
            caches,
            plan,
            push,
            clock,
            workers);
  }

  /// Returns how often a batch must read a vertex for its embeddings to be cached.
  static double leastReads(int life) {
    return LEAST_READS / Math.max(1, life);
  }

  /// Numbers of vertices.
  ///
  /// @param all of the graph
  /// @param solids of the rank
  /// @param halos of the rank
  public record Vertices(long all, long solids, long halos) {}

  /// {@return an estimate of the bytes of a rank}
  ///
  /// @param settings sizes and lives of the caches
  /// @param features of all vertices
  /// @param widths of the inputs of the network's layers but the first
  /// @param vertices of the rank
  /// @param ranks how many train
  public static long bytes(
      HistoricalSettings settings,
      Features features,
      List<Integer> widths,
      Vertices vertices,
      int ranks) {
    long halos = vertices.halos();
    int lines = (int) Math.min(settings.lines(), halos);
    long row = 0;
    for (int width : widths) {
      row += DenseLines.bytes(1, width);
    }
    long caches =
        FetchedRows.bytes(features, lines)
            + lines * row
            + widths.size() * HistoricalCache.bytes(lines);
    // A batch's pushes come and go: no rank gets more rows than it has halo vertices, and all send
    // as many.
    long pushed = Math.min((ranks - 1L) * settings.pushLimit(), halos);
    long flights = 2L * settings.delay() * (pushed * row + pushed * widths.size() * Integer.BYTES);
    long ofLayer = 2 * (vertices.solids() + halos);
    return caches
        + GrowingSegment.bytesAtMost(flights)
        + (vertices.solids() + halos + widths.size() * ofLayer) * Integer.BYTES
        + SamplingMemory.ofProbabilities(vertices.all());
  }

  /// Whether batches drop misses, so that no remote rows are requested.
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

  /// Starts the next turn: stores what was pushed `d` turns ago. Collective.
  public void receive() {
    clock.turn = Math.addExact(clock.turn, 1);
    int turn = clock.turn;
    inTurn = true;
    long start = System.nanoTime();
    long[] expired = caches.stream().mapToLong(HistoricalCache::expired).toArray();
    long[] replaced = caches.stream().mapToLong(HistoricalCache::replaced).toArray();
    caches.forEach(cache -> cache.purge(turn));
    if (push.land(turn)) {
      long come = System.nanoTime();
      counts.waitNanos += come - start;
      push.store();
      counts.copyNanos += System.nanoTime() - come;
    }
    for (int c = 0; c < caches.size(); c++) {
      HistoricalCache cache = caches.get(c);
      EvictionEvent.happened(
          c + 2, cache.expired() - expired[c], cache.replaced() - replaced[c], cache.size());
    }
    for (HitLines each : hits) {
      each.count = 0;
    }
  }

  /// {@return the boundary of this turn's batch: it ends at remote vertices, and caches supply
  /// those that they have} Local.
  public Boundary boundary() {
    return this::draw;
  }

  private void draw(int layer, int[] sources, int destinations, Boundary.Fate[] fates) {
    long start = System.nanoTime();
    Boundary.Fate missed = drops() ? Boundary.Fate.DROPPED : Boundary.Fate.COMPUTED;
    for (int i = destinations; i < sources.length; i++) {
      if (!partition.isSolid(sources[i])) {
        fates[i] = isHit(layer, sources[i]) ? Boundary.Fate.SUPPLIED : missed;
      }
    }
    counts.searchNanos += System.nanoTime() - start;
  }

  /// HECSearch.
  private boolean isHit(int layer, int vertex) {
    int line =
        layer == 0 ? features.find(vertex) : caches.get(layer - 1).search(vertex, clock.turn);
    if (line < 0) {
      counts.miss(layer);
      return false;
    }
    if (layer == 0) {
      counts.hit(layer);
    } else {
      counts.hit(layer, caches.get(layer - 1).age(line, clock.turn));
    }
    hits[layer].add(line);
    return true;
  }

  /// Determines which rows of the batch to push to which rank (MB's Map), and announces their
  /// numbers. Collective; does not wait.
  ///
  /// @param batch null if this rank has none in this turn
  public void announce(@Nullable SampledBatch batch) {
    if (caches.isEmpty()) {
      return;
    }
    long start = System.nanoTime();
    plan.map(batch, clock.turn);
    counts.pushedBytes += push.announce(clock.turn, plan);
    counts.mapNanos += System.nanoTime() - start;
  }

  /// Returns the features of a batch's inputs: those of solid vertices from this rank's block,
  /// those of halo vertices from the cache, and misses from their owners. Collective if misses are
  /// fetched.
  ///
  /// @param batch null if this rank has none in this turn
  /// @param into overwritten
  /// @param fetched rows that missed
  /// @return a row for each input
  public Features inputs(@Nullable SampledBatch batch, FetchedRows into, FetchedRows fetched) {
    int[] computed = batch == null ? new int[0] : batch.blocks().getFirst().computedSources();
    int[] wanted = drops() ? Arrays.stream(computed).map(v -> v - begin).toArray() : computed;
    int[] rows = hits[0].toArray();
    if (own instanceof Features.Dense dense) {
      into.dense(computed.length + rows.length, dense.width());
      source.fetch(wanted, into, workers);
      DenseMatrix x = into.dense(computed.length + rows.length, dense.width());
      long start = System.nanoTime();
      features.load(rows, x.rows(computed.length, x.rows()), workers);
      counts.copyNanos += System.nanoTime() - start;
      return into.features();
    }
    source.fetch(wanted, fetched, workers);
    if (fetched.features() instanceof Features.Sparse first) {
      long start = System.nanoTime();
      into.stacked(first.x(), features.load(rows, workers), workers);
      counts.copyNanos += System.nanoTime() - start;
    }
    return into.features();
  }

  /// Copies rows of a layer's input from the cache (HECLoad).
  ///
  /// @param layer number of the layer, from 1
  /// @param to one row for each supplied source, overwritten
  public void load(int layer, DenseMatrix to) {
    long start = System.nanoTime();
    caches.get(layer - 1).lines().load(hits[layer].toArray(), to, workers);
    counts.copyNanos += System.nanoTime() - start;
  }

  /// Pushes the results of the forward pass. Collective; waits for no rows.
  ///
  /// @param hidden inputs of all layers but the first, one row for each computed source; empty if
  ///   this rank has no batch
  public void push(List<DenseMatrix> hidden) {
    long start = System.nanoTime();
    if (!caches.isEmpty()) {
      counts.pushedBytes += push.send(plan, hidden);
    }
    counts.copyNanos += System.nanoTime() - start;
    inTurn = false;
  }

  /// {@return what is cached and in flight between two turns, for checkpoints}
  public CarriedState state() {
    return state;
  }

  /// {@return the maximum age in batches of the embeddings in a rank's part of a checkpoint}
  ///
  /// @param file that [#state] wrote
  public static int life(Path file) {
    return HistoricalState.life(file);
  }

  /// {@return maximum age of an embedding in batches; 0 if none is cached}
  public int life() {
    return life;
  }

  /// {@return the measurements so far; borrowed}
  public HistoricalCounts counts() {
    return counts;
  }

  /// Waits for the last rows and frees memory outside the arena. Collective.
  @Override
  public void close() {
    // In the middle of a turn something has failed, and others may send nothing any more.
    if (!inTurn) {
      push.landAll();
    }
    features.close();
    push.close();
  }
}
