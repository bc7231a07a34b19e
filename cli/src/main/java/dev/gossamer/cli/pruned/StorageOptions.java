package dev.gossamer.cli.pruned;

import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.nn.state.DownCast;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.pipeline.StorageSettings;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of the formats of parameters and gradients.
final class StorageOptions {
  @Option(
      names = "--precision",
      paramLabel = "FORMAT",
      defaultValue = "bf16",
      description =
          "Parameters and gradients: bf16 or fp16 (with a dynamic scale of the loss) beside float32 masters,"
              + " or fp32 (default: ${DEFAULT-VALUE}).")
  String precision = "bf16";

  @Option(
      names = "--index",
      paramLabel = "KIND",
      description =
          "Index of the survivors: int32 (4 bytes per survivor, as in the paper), bitmap (a bit per parameter)"
              + " or auto (whichever is smaller) (default: int32).")
  @Nullable IndexKind index;

  @Option(
      names = "--downcast",
      paramLabel = "HOW",
      description =
          "How updated parameters are rounded to 16 bits: chunked, or whole (with a temporary copy of all, as in the"
              + " paper) (default: chunked).")
  @Nullable DownCast downCast;

  @Option(
      names = "--compute",
      paramLabel = "HOW",
      defaultValue = "auto",
      description =
          "Products of a pruned network: dense (zeros in place of pruned weights, as in the paper), sparse, or"
              + " auto (the faster one for each matrix) (default: ${DEFAULT-VALUE}).")
  Products products = Products.AUTO;

  @Option(
      names = "--activations",
      paramLabel = "FORMAT",
      description =
          "Format of activations and their gradients between stages: fp32, or bf16 in half the bytes (default: fp32).")
  @Nullable String activations;

  StorageSettings settings() {
    return new StorageSettings(
        StorageSettings.precision(precision.toLowerCase(Locale.ROOT)),
        index,
        downCast,
        products,
        activations == null
            ? null
            : StorageSettings.activations(activations.toLowerCase(Locale.ROOT)));
  }
}
