package dev.gossamer.graph.format;

import dev.gossamer.matrix.DenseMatrix;
import java.util.Objects;

/// Features that are streamed block by block, so that a matrix larger than memory can be written.
public interface FeatureRows {
  /// {@return `f`, at least 1}
  int width();

  /// Overwrites `block` with the features of the vertices `begin..begin + block.rows() - 1`. Each
  /// block is requested once, in ascending order, by one thread.
  ///
  /// @param begin first vertex
  /// @param block `rows x f`, contents undefined
  void fill(long begin, DenseMatrix block);

  /// {@return the rows of a matrix}
  ///
  /// @param x `n x f`, borrowed
  static FeatureRows of(DenseMatrix x) {
    Objects.requireNonNull(x, "x");
    return new FeatureRows() {
      @Override
      public int width() {
        return x.cols();
      }

      @Override
      public void fill(long begin, DenseMatrix block) {
        block.copyFrom(x.rows(begin, begin + block.rows()));
      }
    };
  }
}
