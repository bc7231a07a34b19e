package dev.gossamer.cli.pruned;

import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.nn.state.DownCast;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.pipeline.StorageSettings;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that say in which form parameters and gradients are kept.
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
          "How the survivors are known: int32 (4 bytes per survivor, as in the publication), bitmap (a bit"
              + " per parameter) or auto (whichever is smaller) (default: int32).")
  @Nullable IndexKind index;

  @Option(
      names = "--downcast",
      paramLabel = "HOW",
      description =
          "Updated parameters become 16-bit ones chunked, or whole by way of a copy of all, as in the"
              + " publication (default: chunked).")
  @Nullable DownCast downCast;

  @Option(
      names = "--compute",
      paramLabel = "HOW",
      defaultValue = "auto",
      description =
          "Products of a pruned network: dense (zeros in place of what is pruned, as in the publication),"
              + " sparse, or auto (for each matrix what is faster) (default: ${DEFAULT-VALUE}).")
  Products products = Products.AUTO;

  @Option(
      names = "--activations",
      paramLabel = "FORMAT",
      description =
          "What travels between stages, activations and their gradients: fp32, or bf16 in half of the bytes"
              + " (default: fp32).")
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
