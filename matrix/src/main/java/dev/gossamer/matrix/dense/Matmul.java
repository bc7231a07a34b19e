package dev.gossamer.matrix.dense;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.tile.Tiles;
import java.util.Locale;

/// Products of dense matrices, float32: the tall ones of a network's layers (many rows, narrow).
///
/// `H` is `m x k` activations, `W` is `k x n` weights, `G` is `m x n` gradients; `m` is long, `k`
/// and `n` are the widths of layers. Any `m >= 0` and `k, n >= 1` work. Results are overwritten and
/// must not share memory with operands, except where a method says so. Results are bit-identical
/// for any number of threads. Nothing is allocated: packed operands and partial sums are in the
/// scratch memory of the [Workers]. Instances have no state; many callers may use one, each with
/// its own workers.
///
/// Cost: `2 m k n` operations. For tall operands the bytes moved are `4 m (k + n)`.
public sealed interface Matmul permits JavaMatmul, OneDnnMatmul {
  /// How settings name products by oneDNN.
  String ONE_DNN = "onednn";

  /// Computes `C = A B`, as in the forward pass `H W`.
  ///
  /// @param a `m x k`
  /// @param b `k x n`
  /// @param c `m x n`, overwritten
  /// @param w threads that share the work
  /// @param epilogue applied to finished rows while they are in cache
  /// @throws IllegalArgumentException if the shapes do not fit
  void multiply(DenseMatrix a, DenseMatrix b, DenseMatrix c, Workers w, RowEpilogue epilogue);

  /// Computes `C = A B^T`, as in the backward pass `G W^T`.
  ///
  /// @param a `m x k`
  /// @param b `n x k`
  /// @param c `m x n`, overwritten
  /// @param w threads that share the work
  /// @param epilogue applied to finished rows while they are in cache
  /// @throws IllegalArgumentException if the shapes do not fit
  void multiplyTransposed(
      DenseMatrix a, DenseMatrix b, DenseMatrix c, Workers w, RowEpilogue epilogue);

  /// Computes the backward pass through a product, ReLU and dropout in one: `h = h > 0 ? scale (A
  /// B^T) : 0`.
  ///
  /// `h` comes in as the activations that the forward pass left (zero where the unit was negative
  /// or dropped) and goes out as their gradient. No other memory of its size is needed.
  ///
  /// @param a `m x k`
  /// @param b `n x k`
  /// @param h `m x n`, read and overwritten
  /// @param scale what dropout multiplied the kept elements with; 1 without dropout
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  void multiplyTransposedMasked(
      DenseMatrix a, DenseMatrix b, DenseMatrix h, float scale, Workers w);

  /// Computes `C = A^T B` over the long dimension, as in the weight gradient `H^T G`.
  ///
  /// @param a `m x k`
  /// @param b `m x n`
  /// @param c `k x n`, overwritten; zero if `m` is 0
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  void transposedMultiply(DenseMatrix a, DenseMatrix b, DenseMatrix c, Workers w);

  /// {@return what a log line calls this implementation}
  String name();

  /// {@return what [#named] reads: `java`, or `onednn:LIBRARY`}
  String setting();

  /// {@return the width of the vectors that kernels in Java use on this machine, in bits}
  static int vectorBits() {
    return Tiles.SPECIES.vectorBitSize();
  }

  /// {@return the implementation in Java, which needs nothing installed}
  static Matmul java() {
    return JavaMatmul.INSTANCE;
  }

  /// {@return the implementation that calls oneDNN}
  ///
  /// @param library name for the system's loader (`libdnnl.so.2`), or path
  /// @throws IllegalArgumentException if it cannot be loaded or is not oneDNN with OpenMP
  static Matmul oneDnn(String library) {
    return OneDnnMatmul.load(library);
  }

  /// {@return the implementation that a setting names}
  ///
  /// @param setting `java`, `onednn`, or `onednn:LIBRARY`, in any case
  /// @throws InvalidSettingException if it is something else, or the library cannot be loaded
  static Matmul named(String setting) {
    String kind = setting.toLowerCase(Locale.ROOT);
    if (kind.equals("java")) {
      return java();
    }
    boolean libraryGiven = kind.startsWith(ONE_DNN + ":");
    if (!libraryGiven && !kind.equals(ONE_DNN)) {
      throw new InvalidSettingException(
          "{matmul}: expected java or onednn[:LIBRARY], found " + setting);
    }
    try {
      return oneDnn(
          libraryGiven ? setting.substring(ONE_DNN.length() + 1) : OneDnnMatmul.USUAL_LIBRARY);
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException("{matmul}: " + e.getMessage(), e);
    }
  }
}
