package dev.gossamer.cli;

import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.nn.DenseState;
import dev.gossamer.nn.ParameterLayout;
import dev.gossamer.nn.Safetensors;
import dev.gossamer.run.RunFolder;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/// `model.safetensors` of a run: one tensor a parameter, and the class names.
final class ModelFile {
  private ModelFile() {}

  static void write(RunFolder folder, DenseState state, GraphData dataset) {
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    for (ParameterLayout.Entry entry : state.layout().entries()) {
      DenseMatrix weight = state.weight(entry.name());
      tensors.put(entry.name(), new Safetensors.Tensor(entry.shape(), weight.data()));
    }
    new Safetensors(
            tensors,
            Map.of(
                "format",
                "gossamer-model",
                "classes",
                String.join("\n", dataset.info().classNames())))
        .write(folder.model());
  }

  /// Copies a run's model into `state`.
  ///
  /// @throws InvalidInputException if the run has no model, or one of another shape
  static void read(RunFolder folder, DenseState state) {
    Path file = folder.model();
    if (!Files.exists(file)) {
      throw new InvalidInputException(
          "%s: expected a trained model, found none; finish the run with: gossamer train --resume %s"
              .formatted(file, folder.path()));
    }
    try (Arena arena = Arena.ofConfined()) {
      Safetensors.open(arena, file).copyTo(file, state.layout(), state.weights());
    }
  }
}
