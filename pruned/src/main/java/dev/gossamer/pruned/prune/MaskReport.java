package dev.gossamer.pruned.prune;

import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/// The survivors of each pruned matrix of a mask, and the size of an index.
///
/// @param matrices in the order of the mask's layout
/// @param removed whether empty rows and columns have been removed, and need no index
/// @param inBlocks whether entire blocks survive, which block products use
public record MaskReport(List<Matrix> matrices, boolean removed, boolean inBlocks) {
  /// A matrix that is pruned.
  ///
  /// @param name of the matrix
  /// @param rows of the matrix
  /// @param cols columns of the matrix
  /// @param survivors number of elements that are kept
  /// @param emptyRows number of rows without a survivor
  /// @param emptyColumns number of columns without a survivor
  public record Matrix(
      String name, int rows, int cols, long survivors, int emptyRows, int emptyColumns) {
    static Matrix of(ParameterLayout.Entry entry, BitSet survivors) {
      BitSet rows = new BitSet();
      BitSet columns = new BitSet();
      survivors.stream()
          .forEach(element -> {
            rows.set(element / entry.cols());
            columns.set(element % entry.cols());
          });
      return new Matrix(
          entry.name(),
          entry.rows(),
          entry.cols(),
          survivors.cardinality(),
          entry.rows() - rows.cardinality(),
          entry.cols() - columns.cardinality());
    }

    /// {@return the number of elements, pruned or not}
    public long elements() {
      return (long) rows * cols;
    }

    /// {@return the fraction of the elements that is pruned}
    public double sparsity() {
      return MaskReport.sparsity(survivors, elements());
    }
  }

  /// Copies the collections.
  public MaskReport {
    matrices = List.copyOf(matrices);
  }

  /// {@return the report of a mask}
  ///
  /// @param mask of a network
  public static MaskReport of(Mask mask) {
    return new MaskReport(
        pruned(mask).stream().map(e -> Matrix.of(e, mask.survivors(e.name()))).toList(),
        false,
        BlockPruning.isInBlocks(mask));
  }

  /// {@return the report of a network that has lost units}
  ///
  /// @param whole shapes of the parameters with all units
  /// @param mask of the remaining network
  public static MaskReport removed(ParameterLayout whole, Mask mask) {
    List<Matrix> matrices = new ArrayList<>();
    for (ParameterLayout.Entry entry : whole.where(Mask::prunable).entries()) {
      ParameterLayout.Entry left = mask.layout().entry(entry.name());
      if (left.count() < entry.count() || mask.prunes(entry.name())) {
        matrices.add(
            new Matrix(
                entry.name(),
                entry.rows(),
                entry.cols(),
                mask.count(entry.name()),
                entry.rows() - left.rows(),
                entry.cols() - left.cols()));
      }
    }
    return new MaskReport(matrices, true, false);
  }

  private static List<ParameterLayout.Entry> pruned(Mask mask) {
    return mask.layout().entries().stream().filter(e -> mask.prunes(e.name())).toList();
  }

  /// {@return the number of elements of all matrices}
  public long elements() {
    return matrices.stream().mapToLong(Matrix::elements).sum();
  }

  /// {@return the number of survivors of all matrices}
  public long survivors() {
    return matrices.stream().mapToLong(Matrix::survivors).sum();
  }

  /// {@return the fraction of the elements that is pruned}
  public double sparsity() {
    return sparsity(survivors(), elements());
  }

  /// Of nothing, nothing is pruned.
  private static double sparsity(long survivors, long elements) {
    return elements == 0 ? 0 : 1 - (double) survivors / elements;
  }

  /// {@return bytes of an index of the survivors}
  ///
  /// @param kind of index
  public long indexBytes(IndexKind kind) {
    return matrices.stream()
        .filter(m -> m.survivors() < stored(m))
        .mapToLong(m -> kind.bytes(stored(m), m.survivors()))
        .sum();
  }

  private long stored(Matrix m) {
    return removed
        ? (long) (m.rows() - m.emptyRows()) * (m.cols() - m.emptyColumns())
        : m.elements();
  }

  /// {@return the number of elements of each matrix on which two masks differ, in the order of
  /// [#matrices]}
  ///
  /// @param one a mask
  /// @param other mask of the same network
  /// @throws IllegalArgumentException if they do not prune the same matrices
  public static List<Long> differences(Mask one, Mask other) {
    List<ParameterLayout.Entry> matrices = pruned(one);
    if (!shapes(matrices).equals(shapes(pruned(other)))) {
      throw new IllegalArgumentException(
          "mask: expected one of the same %d matrices, found one of different matrices"
              .formatted(matrices.size()));
    }
    List<Long> differences = new ArrayList<>();
    for (ParameterLayout.Entry matrix : matrices) {
      BitSet differing = one.survivors(matrix.name());
      differing.xor(other.survivors(matrix.name()));
      differences.add((long) differing.cardinality());
    }
    return differences;
  }

  private static List<String> shapes(List<ParameterLayout.Entry> matrices) {
    return matrices.stream()
        .map(m -> "%s %d x %d".formatted(m.name(), m.rows(), m.cols()))
        .toList();
  }
}
