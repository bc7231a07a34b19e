package dev.gossamer.cli;

import dev.gossamer.MachineSettings;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.io.InvalidInputException;
import java.util.Locale;
import picocli.CommandLine.Option;

/// Flags that say what a run may use of the machine, and how it multiplies.
final class ComputeOptions extends MachineOptions {
  @LoadsCode
  @Option(
      names = "--matmul",
      paramLabel = "KIND",
      defaultValue = "java",
      description =
          "Dense matmul: java, or onednn[:LIBRARY] if oneDNN is installed (default: ${DEFAULT-VALUE}).")
  String matmul = "java";

  Matmul chosenMatmul() {
    String kind = matmul.toLowerCase(Locale.ROOT);
    if (kind.equals("java")) {
      return Matmul.java();
    }
    if (kind.equals("onednn") || kind.startsWith("onednn:")) {
      String library =
          kind.equals("onednn") ? "libdnnl.so.2" : matmul.substring("onednn:".length());
      try {
        return Matmul.oneDnn(library);
      } catch (IllegalArgumentException e) {
        throw new InvalidInputException("--matmul: " + e.getMessage(), e);
      }
    }
    throw new InvalidInputException("--matmul: expected java or onednn[:LIBRARY], found " + matmul);
  }

  @Override
  MachineSettings settings() {
    return super.settings().withMatmul(chosenMatmul());
  }
}
