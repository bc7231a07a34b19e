package dev.gossamer.gnn.sampling.blocks;

import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.gnn.sampling.matrices.Drawn;
import dev.gossamer.gnn.sampling.matrices.Draws;
import dev.gossamer.gnn.sampling.matrices.Draws.Purpose;
import dev.gossamer.gnn.sampling.matrices.InverseTransform;
import dev.gossamer.gnn.sampling.matrices.SelectedRows;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;

/// Blocks of one layer in which each vertex `v` has a sample of its neighbours, whose weighted sum
/// estimates its row of `Â H`:
///
/// ```
/// sum over the drawn u of d/s a[vu] h[u]  +  a[vv] h[v]
/// ```
///
/// with `s` of the `d` neighbours other than `v` itself drawn uniformly without replacement. Each
/// is drawn with probability `s/d`, so the expectation is `sum of a[vu] h[u]`, exactly, whatever
/// the weights (D. Horvitz and D. Thompson, 1952). Self loops are kept unchanged, and a vertex with
/// at most `s` other neighbours keeps all of them with their weights.
///
/// The neighbours of a vertex depend only on seed, layer and vertex. One block at a time.
public final class SampledNeighbourhoods implements Neighbourhoods {
  /// What takes the place of an epoch's number in the draws: no epoch has it.
  private static final long EPOCH = -1;

  private final AdjacencyRows a;
  private final List<Integer> fanouts;
  private final long seed;
  private final BlockMaker maker;

  /// Creates samples of a graph.
  ///
  /// @param a `Â`; borrowed
  /// @param fanouts neighbours of a vertex in each layer, the output layer first, each at least 1
  /// @param seed of the draws
  public SampledNeighbourhoods(AdjacencyRows a, List<Integer> fanouts, long seed) {
    this.a = a;
    this.fanouts = List.copyOf(fanouts);
    this.seed = seed;
    maker = new BlockMaker(a.vertices());
  }

  @Override
  public SampledBlock block(Arena arena, int l, int[] vertices) {
    SelectedRows rows = a.select(arena, vertices);
    int hop = fanouts.size() - 1 - l;
    int[] loops = new int[vertices.length];
    int[] starts = new int[vertices.length + 1];
    for (int i = 0; i < vertices.length; i++) {
      loops[i] = rows.position(i, vertices[i]);
      int loop = loops[i] < 0 ? 0 : 1;
      int others = (int) (rows.end(i) - rows.begin(i)) - loop;
      starts[i + 1] = Math.addExact(starts[i], Math.min(others, fanouts.get(hop)) + loop);
    }
    int[] positions = new int[starts[vertices.length]];
    float[] weights = new float[positions.length];
    Draws draws = new Draws(seed, Purpose.LAYER, hop, EPOCH);
    for (int i = 0; i < vertices.length; i++) {
      draws.at(vertices[i], 0);
      int length = (int) (rows.end(i) - rows.begin(i));
      draw(length, loops[i], draws, positions, weights, starts[i], starts[i + 1]);
    }
    return maker.drawnEntries(arena, rows, vertices, new Drawn(starts, positions, weights));
  }

  /// Draws entries of one row.
  ///
  /// @param length entries of the row
  /// @param loop position of the self loop, negative if there is none
  /// @param positions receives positions in the row from `from` to before `to`, ascending
  /// @param weights receives what each entry is multiplied by
  private static void draw(
      int length, int loop, Draws draws, int[] positions, float[] weights, int from, int to) {
    int drawn = to - from - (loop < 0 ? 0 : 1);
    int others = length - (loop < 0 ? 0 : 1);
    InverseTransform.uniform(others, drawn, draws, positions, from);
    Arrays.fill(weights, from, to, (float) others / drawn);
    if (loop >= 0) {
      int place = from + drawn;
      while (place > from && positions[place - 1] >= loop) {
        positions[place] = positions[place - 1] + 1;
        place--;
      }
      positions[place] = loop;
      weights[place] = 1;
    }
  }
}
