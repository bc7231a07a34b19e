package dev.gossamer.pruned.pipeline;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.nn.state.DownCast;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import org.jspecify.annotations.Nullable;

/// Settings for the format of parameters and gradients, and of messages between stages.
///
/// @param precision of parameters in products, and of gradients between replicas
/// @param index of the surviving weights; null for positions in 32 bits. Not for sparse products,
///   whose matrices store their own index
/// @param downCast of updated parameters; null for chunks. Not for sparse products
/// @param products of a pruned network
/// @param activations format of activations sent between stages, and of their gradients: float32 or
///   bfloat16; null for float32. Not float16, which would need a scale of their gradients. A single
///   stage sends nothing
public record StorageSettings(
    NumberFormat precision,
    @Nullable IndexKind index,
    @Nullable DownCast downCast,
    Products products,
    @Nullable NumberFormat activations) {
  /// bfloat16, which needs no loss scale; positions of survivors in 32 bits, as published; the
  /// down-cast in chunks, which needs no memory; and whichever products are faster.
  public static final StorageSettings DEFAULT =
      new StorageSettings(NumberFormat.BF16, null, null, Products.AUTO, null);

  /// Checks that no setting would be ignored.
  ///
  /// @throws InvalidSettingException if products are sparse, and there is an index or a down-cast;
  ///   or activations are sent as float16
  public StorageSettings {
    if (products == Products.SPARSE) {
      requireNone("index", index);
      requireNone("downCast", downCast);
    }
    if (activations == NumberFormat.FP16) {
      throw new InvalidSettingException(
          "{activations}: expected bf16 or fp32, found fp16, in which gradients would need a scale");
    }
  }

  private static void requireNone(String component, @Nullable Enum<?> value) {
    if (value != null) {
      throw new InvalidSettingException(
          "{%s}: expected none with {products} sparse, found %s"
              .formatted(component, InvalidSettingException.nameOf(value)));
    }
  }

  /// {@return a copy with another precision}
  ///
  /// @param newPrecision float32 or a format of 16 bits
  public StorageSettings withPrecision(NumberFormat newPrecision) {
    return new StorageSettings(newPrecision, index, downCast, products, activations);
  }

  /// {@return a copy with another index of the survivors}
  ///
  /// @param newIndex kind of index; null for the default
  public StorageSettings withIndex(@Nullable IndexKind newIndex) {
    return new StorageSettings(precision, newIndex, downCast, products, activations);
  }

  /// {@return a copy with another down-cast}
  ///
  /// @param newDownCast chunked or whole; null for the default
  public StorageSettings withDownCast(@Nullable DownCast newDownCast) {
    return new StorageSettings(precision, index, newDownCast, products, activations);
  }

  /// {@return a copy with other products of a pruned network}
  ///
  /// @param newProducts dense, sparse or whichever are faster
  public StorageSettings withProducts(Products newProducts) {
    return new StorageSettings(precision, index, downCast, newProducts, activations);
  }

  /// {@return a copy with another format for sent activations}
  ///
  /// @param newActivations float32 or bfloat16; null for float32
  public StorageSettings withActivations(@Nullable NumberFormat newActivations) {
    return new StorageSettings(precision, index, downCast, products, newActivations);
  }

  /// Reads `bf16`, `fp16`, `fp32` or `float32`.
  ///
  /// @param text from the user
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

  /// Reads `bf16`, `fp32` or `float32`.
  ///
  /// @param text from the user
  /// @return the format of messages between stages
  /// @throws InvalidSettingException if the text is none of these
  public static NumberFormat activations(String text) {
    return switch (text) {
      case "bf16" -> NumberFormat.BF16;
      case "fp32", "float32" -> NumberFormat.FLOAT32;
      default ->
          throw new InvalidSettingException("{activations}: expected bf16 or fp32, found " + text);
    };
  }
}
