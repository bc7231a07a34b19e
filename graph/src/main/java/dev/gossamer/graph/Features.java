package dev.gossamer.graph;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowGather;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/// The input features `X` (`n x f`), one row per vertex.
public sealed interface Features {
  /// {@return features per vertex; 0 for [None]}
  int width();

  /// {@return the memory of the features} Borrowed.
  default List<MemorySegment> segments() {
    return switch (this) {
      case Dense dense -> List.of(dense.x().data());
      case Sparse sparse -> sparse.x().segments();
      case None none -> List.of();
    };
  }

  /// {@return the rows `begin` to `end - 1`, in the same memory except for the row pointers of
  /// sparse features}
  ///
  /// @param arena owner of the row pointers
  /// @param begin first row
  /// @param end row after the last
  default Features rows(Arena arena, int begin, int end) {
    return switch (this) {
      case Dense dense -> new Dense(dense.x().rows(begin, end));
      case Sparse sparse -> new Sparse(sparse.x().rows(arena, begin, end));
      case None none -> none;
    };
  }

  /// {@return a copy of selected rows}
  ///
  /// @param arena owner of the copies
  /// @param vertices in the order of the result
  /// @param workers threads to use; borrowed
  default Features selected(Arena arena, int[] vertices, Workers workers) {
    return switch (this) {
      case Dense dense -> {
        DenseMatrix rows = DenseMatrix.allocate(arena, vertices.length, dense.width());
        RowGather.gather(dense.x(), vertices, rows, workers);
        yield new Dense(rows);
      }
      case Sparse sparse -> new Sparse(sparse.x().selected(arena, vertices));
      case None none -> none;
    };
  }

  /// Dense features.
  ///
  /// @param x `n x f`
  record Dense(DenseMatrix x) implements Features {
    /// Checks that there are features.
    public Dense {
      Objects.requireNonNull(x, "x");
    }

    @Override
    public int width() {
      return x.cols();
    }
  }

  /// Sparse features, such as bags of words or one-hot attributes.
  ///
  /// @param x `n x f`, columns ascending in each row
  record Sparse(CsrMatrix x) implements Features {
    /// Checks that there are features.
    public Sparse {
      Objects.requireNonNull(x, "x");
    }

    @Override
    public int width() {
      return x.cols();
    }
  }

  /// No features: the graph can be partitioned, but not trained on.
  record None() implements Features {
    @Override
    public int width() {
      return 0;
    }
  }
}
