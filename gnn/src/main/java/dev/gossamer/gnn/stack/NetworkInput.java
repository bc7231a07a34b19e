package dev.gossamer.gnn.stack;

import dev.gossamer.graph.Features;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Dropout;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.nn.layers.LayerInput;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The input of the first layer of a network, in training and in evaluation: the features of a
/// whole graph, or those of one batch.
public abstract sealed class NetworkInput {
  /// The rows that the first layer reads.
  ///
  /// @param own the targets' own rows
  /// @param sources rows to aggregate, or aggregated rows
  public record Rows(LayerInput own, LayerInput sources) {}

  /// Memory for features with dropout applied.
  public interface Memory {
    /// {@return memory for dense features with dropout}
    ///
    /// @param x features without dropout; may be returned itself, so that dropout works in place
    DenseMatrix dropped(DenseMatrix x);

    /// {@return memory for values of sparse features with dropout}
    ///
    /// @param which values
    /// @param bytes of all values
    MemorySegment values(Values which, long bytes);
  }

  /// Values of sparse features with dropout.
  public enum Values {
    /// Those of `X`.
    OF_FEATURES,
    /// Those of its transpose.
    OF_TRANSPOSE
  }

  private NetworkInput() {}

  /// Creates additional memory of training now instead of in its first step.
  ///
  /// @return this input
  public NetworkInput prepared() {
    return this;
  }

  /// {@return the input with a step's dropout}
  ///
  /// @param step epoch or batch whose dropout is drawn
  public abstract Rows training(long step);

  /// {@return the input without dropout}
  public abstract Rows evaluation();

  /// {@return aggregated input, which replaces the features}
  ///
  /// @param x `X`
  /// @param ax `Â X`
  public static NetworkInput aggregated(DenseMatrix x, DenseMatrix ax) {
    return new Fixed(new Rows(new LayerInput.Dense(x), new LayerInput.Dense(ax)));
  }

  /// {@return features with one row per source; the first sources are the targets}
  ///
  /// @param arena shared, owner of additional memory of sparse features
  /// @param x one row for each source
  /// @param own number of leading rows that the layer also reads without aggregation; all, if it
  ///   reads none
  /// @param dropout of training
  /// @param memory for it
  /// @throws IllegalArgumentException if there are no features
  public static NetworkInput of(
      Arena arena, Features x, int own, InputDropout dropout, Memory memory) {
    return switch (x) {
      case Features.Dense dense when dropout.drops() ->
          new DroppedDense(dense.x(), own, dropout, memory);
      case Features.Dense dense -> new Fixed(dense(dense.x(), own));
      case Features.Sparse sparse -> new Sparse(arena, sparse.x(), own, dropout, memory);
      case Features.None none ->
          throw new IllegalArgumentException("a network needs features, and there are none");
    };
  }

  /// {@return additional bytes of training on sparse features: transposes, and values with dropout}
  ///
  /// @param x the features, or a matrix that contains those of the input
  /// @param nnz maximum stored entries of the input
  /// @param transposes number of transposes: of all rows, and of those that a layer reads without
  ///   aggregation
  /// @param drops whether training uses dropout
  public static long sparseBytes(CsrMatrix x, long nnz, int transposes, boolean drops) {
    boolean values = x.values() != null || drops;
    return transposes * CsrMatrix.bytes(x.cols(), nnz, values) + (drops ? nnz * Float.BYTES : 0);
  }

  /// Dense rows, those of the targets first.
  static Rows dense(DenseMatrix h, long own) {
    return new Rows(new LayerInput.Dense(h.rows(0, own)), new LayerInput.Dense(h));
  }

  /// The same in every step.
  private static final class Fixed extends NetworkInput {
    private final Rows input;

    Fixed(Rows input) {
      this.input = input;
    }

    @Override
    public Rows training(long step) {
      return input;
    }

    @Override
    public Rows evaluation() {
      return input;
    }
  }

  /// Dense features with each step's dropout applied.
  private static final class DroppedDense extends NetworkInput {
    private final DenseMatrix x;
    private final int own;
    private final InputDropout dropout;
    private final Memory memory;

    DroppedDense(DenseMatrix x, int own, InputDropout dropout, Memory memory) {
      this.x = x;
      this.own = own;
      this.dropout = dropout;
      this.memory = memory;
    }

    @Override
    public Rows training(long step) {
      DenseMatrix dropped = memory.dropped(x);
      if (dropped != x) {
        dropped.copyFrom(x);
      }
      dropout.dropout().apply(dropped, step, dropout.ids(), dropout.workers());
      return dense(dropped, own);
    }

    @Override
    public Rows evaluation() {
      return dense(x, own);
    }
  }

  /// Sparse features, and their transpose once training asks for it. A step's dropout draws new
  /// values for the nonzeros of `X` and, alike, of its transpose. Rows of their own are those of
  /// one step: an input that has some is one batch's.
  private static final class Sparse extends NetworkInput {
    private final Arena arena;
    private final CsrMatrix x;
    private final int own;
    private final InputDropout dropout;
    private final Memory memory;
    private final Rows whole;
    private @Nullable Drawn drawn;
    private @Nullable Rows read;

    /// What training reads.
    ///
    /// @param transpose of `X` as it is
    /// @param x with the values that are drawn in each step, if any are
    /// @param drawnTranspose likewise
    private record Drawn(CsrMatrix transpose, CsrMatrix x, CsrMatrix drawnTranspose) {}

    Sparse(Arena arena, CsrMatrix x, int own, InputDropout dropout, Memory memory) {
      this.arena = arena;
      this.x = x;
      this.own = own;
      this.dropout = dropout;
      this.memory = memory;
      whole = rows(x, null);
    }

    @Override
    public NetworkInput prepared() {
      drawn();
      return this;
    }

    @Override
    public Rows training(long step) {
      Drawn made = drawn();
      if (dropout.drops()) {
        Dropout rule = dropout.dropout();
        rule.sparse(x, step, dropout.ids(), values(made.x()), dropout.workers());
        rule.sparseTransposed(
            made.transpose(),
            step,
            dropout.ids(),
            values(made.drawnTranspose()),
            dropout.workers());
      }
      Rows rows = read;
      if (rows == null) {
        rows = rows(made.x(), made.drawnTranspose());
        read = rows;
      }
      return rows;
    }

    @Override
    public Rows evaluation() {
      return whole;
    }

    private Drawn drawn() {
      Drawn made = drawn;
      if (made == null) {
        CsrMatrix transpose = x.transpose(arena);
        long bytes = x.nnz() * Float.BYTES;
        made =
            dropout.drops()
                ? new Drawn(
                    transpose,
                    x.withValues(memory.values(Values.OF_FEATURES, bytes)),
                    transpose.withValues(memory.values(Values.OF_TRANSPOSE, bytes)))
                : new Drawn(transpose, x, transpose);
        drawn = made;
      }
      return made;
    }

    private static MemorySegment values(CsrMatrix a) {
      return Objects.requireNonNull(a.values());
    }

    /// @param transpose null for an input that no backward pass follows
    private Rows rows(CsrMatrix all, @Nullable CsrMatrix transpose) {
      LayerInput sources = input(all, transpose);
      if (own == all.rows()) {
        return new Rows(sources, sources);
      }
      CsrMatrix first = all.rows(arena, 0, own);
      return new Rows(input(first, transpose == null ? null : first.transpose(arena)), sources);
    }

    private static LayerInput input(CsrMatrix rows, @Nullable CsrMatrix transpose) {
      return new LayerInput.Sparse(new Spmm(rows), transpose == null ? null : new Spmm(transpose));
    }
  }
}
