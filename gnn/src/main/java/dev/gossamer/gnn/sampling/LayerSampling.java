package dev.gossamer.gnn.sampling;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.blocks.BatchNumbers;
import dev.gossamer.gnn.sampling.blocks.BlockMaker;
import dev.gossamer.gnn.sampling.blocks.Boundary;
import dev.gossamer.gnn.sampling.blocks.Frontier;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.blocks.SampledBlock;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Distributions;
import dev.gossamer.gnn.sampling.matrices.Drawn;
import dev.gossamer.gnn.sampling.matrices.Draws;
import dev.gossamer.gnn.sampling.matrices.Draws.Purpose;
import dev.gossamer.gnn.sampling.matrices.InverseTransform;
import dev.gossamer.gnn.sampling.matrices.SelectedRows;
import dev.gossamer.gnn.sampling.matrices.WeightedRow;
import dev.gossamer.matrix.format.ColumnGather;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// MBS, Algorithm 1, for `k` batches at a time: sampling layer by layer.
///
/// @param <P> type of `Q A`
final class LayerSampling<P> extends TimedSampling {
  /// Destinations whose neighbours are drawn by one task.
  private static final int TASK_ROWS = 512;

  private final LayerRule<P> rule;
  private final List<Integer> sizes;
  private final AdjacencyRows a;
  private final long seed;
  private final Workers workers;
  private final BlockMaker[] makers;
  private final InverseTransform[] transforms;
  private final WeightedRow[] weighted;

  /// @param sizes `s` of each layer, from the batch outwards
  LayerSampling(
      LayerRule<P> rule, List<Integer> sizes, AdjacencyRows a, long seed, Workers workers) {
    this.rule = rule;
    this.sizes = sizes;
    this.a = a;
    this.seed = seed;
    this.workers = workers;
    makers = new BlockMaker[workers.threads()];
    transforms = new InverseTransform[workers.threads()];
    weighted = new WeightedRow[workers.threads()];
    for (int t = 0; t < workers.threads(); t++) {
      makers[t] = new BlockMaker(a.vertices());
      transforms[t] = new InverseTransform();
      weighted[t] = new WeightedRow();
    }
  }

  /// Checks the sizes of a sampler's layers.
  ///
  /// @param component of the sampler that has them
  /// @throws InvalidSettingException if there is none or one is less than 1
  static List<Integer> sizes(String component, List<Integer> sizes) {
    if (sizes.isEmpty()) {
      throw new InvalidSettingException(
          "{%s}: expected a number for each layer, found none".formatted(component));
    }
    sizes.forEach(size -> InvalidSettingException.requireAtLeast(component, size, 1));
    return List.copyOf(sizes);
  }

  @Override
  public List<SampledBatch> sample(
      Arena arena,
      long epoch,
      BatchNumbers numbers,
      List<int[]> batches,
      @Nullable Boundary boundary) {
    Frontier q = new Frontier(numbers, batches);
    List<List<SampledBlock>> blocks = new ArrayList<>();
    for (int hop = 0; hop < sizes.size(); hop++) {
      int l = sizes.size() - 1 - hop;
      List<SampledBlock> layer =
          layer(arena, q, hop, epoch).stream().map(b -> b.cut(arena, boundary, l)).toList();
      blocks.add(layer);
      q = new Frontier(numbers, layer.stream().map(SampledBlock::computedSources).toList());
    }
    List<SampledBatch> result = new ArrayList<>();
    for (int b = 0; b < batches.size(); b++) {
      int[] seeds = batches.get(b);
      float[] lossWeights = new float[seeds.length];
      Arrays.fill(lossWeights, 1f / seeds.length);
      List<SampledBlock> ofBatch = new ArrayList<>();
      for (List<SampledBlock> layer : blocks) {
        ofBatch.add(layer.get(b));
      }
      Collections.reverse(ofBatch);
      result.add(new SampledBatch(numbers.of(b), seeds, lossWeights, ofBatch));
    }
    return result;
  }

  /// Returns the number of batches whose `P` and draws exist at the same time: more batches than
  /// threads would only exceed the caches.
  static int groupSize(int threads) {
    return Math.max(16, 2 * threads);
  }

  /// One turn of the loop of Algorithm 1.
  private List<SampledBlock> layer(Arena arena, Frontier q, int hop, long epoch) {
    int[] starts = q.starts();
    int size = groupSize(workers.threads());
    List<SampledBlock> blocks = new ArrayList<>();
    try (Arena fetched = Arena.ofShared()) {
      Draws draws = new Draws(seed, Purpose.LAYER, hop, epoch);
      SelectedRows rows =
          clock.communication(() -> rule.rows(a, fetched, q, sizes.get(hop), draws));
      for (int from = 0; from < q.count(); from += size) {
        int to = Math.min(q.count(), from + size);
        SelectedRows own = rows.range(starts[from], starts[to]);
        blocks.addAll(group(arena, q.range(from, to), own, hop, epoch));
      }
    }
    return blocks;
  }

  private List<SampledBlock> group(
      Arena arena, Frontier q, SelectedRows rows, int hop, long epoch) {
    int[] starts = q.starts();
    SampledBlock[] blocks = new SampledBlock[q.count()];
    try (Arena working = Arena.ofShared()) {
      Distributions normed =
          clock.probability(() -> rule.norm(rule.product(working, q, rows, workers)));
      Drawn[] drawn = clock.sampling(() -> sample(normed, q, hop, epoch));
      return clock.extraction(() -> {
        workers.run(
            q.count(),
            (b, worker) ->
                blocks[b] =
                    rule.extract(arena, rows, starts[b], q.batch(b), drawn[b], makers[worker]));
        return List.of(blocks);
      });
    }
  }

  /// SAMPLE for all batches.
  private Drawn[] sample(Distributions p, Frontier q, int hop, long epoch) {
    return switch (p) {
      case Distributions.OfDestinations uniform -> neighbours(uniform.rows(), q, hop, epoch);
      case Distributions.OfBatches weights -> vertices(weights.row(), q, hop, epoch);
    };
  }

  private Drawn[] vertices(Distributions.RowOfBatch row, Frontier q, int hop, long epoch) {
    Drawn[] drawn = new Drawn[q.count()];
    workers.run(
        q.count(),
        (b, worker) -> {
          Draws draws = new Draws(seed, Purpose.LAYER, hop, epoch);
          draws.at(0, q.number(b));
          WeightedRow candidates = row.of(b, weighted[worker]);
          drawn[b] = transforms[worker].distinct(candidates, sizes.get(hop), draws);
        });
    return drawn;
  }

  private Drawn[] neighbours(SelectedRows p, Frontier q, int hop, long epoch) {
    int s = sizes.get(hop);
    int[] starts = q.starts();
    int[] degrees = a.rowLengths();
    Drawn[] drawn = new Drawn[q.count()];
    workers.run(
        q.count(),
        (b, worker) -> {
          int[] ends = new int[q.batch(b).length + 1];
          for (int i = 0; i < ends.length - 1; i++) {
            int taken = Math.min(degrees[q.batch(b)[i]], s);
            ends[i + 1] = Math.addExact(ends[i], taken);
          }
          drawn[b] = new Drawn(ends, new int[ends[ends.length - 1]], null);
        });
    int[] tasks = tasks(q);
    workers.run(
        tasks[q.count()],
        (task, worker) -> {
          int b = batchOf(tasks, task);
          int from = (task - tasks[b]) * TASK_ROWS;
          int to = Math.min(q.batch(b).length, from + TASK_ROWS);
          Draws draws = new Draws(seed, Purpose.LAYER, hop, epoch);
          neighbours(p, starts[b], q.batch(b), q.number(b), from, to, draws, drawn[b]);
        });
    return drawn;
  }

  /// Draws the neighbours of some destinations of a batch. Rows, then positions, then the columns
  /// there: what has to come from memory is asked for in loops that do nothing else.
  private static void neighbours(
      SelectedRows p,
      int start,
      int[] destinations,
      int number,
      int from,
      int to,
      Draws draws,
      Drawn drawn) {
    int[] ends = drawn.starts();
    int[] vertices = drawn.vertices();
    long[] begins = new long[to - from];
    int[] degrees = new int[to - from];
    for (int i = from; i < to; i++) {
      begins[i - from] = p.begin(start + i);
      degrees[i - from] = (int) (p.end(start + i) - begins[i - from]);
    }
    long[] entries = new long[ends[to] - ends[from]];
    for (int i = from; i < to; i++) {
      draws.at(destinations[i], number);
      int s = ends[i + 1] - ends[i];
      InverseTransform.uniform(degrees[i - from], s, draws, vertices, ends[i]);
      for (int k = ends[i]; k < ends[i + 1]; k++) {
        entries[k - ends[from]] = begins[i - from] + vertices[k];
      }
    }
    ColumnGather.gather(p.matrix(), entries, entries.length, vertices, ends[from]);
  }

  /// The first task of each batch, and the number of all at the end.
  private static int[] tasks(Frontier q) {
    int[] tasks = new int[q.count() + 1];
    for (int b = 0; b < q.count(); b++) {
      tasks[b + 1] = tasks[b] + Math.ceilDiv(q.batch(b).length, TASK_ROWS);
    }
    return tasks;
  }

  private static int batchOf(int[] tasks, int task) {
    int found = Arrays.binarySearch(tasks, task);
    int b = found < 0 ? -found - 2 : found;
    while (tasks[b + 1] == task) {
      b++;
    }
    return b;
  }
}
