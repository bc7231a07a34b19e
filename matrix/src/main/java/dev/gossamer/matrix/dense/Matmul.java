package dev.gossamer.matrix.dense;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.tile.Tiles;
import java.util.Locale;

/// Products of dense float32 matrices that are tall (many rows, few columns), as in the layers of a
/// network.
///
/// `H` is `m x k` activations, `W` is `k x n` weights, `G` is `m x n` gradients; `m` is large, `k`
/// and `n` are the widths of layers. Any `m >= 0` and `k, n >= 1` work. Results are overwritten and
/// must not share memory with operands, except where a method says so. Results are bit-identical
/// for any number of threads. Nothing is allocated: packed operands and partial sums are in the
/// scratch memory of the [Workers]. Instances are stateless and may be shared by callers with their
/// own workers.
///
/// Cost: `2 m k n` operations. For tall operands the bytes moved are `4 m (k + n)`.
public sealed interface Matmul permits JavaMatmul, OneDnnMatmul {
  /// The name of oneDNN in settings.
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

  /// Computes the backward pass through a product, ReLU and dropout in one step: `h = h > 0 ? scale
  /// (A B^T) : 0`.
  ///
  /// `h` contains the activations of the forward pass (zero where the unit was negative or
  /// dropped), which are replaced by their gradient. No other memory of this size is needed.
  ///
  /// @param a `m x k`
  /// @param b `n x k`
  /// @param h `m x n`, read and overwritten
  /// @param scale factor of kept elements in dropout; 1 without dropout
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

  /// {@return the name of this implementation in log lines}
  String name();

  /// {@return the setting that [#named] reads: `java`, or `onednn:LIBRARY`}
  String setting();

  /// {@return the vector width of Java kernels on this machine, in bits}
  static int vectorBits() {
    return Tiles.SPECIES.vectorBitSize();
  }

  /// {@return the Java implementation, which needs no library}
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
  /// @throws InvalidSettingException if it has another form, or the library cannot be loaded
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
