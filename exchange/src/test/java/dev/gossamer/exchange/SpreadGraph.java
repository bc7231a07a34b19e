package dev.gossamer.exchange;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Traffic;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Propagation;
import dev.gossamer.graph.PropagationRows;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.run.memory.BufferPlan;
import java.lang.foreign.Arena;
import java.util.Random;

/// A random graph with isolated vertices, a placement with an empty block, and the products that
/// ranks compute of them.
record SpreadGraph(Propagation rule, PropagationRows propagation) {
  /// Columns that the products allow.
  static final int WIDEST = 7;

  /// What one rank has at the end.
  static final class Outcome {
    private final float[][] y;
    private final float[][] gradX;
    private final Traffic.Snapshot traffic;
    private final BufferPlan buffers;

    Outcome(DenseMatrix y, DenseMatrix gradX, Traffic.Snapshot traffic, BufferPlan buffers) {
      this.y = y.toArray();
      this.gradX = gradX.toArray();
      this.traffic = traffic;
      this.buffers = buffers;
    }

    float[][] y() {
      return y;
    }

    float[][] gradX() {
      return gradX;
    }

    Traffic.Snapshot traffic() {
      return traffic;
    }

    BufferPlan buffers() {
      return buffers;
    }
  }

  /// A graph whose last three vertices are isolated.
  static SpreadGraph of(int n, int arcs, boolean directed, boolean weighted, long seed) {
    return of(
        n,
        arcs,
        directed,
        weighted,
        directed ? Normalisation.ROW_MEAN : Normalisation.SYMMETRIC,
        seed);
  }

  /// The same with another normalisation.
  static SpreadGraph of(
      int n, int arcs, boolean directed, boolean weighted, Normalisation normalisation, long seed) {
    CsrMatrix a =
        new CsrBuilder(n, !directed, false, weighted)
            .build(
                Arena.ofAuto(),
                sink -> {
                  Random random = new Random(seed);
                  for (int k = 0; k < arcs; k++) {
                    // Squaring makes vertices of low number popular.
                    double skew = random.nextDouble();
                    sink.arc(
                        random.nextInt(n - 3),
                        (int) (skew * skew * (n - 3)),
                        1 + random.nextInt(4));
                  }
                });
    Propagation rule = new Propagation(a, directed, normalisation, !weighted);
    return new SpreadGraph(rule, rule.all(Arena.ofAuto()));
  }

  /// Parts of different sizes; of four or more, the second is empty.
  Placement unevenPlacement(int blocks, long seed) {
    Random random = new Random(seed);
    int[] part = new int[rule.a().cols()];
    for (int v = 0; v < part.length; v++) {
      int drawn = Math.min(random.nextInt(blocks), random.nextInt(blocks));
      part[v] = blocks >= 4 && drawn == 1 ? 0 : drawn;
    }
    return Placement.of(part, blocks);
  }

  static float[][] randomRows(int n, int width, long seed) {
    Random random = new Random(seed);
    float[][] rows = new float[n][width];
    for (float[] row : rows) {
      for (int f = 0; f < width; f++) {
        row[f] = (float) random.nextGaussian();
      }
    }
    return rows;
  }

  /// One forward and one backward product on `ranks` ranks; rows of `x` and `gradY` are in the
  /// order of the data set. Traffic is that of the forward product.
  Outcome[] multiply(
      int ranks,
      ExchangeStrategy strategy,
      Placement placement,
      float[][] x,
      float[][] gradY,
      RowEpilogue epilogue) {
    return multiply(ranks, strategy, ExchangeWidth.whole(WIDEST), placement, x, gradY, epilogue);
  }

  /// The same with another width of what travels.
  Outcome[] multiply(
      int ranks,
      ExchangeStrategy strategy,
      ExchangeWidth width,
      Placement placement,
      float[][] x,
      float[][] gradY,
      RowEpilogue epilogue) {
    Outcome[] outcomes = new Outcome[ranks];
    ThreadRanks.run(
        ranks,
        world -> {
          try (Arena arena = Arena.ofShared();
              Workers workers = new Workers(1 + world.rank() % 2);
              ProcessGrid grid = new ProcessGrid(world, strategy.replication())) {
            int i = grid.row();
            DistributedSpmm spmm =
                new DistributedSpmm(
                    grid,
                    placement.distribution(),
                    placement.blockRows(arena, rule, i),
                    strategy,
                    width,
                    new Kernels(workers, Matmul.java()),
                    arena);
            DenseMatrix localX = block(arena, placement, i, x);
            DenseMatrix localGradY = block(arena, placement, i, gradY);
            DenseMatrix y = stale(arena, localX);
            DenseMatrix gradX = stale(arena, localX);
            Traffic.Snapshot before = world.traffic().snapshot();
            spmm.forward(localX, y, epilogue);
            Traffic.Snapshot traffic = world.traffic().snapshot().minus(before);
            spmm.backward(localGradY, gradX);
            outcomes[world.rank()] = new Outcome(y, gradX, traffic, spmm.buffers());
          }
        });
    return outcomes;
  }

  static DenseMatrix block(Arena arena, Placement placement, int i, float[][] rows) {
    int[] members = placement.members(i);
    DenseMatrix block = DenseMatrix.allocate(arena, members.length, rows[0].length);
    for (int r = 0; r < members.length; r++) {
      for (int f = 0; f < rows[0].length; f++) {
        block.set(r, f, rows[members[r]][f]);
      }
    }
    return block;
  }

  /// A matrix of that shape whose contents would be noticed.
  private static DenseMatrix stale(Arena arena, DenseMatrix shape) {
    DenseMatrix matrix = DenseMatrix.allocate(arena, shape.rows(), shape.cols());
    matrix.fill(Float.NaN);
    return matrix;
  }
}
