package dev.gossamer.partition;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.Symmetric;
import dev.gossamer.partition.refine.VolumeGains;
import dev.gossamer.partition.refine.VolumeRefinement;
import java.lang.foreign.Arena;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Multilevel partitioning of edge cut or volumes under several balance constraints.
///
/// Coarsening by size-constrained clusters (Meyerhenke, Sanders and Schulz 2014), recursive
/// bisection of the coarsest level, refinement of the edge cut on each finer level, and of the
/// exact volume on the input. [Objective#BUSIEST_VOLUME] is the objective of Graph-VB (Acer,
/// Selvitopi and Aykanat 2016) with another method: they bisect recursively with volumes as vertex
/// weights; here parts have prices for sent and received rows, and moves of single vertices
/// minimise the priced volume.
///
/// Caps hold if moves and swaps of single vertices can satisfy them; caps that no partition can
/// satisfy (a hub with more nonzeros than a part may have) are violated as little as possible.
///
/// @param objective to minimise
public record MultilevelPartitioner(Objective objective) implements Partitioner {
  /// Vertices and arcs of all coarser levels, in those of the input, at most.
  static final long COARSE = 2;

  private static final Logger LOG = LoggerFactory.getLogger(MultilevelPartitioner.class);

  /// Checks that there is an objective.
  public MultilevelPartitioner {
    Objects.requireNonNull(objective, "objective");
  }

  @Override
  public String name() {
    return objective.partitioner();
  }

  @Override
  public String description() {
    return objective.description();
  }

  @Override
  public Partition partition(PartitionRequest request, Workers workers, Progress progress) {
    int n = request.vertices();
    int k = request.parts();
    if (k == 1 || n <= k) {
      return Partition.blocks(n, k);
    }
    try (Arena arena = Arena.ofShared()) {
      CsrMatrix pattern = Symmetric.of(arena, request.adjacency());
      LOG.debug(
          "{}: at most about {} bytes besides the graph",
          name(),
          bytes(n, pattern.nnz(), k, workers.threads()));
      InputLevel input = InputLevel.of(arena, pattern, request, objective);
      LevelGraph graph = input.graph();
      MultilevelRun run =
          new MultilevelRun(objective, request, graph, input.caps(), workers, progress);
      return Partition.of(graph.held(run::run), k);
    }
  }

  /// Returns the larger of two peaks: all coarser levels at the end of coarsening, and the table of
  /// [VolumeGains] with the memory per vertex for moving clusters. The coarser levels together are
  /// assumed to have `2 n` vertices and `2 (nnz + n)` arcs with weights; R-MAT graphs and grids are
  /// close to that.
  @Override
  public long bytes(long vertices, long nonzeros, int parts, int threads) {
    long always = vertices * (Long.BYTES + 6L * Integer.BYTES) + (long) parts * 16 * Long.BYTES;
    long clustering = vertices * 4 * (Integer.BYTES + Long.BYTES);
    long levels =
        COARSE
            * ((nonzeros + vertices) * 2 * Integer.BYTES
                + vertices * (Long.BYTES + 5 * Integer.BYTES));
    long refining =
        objective == Objective.EDGE_CUT
            ? vertices * 2 * Long.BYTES
            : VolumeGains.bytes(vertices, nonzeros, parts)
                + vertices * (4L * Long.BYTES + VolumeRefinement.INTS_A_VERTEX * Integer.BYTES);
    return always + Math.max(clustering + levels, refining);
  }
}
