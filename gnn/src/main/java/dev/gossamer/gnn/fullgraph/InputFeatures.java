package dev.gossamer.gnn.fullgraph;

import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Dropout;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.nn.Aggregation;
import dev.gossamer.nn.Kernels;
import dev.gossamer.nn.LayerInput;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// What the first layer multiplies its weights with, in training and in evaluation.
abstract sealed class InputFeatures {
  /// What the first layer reads.
  ///
  /// @param own the vertices' own rows
  /// @param sources what is aggregated, or has been
  record Rows(LayerInput own, LayerInput sources) {
    Rows(LayerInput both) {
      this(both, both);
    }
  }

  /// The input of an epoch.
  abstract Rows forTraining(int epoch);

  /// The input without dropout.
  abstract Rows forEvaluation();

  static InputFeatures of(
      Arena arena,
      Shard shard,
      NetworkPlan plan,
      NetworkSettings settings,
      long seed,
      Kernels kernels) {
    boolean drops = settings.inputDropout() > 0;
    return switch (shard.features()) {
      case Features.Dense dense when plan.aggregatesInput() -> {
        DenseMatrix ax = plan.buffers().allocate(arena, NetworkPlan.INPUT);
        if (!(shard.graph() instanceof Aggregation aggregation)) {
          throw new IllegalArgumentException(
              "only an aggregation can be applied once to the input");
        }
        aggregation.forward(dense.x(), ax, RowEpilogue.NONE);
        yield new Fixed(new Rows(new LayerInput.Dense(dense.x()), new LayerInput.Dense(ax)));
      }
      case Features.Dense dense when drops ->
          new DroppedDense(
              dense.x(),
              plan.buffers().allocate(arena, NetworkPlan.INPUT),
              settings,
              shard.ids(),
              seed,
              kernels);
      case Features.Dense dense -> new Fixed(new Rows(new LayerInput.Dense(dense.x())));
      case Features.Sparse sparse when drops ->
          new DroppedSparse(arena, sparse.x(), settings, shard.ids(), seed, kernels);
      case Features.Sparse sparse -> new Fixed(sparse(sparse.x(), sparse.x().transpose(arena)));
      case Features.None none ->
          throw new IllegalArgumentException("a network needs features, and the data set has none");
    };
  }

  private static Rows sparse(CsrMatrix x, CsrMatrix transpose) {
    return new Rows(new LayerInput.Sparse(new Spmm(x), new Spmm(transpose)));
  }

  /// The same in every epoch.
  private static final class Fixed extends InputFeatures {
    private final Rows input;

    Fixed(Rows input) {
      this.input = input;
    }

    @Override
    Rows forTraining(int epoch) {
      return input;
    }

    @Override
    Rows forEvaluation() {
      return input;
    }
  }

  /// Dense features, copied into a buffer of their own with each epoch's dropout applied.
  private static final class DroppedDense extends InputFeatures {
    private final DenseMatrix x;
    private final DenseMatrix dropped;
    private final NetworkSettings settings;
    private final RowIds ids;
    private final long seed;
    private final Kernels kernels;

    DroppedDense(
        DenseMatrix x,
        DenseMatrix dropped,
        NetworkSettings settings,
        RowIds ids,
        long seed,
        Kernels kernels) {
      this.x = x;
      this.dropped = dropped;
      this.settings = settings;
      this.ids = ids;
      this.seed = seed;
      this.kernels = kernels;
    }

    @Override
    Rows forTraining(int epoch) {
      dropped.copyFrom(x);
      settings.inputDropping(seed).apply(dropped, epoch, ids, kernels.workers());
      return new Rows(new LayerInput.Dense(dropped));
    }

    @Override
    Rows forEvaluation() {
      return new Rows(new LayerInput.Dense(x));
    }
  }

  /// Sparse features: each epoch draws new values for the nonzeros of `X` and, alike, of its
  /// transpose.
  private static final class DroppedSparse extends InputFeatures {
    private final CsrMatrix x;
    private final CsrMatrix transpose;
    private final MemorySegment values;
    private final MemorySegment transposeValues;
    private final Rows dropped;
    private final Rows whole;
    private final NetworkSettings settings;
    private final RowIds ids;
    private final long seed;
    private final Kernels kernels;

    DroppedSparse(
        Arena arena,
        CsrMatrix x,
        NetworkSettings settings,
        RowIds ids,
        long seed,
        Kernels kernels) {
      this.x = x;
      this.settings = settings;
      this.ids = ids;
      this.seed = seed;
      this.kernels = kernels;
      transpose = x.transpose(arena);
      values = arena.allocate(x.nnz() * Float.BYTES, DenseMatrix.ALIGNMENT);
      transposeValues = arena.allocate(x.nnz() * Float.BYTES, DenseMatrix.ALIGNMENT);
      whole = sparse(x, transpose);
      dropped = sparse(x.withValues(values), transpose.withValues(transposeValues));
    }

    @Override
    Rows forTraining(int epoch) {
      Dropout dropout = settings.inputDropping(seed);
      dropout.sparse(x, epoch, ids, values, kernels.workers());
      dropout.sparseTransposed(transpose, epoch, ids, transposeValues, kernels.workers());
      return dropped;
    }

    @Override
    Rows forEvaluation() {
      return whole;
    }
  }
}
