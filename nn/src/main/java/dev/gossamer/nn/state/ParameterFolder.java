package dev.gossamer.nn.state;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.base.io.NpyFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.json.JsonMapper;

/// A folder with a file `NAME.npy` (float32) for each parameter of a model, and [#METADATA]: what
/// else its model file says. `numpy.load` reads the arrays.
public final class ParameterFolder {
  /// A JSON object of strings: the `__metadata__` of the model's safetensors file.
  public static final String METADATA = "metadata.json";

  private static final String SUFFIX = ".npy";

  private ParameterFolder() {}

  /// Writes a folder atomically.
  ///
  /// @param folder new, empty, or written by this method before, of a model with the same
  ///   parameters, without added files
  /// @param tensors float32, by the names of the parameters
  /// @param metadata of the model
  /// @throws InvalidInputException if it cannot be written, or has other files
  public static void write(
      Path folder, Map<String, Safetensors.Tensor> tensors, Map<String, String> metadata) {
    AtomicOutput.folder(
        folder,
        names(tensors),
        temporary -> {
          for (Map.Entry<String, Safetensors.Tensor> each : tensors.entrySet()) {
            long[] shape = each.getValue().shape().stream().mapToLong(Long::longValue).toArray();
            Path file = temporary.resolve(each.getKey() + SUFFIX);
            NpyFile.write(file, NpyFile.Type.FLOAT32, each.getValue().data(), shape);
          }
          Files.writeString(
              temporary.resolve(METADATA),
              JsonMapper.shared().writeValueAsString(new TreeMap<>(metadata)) + "\n");
        });
  }

  private static Set<String> names(Map<String, Safetensors.Tensor> tensors) {
    Set<String> names = new HashSet<>();
    tensors.keySet().forEach(name -> names.add(name + SUFFIX));
    names.add(METADATA);
    return names;
  }
}
