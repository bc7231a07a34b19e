package dev.gossamer.pruned.pipeline;

import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.io.InvalidSettingException;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.nn.DownCast;
import dev.gossamer.pruned.pipeline.StateSettings.Products;

/// In which form parameters and gradients are kept.
///
/// @param precision of the parameters that products read, and of gradients between replicas
/// @param index of the survivors of pruning
/// @param downCast of updated parameters
/// @param products with what is pruned
public record StorageSettings(
    NumberFormat precision, IndexKind index, DownCast downCast, Products products) {
  /// bfloat16, which needs no scale of the loss; positions of the survivors in 32 bits, as
  /// published; the down-cast in chunks, which needs no memory; and whichever products are faster.
  public static final StorageSettings DEFAULT =
      new StorageSettings(NumberFormat.BF16, IndexKind.INT32, DownCast.CHUNKED, Products.AUTO);

  /// {@return the same in another precision}
  ///
  /// @param newPrecision float32 or a format of 16 bits
  public StorageSettings withPrecision(NumberFormat newPrecision) {
    return new StorageSettings(newPrecision, index, downCast, products);
  }

  /// {@return the same with another index of the survivors}
  ///
  /// @param newIndex kind of index
  public StorageSettings withIndex(IndexKind newIndex) {
    return new StorageSettings(precision, newIndex, downCast, products);
  }

  /// {@return the same with another down-cast}
  ///
  /// @param newDownCast chunked or whole
  public StorageSettings withDownCast(DownCast newDownCast) {
    return new StorageSettings(precision, index, newDownCast, products);
  }

  /// {@return the same with other products of a pruned network}
  ///
  /// @param newProducts dense, sparse or whichever are faster
  public StorageSettings withProducts(Products newProducts) {
    return new StorageSettings(precision, index, downCast, newProducts);
  }

  /// Reads `bf16`, `fp16`, `fp32` or `float32`.
  ///
  /// @param text what a user gave
  /// @return the format
  /// @throws InvalidSettingException if the text is none of these
  public static NumberFormat precision(String text) {
    return switch (text) {
      case "bf16" -> NumberFormat.BF16;
      case "fp16" -> NumberFormat.FP16;
      case "fp32", "float32" -> NumberFormat.FLOAT32;
      default ->
          throw new InvalidSettingException(
              "{precision}: expected bf16, fp16 or fp32, found " + text);
    };
  }
}
