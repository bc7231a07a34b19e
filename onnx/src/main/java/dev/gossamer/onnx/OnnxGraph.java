package dev.gossamer.onnx;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.GraphProto;
import ai.onnx.proto.OnnxMl.NodeProto;
import ai.onnx.proto.OnnxMl.SparseTensorProto;
import ai.onnx.proto.OnnxMl.TensorProto;
import ai.onnx.proto.OnnxMl.TensorProto.DataType;
import ai.onnx.proto.OnnxMl.TensorShapeProto;
import ai.onnx.proto.OnnxMl.TypeProto;
import ai.onnx.proto.OnnxMl.ValueInfoProto;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.Safetensors;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Builds the graph of a model, node by node, in the order of the computation. Constants and
/// parameters are added at their first use. Not thread-safe.
final class OnnxGraph {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// A number and its position in a tensor of which most elements are 0.
  private static final int SPARSE_BYTES = Float.BYTES + Long.BYTES;

  private final GraphProto.Builder graph = GraphProto.newBuilder();
  private final Map<String, Safetensors.Tensor> parameters;
  private final List<OnnxModel.Tensor> inputs = new ArrayList<>();
  private final List<OnnxModel.Tensor> outputs = new ArrayList<>();

  /// How many nodes have a name, without the number behind it.
  private final Map<String, Integer> named = new HashMap<>();

  private final Set<String> initialised = new HashSet<>();
  private String scope = "";

  /// @param parameters of the model, float32, by name
  OnnxGraph(Map<String, Safetensors.Tensor> parameters) {
    this.parameters = parameters;
  }

  /// Begins a part of the network, after which its nodes are named.
  void enter(String part) {
    scope = part + "/";
  }

  /// Adds an input.
  ///
  /// @param shape numbers, and names of dimensions of any size
  Value input(String name, DataType type, Object... shape) {
    inputs.add(tensor(name, type, shape));
    graph.addInput(info(name, type, shape));
    return new Value(this, name);
  }

  /// Adds an output.
  ///
  /// @param shape numbers, and names of dimensions of any size
  void output(String name, Value value, Object... shape) {
    outputs.add(tensor(name, DataType.FLOAT, shape));
    graph.addNode(
        NodeProto.newBuilder()
            .setName(name + "/Identity")
            .setOpType("Identity")
            .addInput(value.name())
            .addOutput(name));
    graph.addOutput(info(name, DataType.FLOAT, shape));
  }

  private static OnnxModel.Tensor tensor(String name, DataType type, Object[] shape) {
    OnnxModel.Type known = type == DataType.INT64 ? OnnxModel.Type.INT64 : OnnxModel.Type.FLOAT32;
    return new OnnxModel.Tensor(name, known, Arrays.stream(shape).map(Object::toString).toList());
  }

  private static ValueInfoProto info(String name, DataType type, Object[] shape) {
    TensorShapeProto.Builder sizes = TensorShapeProto.newBuilder();
    for (Object size : shape) {
      TensorShapeProto.Dimension.Builder dimension = sizes.addDimBuilder();
      if (size instanceof Number number) {
        dimension.setDimValue(number.longValue());
      } else {
        dimension.setDimParam(size.toString());
      }
    }
    TypeProto.Tensor tensor =
        TypeProto.Tensor.newBuilder().setElemType(type.getNumber()).setShape(sizes).build();
    return ValueInfoProto.newBuilder()
        .setName(name)
        .setType(TypeProto.newBuilder().setTensorType(tensor))
        .build();
  }

  /// Adds a node with one output and without attributes.
  Value node(String operator, Value... operands) {
    return node(operator, List.of(operands));
  }

  /// Adds a node with one output.
  Value node(String operator, List<Value> operands, AttributeProto... attributes) {
    String name = unique(operator);
    add(name, operator, operands, List.of(name), attributes);
    return new Value(this, name);
  }

  /// The sorted distinct elements of a vector, and the number among them of each element.
  ///
  /// @param distinct `int64[m]`
  /// @param numbers `int64[e]`
  record Distinct(Value distinct, Value numbers) {}

  /// Adds a node that finds distinct elements.
  ///
  /// @param elements `int64[e]`
  Distinct distinct(Value elements) {
    String name = unique("Unique");
    String numbers = name + ".inverse";
    List<String> results = List.of(name, "", numbers);
    add(name, "Unique", List.of(elements), results, attribute("sorted", 1));
    return new Distinct(new Value(this, name), new Value(this, numbers));
  }

  /// Adds a node that divides the last dimension into equal parts.
  List<Value> split(Value value, int parts) {
    String name = unique("Split");
    List<String> results = new ArrayList<>();
    for (int i = 0; i < parts; i++) {
      results.add("%s.%d".formatted(name, i));
    }
    add(
        name,
        "Split",
        List.of(value),
        results,
        attribute("axis", -1),
        attribute("num_outputs", parts));
    return results.stream().map(result -> new Value(this, result)).toList();
  }

  private String unique(String operator) {
    String name = scope + operator;
    int number = named.merge(name, 1, Integer::sum);
    return number == 1 ? name : "%s_%d".formatted(name, number);
  }

  private void add(
      String name,
      String operator,
      List<Value> operands,
      List<String> results,
      AttributeProto... attributes) {
    graph.addNode(
        NodeProto.newBuilder()
            .setName(name)
            .setOpType(operator)
            .addAllInput(operands.stream().map(Value::name).toList())
            .addAllOutput(results)
            .addAllAttribute(List.of(attributes)));
  }

  /// Puts values one behind the other along a dimension.
  Value concatenated(int dimension, List<Value> values) {
    return node("Concat", values, attribute("axis", dimension));
  }

  /// A sum of rows for each of their groups.
  ///
  /// @param rows `m x width`
  /// @param groups of each row, `int64[m]`
  /// @param count of the groups, `int64[1]`
  /// @return `count x width`
  Value sums(Value rows, Value groups, Value count) {
    Value indices = node("Expand", groups.unsqueezed(1), rows.shape());
    Value sizes = concatenated(0, List.of(count, rows.size(1)));
    Value zeros = node("Expand", number(0), sizes);
    return scattered(zeros, indices, rows, "add");
  }

  /// Combines elements with those of `initial` that they are scattered to.
  ///
  /// @param how `add` or `max`
  Value scattered(Value initial, Value indices, Value elements, String how) {
    return node(
        "ScatterElements",
        List.of(initial, indices, elements),
        attribute("axis", 0),
        attribute("reduction", how));
  }

  /// A parameter with its rows and columns.
  Value matrix(String name) {
    Safetensors.Tensor tensor = parameter(name);
    return parameter(
        name, tensor, tensor.shape().size() == 1 ? List.of(1L, tensor.count()) : tensor.shape());
  }

  /// A parameter as a vector, whatever its shape.
  Value vector(String name) {
    Safetensors.Tensor tensor = parameter(name);
    return parameter(name, tensor, List.of(tensor.count()));
  }

  private Safetensors.Tensor parameter(String name) {
    Safetensors.Tensor tensor = parameters.get(name);
    if (tensor == null) {
      throw new IllegalArgumentException("no parameter is named " + name);
    }
    return tensor;
  }

  private Value parameter(String name, Safetensors.Tensor tensor, List<Long> shape) {
    long survivors = survivors(tensor.data());
    if (SPARSE_BYTES * survivors < Float.BYTES * tensor.count()) {
      return sparse(name, tensor.data(), Math.toIntExact(survivors), shape);
    }
    return initialised(
        name,
        TensorProto.newBuilder()
            .setDataType(DataType.FLOAT.getNumber())
            .addAllDims(shape)
            .setRawData(UnsafeByteOperations.unsafeWrap(tensor.data().asByteBuffer())));
  }

  private static long survivors(MemorySegment floats) {
    long count = 0;
    for (long i = 0; i < floats.byteSize() / Float.BYTES; i++) {
      count += floats.getAtIndex(FLOAT, i) == 0 ? 0 : 1;
    }
    return count;
  }

  /// A parameter of which the file has the numbers that are not 0, and their positions.
  private Value sparse(String name, MemorySegment floats, int survivors, List<Long> shape) {
    if (!initialised.add(name)) {
      return new Value(this, name);
    }
    ByteBuffer values = little(survivors * Float.BYTES);
    ByteBuffer positions = little(survivors * Long.BYTES);
    for (long i = 0; i < floats.byteSize() / Float.BYTES; i++) {
      float value = floats.getAtIndex(FLOAT, i);
      if (value != 0) {
        values.putFloat(value);
        positions.putLong(i);
      }
    }
    graph.addSparseInitializer(
        SparseTensorProto.newBuilder()
            .addAllDims(shape)
            .setValues(vector(DataType.FLOAT, survivors).setName(name).setRawData(bytes(values)))
            .setIndices(vector(DataType.INT64, survivors).setRawData(bytes(positions))));
    return new Value(this, name);
  }

  private static TensorProto.Builder vector(DataType type, long size) {
    return TensorProto.newBuilder().setDataType(type.getNumber()).addDims(size);
  }

  private static ByteBuffer little(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ByteString bytes(ByteBuffer full) {
    return UnsafeByteOperations.unsafeWrap(full.flip());
  }

  /// A matrix that is computed from parameters.
  Value constant(String name, DenseMatrix matrix) {
    List<Long> shape = List.of(matrix.rows(), (long) matrix.cols());
    return parameter(name, new Safetensors.Tensor(shape, matrix.data()), shape);
  }

  /// A float32.
  Value number(double number) {
    return initialised(
        "float32 %s".formatted((float) number),
        TensorProto.newBuilder()
            .setDataType(DataType.FLOAT.getNumber())
            .addFloatData((float) number));
  }

  /// A vector of float64.
  Value doubles(String name, List<Double> numbers) {
    return initialised(
        name,
        TensorProto.newBuilder()
            .setDataType(DataType.DOUBLE.getNumber())
            .addDims(numbers.size())
            .addAllDoubleData(numbers));
  }

  /// A float64.
  Value exactly(double number) {
    return initialised(
        "float64 %s".formatted(number),
        TensorProto.newBuilder().setDataType(DataType.DOUBLE.getNumber()).addDoubleData(number));
  }

  /// A vector of integers.
  Value integers(long... numbers) {
    TensorProto.Builder tensor =
        TensorProto.newBuilder().setDataType(DataType.INT64.getNumber()).addDims(numbers.length);
    for (long number : numbers) {
      tensor.addInt64Data(number);
    }
    return initialised("int64 " + Arrays.toString(numbers), tensor);
  }

  /// An integer without dimensions.
  Value integer(long number) {
    return initialised(
        "int64 " + number,
        TensorProto.newBuilder().setDataType(DataType.INT64.getNumber()).addInt64Data(number));
  }

  private Value initialised(String name, TensorProto.Builder tensor) {
    if (initialised.add(name)) {
      graph.addInitializer(tensor.setName(name));
    }
    return new Value(this, name);
  }

  static AttributeProto attribute(String name, long value) {
    return AttributeProto.newBuilder()
        .setName(name)
        .setType(AttributeProto.AttributeType.INT)
        .setI(value)
        .build();
  }

  static AttributeProto attribute(String name, long[] values) {
    AttributeProto.Builder attribute =
        AttributeProto.newBuilder().setName(name).setType(AttributeProto.AttributeType.INTS);
    for (long value : values) {
      attribute.addInts(value);
    }
    return attribute.build();
  }

  static AttributeProto attribute(String name, float value) {
    return AttributeProto.newBuilder()
        .setName(name)
        .setType(AttributeProto.AttributeType.FLOAT)
        .setF(value)
        .build();
  }

  static AttributeProto attribute(String name, String value) {
    return AttributeProto.newBuilder()
        .setName(name)
        .setType(AttributeProto.AttributeType.STRING)
        .setS(ByteString.copyFromUtf8(value))
        .build();
  }

  List<OnnxModel.Tensor> inputs() {
    return List.copyOf(inputs);
  }

  List<OnnxModel.Tensor> outputs() {
    return List.copyOf(outputs);
  }

  GraphProto built(String name) {
    return graph.setName(name).build();
  }
}
