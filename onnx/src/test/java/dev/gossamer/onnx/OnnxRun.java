package dev.gossamer.onnx;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/// A file in ONNX Runtime, with all its optimisations.
///
/// @param environment borrowed
/// @param session closed with this
record OnnxRun(OrtEnvironment environment, OrtSession session) implements AutoCloseable {
  /// Numbers of a tensor.
  sealed interface Numbers {
    /// Numbers and their shape.
    @SuppressWarnings("ArrayRecordComponent")
    record Floats(float[] values, long... shape) implements Numbers {
      /// A row of a matrix.
      float[] row(int i) {
        int width = (int) shape[shape.length - 1];
        return Arrays.copyOfRange(values, i * width, (i + 1) * width);
      }
    }

    /// Numbers and their shape.
    @SuppressWarnings("ArrayRecordComponent")
    record Longs(long[] values, long... shape) implements Numbers {}
  }

  /// Writes a model and opens its file.
  static OnnxRun of(OnnxModel model, Path folder) throws OrtException {
    Path file = folder.resolve("model.onnx");
    model.write(file);
    OrtEnvironment environment = OrtEnvironment.getEnvironment();
    try (OrtSession.SessionOptions options = new OrtSession.SessionOptions()) {
      options.setOptimizationLevel(OrtSession.SessionOptions.OptLevel.ALL_OPT);
      options.setIntraOpNumThreads(1);
      return new OnnxRun(environment, environment.createSession(file.toString(), options));
    }
  }

  /// Inputs by name, of which a run takes those that its file has.
  static final class Given {
    private final Map<String, Numbers> inputs = new HashMap<>();

    Given with(String name, float[][] rows) {
      float[] flat = new float[rows.length * rows[0].length];
      for (int i = 0; i < rows.length; i++) {
        System.arraycopy(rows[i], 0, flat, i * rows[i].length, rows[i].length);
      }
      return with(name, flat, rows.length, rows[0].length);
    }

    Given with(String name, int[] first, int[] second) {
      long[] flat = new long[2 * first.length];
      for (int i = 0; i < first.length; i++) {
        flat[i] = first[i];
        flat[first.length + i] = second[i];
      }
      inputs.put(name, new Numbers.Longs(flat, 2, first.length));
      return this;
    }

    Given with(String name, float[] numbers, long... shape) {
      inputs.put(name, new Numbers.Floats(numbers, shape));
      return this;
    }

    Given with(String name, long[] numbers, long... shape) {
      inputs.put(name, new Numbers.Longs(numbers, shape));
      return this;
    }
  }

  /// What a run computes, by name.
  record Outputs(Map<String, Numbers.Floats> all) {
    Numbers.Floats get(String name) {
      return Objects.requireNonNull(all.get(name), name);
    }
  }

  /// Runs the file.
  Outputs of(Given given) throws OrtException {
    Map<String, OnnxTensor> tensors = new HashMap<>();
    try {
      for (String name : session.getInputNames()) {
        tensors.put(name, tensor(Objects.requireNonNull(given.inputs.get(name), name)));
      }
      Map<String, Numbers.Floats> outputs = new TreeMap<>();
      try (OrtSession.Result result = session.run(tensors)) {
        result.forEach(each -> outputs.put(each.getKey(), numbers((OnnxTensor) each.getValue())));
      }
      return new Outputs(outputs);
    } finally {
      tensors.values().forEach(OnnxTensor::close);
    }
  }

  private OnnxTensor tensor(Numbers numbers) throws OrtException {
    return switch (numbers) {
      case Numbers.Longs(long[] values, long[] shape) ->
          OnnxTensor.createTensor(environment, LongBuffer.wrap(values), shape);
      case Numbers.Floats(float[] values, long[] shape) ->
          OnnxTensor.createTensor(environment, FloatBuffer.wrap(values), shape);
    };
  }

  private static Numbers.Floats numbers(OnnxTensor tensor) {
    FloatBuffer floats = tensor.getFloatBuffer();
    float[] values = new float[floats.remaining()];
    floats.get(values);
    return new Numbers.Floats(values, tensor.getInfo().getShape());
  }

  @Override
  public void close() throws OrtException {
    session.close();
  }
}
