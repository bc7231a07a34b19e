package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.nn.DownCast;
import dev.gossamer.nn.optimizer.LossScale;
import dev.gossamer.nn.optimizer.OptimizerRule;

/// How parameters, gradients and the optimizer's memory are kept.
///
/// @param storage of parameters and gradients
/// @param rule of the optimizer
public record StateSettings(StorageSettings storage, OptimizerRule rule) {
  /// What multiplies once a network is pruned.
  public enum Products {
    /// Dense matrices with zeros for what is pruned (SAMO, section III-A).
    DENSE,
    /// Sparse matrices: the baseline (SAMO, section V-B).
    SPARSE
  }

  /// {@return the format of the parameters that products read, and of gradients between replicas}
  public NumberFormat format() {
    return storage.precision();
  }

  /// {@return the index of the survivors}
  public IndexKind index() {
    return storage.index() == null ? IndexKind.INT32 : storage.index();
  }

  /// {@return the down-cast of updated parameters}
  public DownCast downCast() {
    return storage.downCast() == null ? DownCast.CHUNKED : storage.downCast();
  }

  /// {@return what multiplies with what is pruned}
  public Products products() {
    return storage.products();
  }

  /// The scale of the loss to begin with: dynamic for fp16, whose gradients would vanish without,
  /// and 1 for formats with the exponents of float32.
  LossScale lossScale() {
    return format() == NumberFormat.FP16 ? new LossScale() : new LossScale(1, Integer.MAX_VALUE);
  }

  /// {@return bytes of the state of parameters that are all kept: `20 phi` in 16 bits with two
  /// slots (SAMO, section III-D)}
  ///
  /// @param parameters how many
  public long denseBytes(long parameters) {
    int half = format().bytes() < Float.BYTES ? 2 * format().bytes() : 0;
    return parameters * (half + Float.BYTES * (2L + rule.slots()));
  }

  /// {@return bytes of the state of parameters of which some survive: `2 phi + 22 f phi` in 16 bits
  /// with two slots and 32-bit positions, `2 f phi` more for a down-cast of all at once; with
  /// sparse products `phi / 32 + 30 f phi`}
  ///
  /// @param parameters with the pruned ones
  /// @param kept survivors
  public long compressedBytes(long parameters, long kept) {
    int wire = format().bytes() < Float.BYTES ? format().bytes() : 0;
    if (products() == Products.SPARSE) {
      return parameters / 32 + kept * (12 + wire + Float.BYTES * (2L + rule.slots()));
    }
    int temporary = downCast() == DownCast.WHOLE ? format().bytes() : 0;
    return parameters * format().bytes()
        + kept * (wire + Float.BYTES * (2L + rule.slots()) + temporary)
        + indexBytes(parameters, kept);
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
