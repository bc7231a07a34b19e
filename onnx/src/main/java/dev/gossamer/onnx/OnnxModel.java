package dev.gossamer.onnx;

import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.ModelProto;
import ai.onnx.proto.OnnxMl.OperatorSetIdProto;
import ai.onnx.proto.OnnxMl.StringStringEntryProto;
import dev.gossamer.GraphModel;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.nn.state.Safetensors;
import dev.gossamer.pruned.PrunedModel;
import java.io.BufferedOutputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// A trained model as a graph of ONNX operators, which ONNX Runtime and other programs compute
/// without Gossamer: opset [#OPSET], float32.
///
/// ```java
/// OnnxModel.of(GraphModel.open(Path.of("runs/20260131-101500-cora"))).write(Path.of("cora.onnx"));
/// ```
///
/// The file of a model of a graph takes `features` (`float32[vertices, f]`), as the data set has
/// them, and `edges` (`int64[2, e]`, sources and then targets), and predicts what
/// [GraphModel#predict(dev.gossamer.Dataset)] does from all neighbours. The file does itself what
/// is done to a graph: of an undirected graph each edge may be given in one direction or in both;
/// repeated edges are merged and self loops are as in data sets. A vertex without edges has a row
/// in `features` alone. Models of graphs with weights also take `edge_weights` (`float32[e]`),
/// those that tell types of edges apart `edge_types` (`int64[e]`), and networks that read no edges
/// none. Models of edges also take `pairs` (`int64[2, p]`), whose scores they compute.
///
/// The file of a pruned network takes a batch of samples; its pruned weights are zeros.
///
/// Metadata of the file say the names of classes and whatever else a program needs to know.
/// Immutable; borrows the weights of the model.
public final class OnnxModel {
  /// Version of the operators: the first with the maximum of scattered elements.
  public static final int OPSET = 18;

  /// Version of the format that has these operators.
  private static final int IR_VERSION = 8;

  /// A message of Protocol Buffers is smaller.
  private static final long MOST_BYTES = Integer.MAX_VALUE;

  private final ModelProto model;
  private final List<Tensor> inputs;
  private final List<Tensor> outputs;

  /// Types of elements.
  public enum Type {
    /// 32-bit floating point.
    FLOAT32,
    /// 64-bit integers.
    INT64
  }

  /// An input or an output.
  ///
  /// @param name of the tensor
  /// @param type of its elements
  /// @param shape the size of each dimension: a number, or a name if it may have any size
  public record Tensor(String name, Type type, List<String> shape) {
    /// Copies the list.
    public Tensor {
      shape = List.copyOf(shape);
    }

    /// Returns `features: float32[vertices, 8]`.
    @Override
    public String toString() {
      return "%s: %s[%s]"
          .formatted(name, InvalidSettingException.nameOf(type), String.join(", ", shape));
    }
  }

  private OnnxModel(String name, OnnxGraph graph, String words, Map<String, String> metadata) {
    inputs = graph.inputs();
    outputs = graph.outputs();
    GraphProto built = graph.built(name);
    ModelProto.Builder builder =
        ModelProto.newBuilder()
            .setIrVersion(IR_VERSION)
            .setProducerName("gossamer")
            .setDocString(words)
            .addOpsetImport(OperatorSetIdProto.newBuilder().setDomain("").setVersion(OPSET))
            .setGraph(built);
    new TreeMap<>(metadata)
        .forEach((key, value) ->
            builder.addMetadataProps(
                StringStringEntryProto.newBuilder().setKey(key).setValue(value)));
    model = builder.build();
  }

  /// {@return the graph of a model of a graph}
  ///
  /// @param model borrowed
  /// @throws InvalidInputException if its layers cannot be written, or it is of a version that does
  ///   not say whether edges have a direction
  public static OnnxModel of(GraphModel model) {
    requireFits(model.values());
    return new OnnxModel(
        model.description().network().kind().name(),
        GraphOutputs.of(model),
        GraphMetadata.words(model.description()),
        GraphMetadata.of(model.description()));
  }

  /// {@return the graph of a pruned network}
  ///
  /// @param model borrowed
  /// @throws InvalidInputException if it is too large for a file of this format
  public static OnnxModel of(PrunedModel model) {
    requireFits(model.values());
    return new OnnxModel(
        model.architecture().name(), DenseLayers.graph(model), DenseLayers.WORDS, model.metadata());
  }

  private static void requireFits(Map<String, Safetensors.Tensor> tensors) {
    long parameters = tensors.values().stream().mapToLong(Safetensors.Tensor::count).sum();
    long most = MOST_BYTES / Float.BYTES;
    if (parameters >= most) {
      throw new InvalidInputException(
          "model: expected fewer than %,d parameters, which is what an ONNX file holds, found %,d"
              .formatted(most, parameters));
    }
  }

  /// {@return what has to be given, in the order of the file}
  public List<Tensor> inputs() {
    return inputs;
  }

  /// {@return what is computed, in the order of the file}
  public List<Tensor> outputs() {
    return outputs;
  }

  /// Writes the file, atomically.
  ///
  /// @param file replaced if it exists
  /// @throws InvalidInputException if it cannot be written
  public void write(Path file) {
    AtomicOutput.file(
        file,
        temporary -> {
          try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(temporary))) {
            model.writeTo(out);
          }
        });
  }
}
