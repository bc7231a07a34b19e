package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.sparse.BlockProducts;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.matrix.sparse.SparseProducts;
import dev.gossamer.nn.optimizer.LossScale;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.nn.state.CompressedForm;
import dev.gossamer.nn.state.DownCast;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ParameterLayout;
import java.util.function.ToLongFunction;

/// The storage of parameters, gradients and the optimizer's memory.
///
/// @param storage of parameters and gradients
/// @param rule of the optimizer
/// @param inBlocks whether entire blocks survive
/// @param keepsBest whether the best weights are kept in addition to the last ones
public record StateSettings(
    StorageSettings storage, OptimizerRule rule, boolean inBlocks, boolean keepsBest) {
  /// The products of a pruned network.
  public enum Products {
    /// Whichever is faster for each matrix; see [SparseProducts#relativeTime] and
    /// [BlockProducts#relativeTime].
    AUTO,
    /// Dense matrices with zeros for pruned elements (SAMO, section III-A).
    DENSE,
    /// Sparse matrices (SAMO, section V-B).
    SPARSE
  }

  /// {@return whether a pruned matrix is multiplied as a sparse one}
  ///
  /// @param matrix of the network
  /// @param kept number of elements that survive
  public boolean isSparse(ParameterLayout.Entry matrix, long kept) {
    return switch (products()) {
      case AUTO -> sparseTime(matrix, kept) < 1;
      case DENSE -> false;
      case SPARSE -> true;
    };
  }

  /// Returns the time of products with a pruned matrix, relative to the dense matrix.
  double relativeTime(ParameterLayout.Entry matrix, long kept) {
    return kept < matrix.count() && isSparse(matrix, kept) ? sparseTime(matrix, kept) : 1;
  }

  private double sparseTime(ParameterLayout.Entry matrix, long kept) {
    return isInBlocks(matrix)
        ? BlockProducts.relativeTime(matrix.rows(), matrix.cols(), kept)
        : SparseProducts.relativeTime(matrix.rows(), matrix.cols(), kept);
  }

  private boolean isInBlocks(ParameterLayout.Entry matrix) {
    return inBlocks && BlockProducts.fits(matrix.rows(), matrix.cols());
  }

  /// {@return the format of parameters in products, and of gradients between replicas}
  public NumberFormat format() {
    return storage.precision();
  }

  /// {@return the format of messages between stages}
  public NumberFormat activations() {
    return storage.activations() == null ? NumberFormat.FLOAT32 : storage.activations();
  }

  /// {@return the kind of index of the survivors}
  public IndexKind index() {
    return storage.index() == null ? IndexKind.INT32 : storage.index();
  }

  /// {@return the down-cast of updated parameters}
  public DownCast downCast() {
    return storage.downCast() == null ? DownCast.CHUNKED : storage.downCast();
  }

  /// {@return the products of a pruned network}
  public Products products() {
    return storage.products();
  }

  /// The form of a pruned network's parameters.
  CompressedForm form() {
    return new CompressedForm(format(), index(), downCast(), this::isSparse, inBlocks);
  }

  /// Returns the initial loss scale: dynamic for fp16, whose gradients would underflow otherwise,
  /// and 1 for formats with the exponent range of float32.
  LossScale lossScale() {
    return format() == NumberFormat.FP16 ? new LossScale() : new LossScale(1, Integer.MAX_VALUE);
  }

  /// {@return bytes of the state of unpruned parameters: `20 phi` in 16 bits with two slots (SAMO,
  /// section III-D)}
  ///
  /// @param parameters number of parameters
  public long denseBytes(long parameters) {
    int half = format().bytes() < Float.BYTES ? 2 * format().bytes() : 0;
    return parameters * (half + Float.BYTES * (2L + rule.slots()));
  }

  /// {@return bytes of the state of pruned parameters, with two slots in 16 bits: `2 phi + 22 f
  /// phi` for matrices with dense products and 32-bit positions, `2 f phi` more for a down-cast of
  /// the whole model; `phi / 32 + 22 f phi` for matrices with sparse products, `phi / 128 + 18.4 f
  /// phi` for sparse products of blocks}
  ///
  /// @param layout of all parameters
  /// @param kept survivors of each
  public long prunedBytes(ParameterLayout layout, ToLongFunction<ParameterLayout.Entry> kept) {
    return layout.entries().stream()
        .mapToLong(entry -> prunedBytes(entry, kept.applyAsLong(entry)))
        .sum();
  }

  private long prunedBytes(ParameterLayout.Entry entry, long kept) {
    int wire = format().bytes() < Float.BYTES ? format().bytes() : 0;
    long survivors = kept * (wire + Float.BYTES * (2L + rule.slots()));
    if (kept < entry.count() && isSparse(entry, kept)) {
      return survivors
          + (isInBlocks(entry)
              ? entry.count() / 128 + 3 * kept / 8
              : entry.count() / 32 + 4 * kept);
    }
    int temporary = downCast() == DownCast.WHOLE ? format().bytes() : 0;
    return survivors
        + entry.count() * format().bytes()
        + kept * temporary
        + indexBytes(entry.count(), kept);
  }

  /// {@return [#prunedBytes] if all matrices lose the same share of their elements}
  ///
  /// @param layout of all parameters
  /// @param kept survivors of all
  public long prunedBytes(ParameterLayout layout, long kept) {
    long whole = layout.where(entry -> !Mask.prunable(entry)).count();
    double share = Math.max(0, kept - whole) / (double) Math.max(1, layout.count() - whole);
    return prunedBytes(
        layout, entry -> Mask.prunable(entry) ? Math.round(share * entry.count()) : entry.count());
  }

  /// Bytes of the index alone, without the ranks by which it is entered, `phi / 128`.
  private long indexBytes(long parameters, long kept) {
    long positions = kept * Integer.BYTES;
    long bits = parameters / Byte.SIZE;
    return switch (index()) {
      case INT32 -> positions;
      case BITMAP -> bits;
      case AUTO -> Math.min(positions, bits);
    };
  }
}
