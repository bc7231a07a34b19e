package dev.gossamer.cli.machine;

import dev.gossamer.MachineSettings;
import dev.gossamer.cli.settings.LoadsCode;
import dev.gossamer.matrix.dense.Matmul;
import picocli.CommandLine.Option;

/// Flags of the machine: threads, memory and matrix products.
public final class ComputeOptions extends MachineOptions {
  @LoadsCode
  @Option(
      names = "--matmul",
      paramLabel = "KIND",
      defaultValue = "java",
      description =
          "Dense matmul: java, or onednn[:LIBRARY] if oneDNN is installed (default: ${DEFAULT-VALUE}).")
  String matmul = "java";

  @Override
  public MachineSettings settings() {
    return super.settings().withMatmul(Matmul.named(matmul));
  }
}
