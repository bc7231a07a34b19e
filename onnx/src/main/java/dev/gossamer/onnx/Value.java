package dev.gossamer.onnx;

import ai.onnx.proto.OnnxMl.AttributeProto;
import ai.onnx.proto.OnnxMl.TensorProto.DataType;
import java.util.List;

/// A tensor in a graph: an input, a constant, or what a node computes. Operations add nodes.
///
/// @param graph that it is part of
/// @param name unique in the graph
record Value(OnnxGraph graph, String name) {
  Value plus(Value other) {
    return graph.node("Add", this, other);
  }

  Value minus(Value other) {
    return graph.node("Sub", this, other);
  }

  Value times(Value other) {
    return graph.node("Mul", this, other);
  }

  Value times(double factor) {
    return times(graph.number(factor));
  }

  Value over(Value other) {
    return graph.node("Div", this, other);
  }

  /// `X W`.
  Value matmul(Value other) {
    return graph.node("MatMul", this, other);
  }

  /// The same function of each element: `Relu`, `Exp` and others without attributes.
  Value mapped(String operator) {
    return graph.node(operator, this);
  }

  Value as(DataType type) {
    return graph.node("Cast", List.of(this), OnnxGraph.attribute("to", type.getNumber()));
  }

  /// Sizes of all dimensions, `int64[dimensions]`.
  Value shape() {
    return graph.node("Shape", this);
  }

  /// The size of a dimension, `int64[1]`.
  Value size(int dimension) {
    return graph.node(
        "Shape",
        List.of(this),
        OnnxGraph.attribute("start", dimension),
        OnnxGraph.attribute("end", dimension + 1L));
  }

  Value reshaped(long... sizes) {
    return graph.node("Reshape", this, graph.integers(sizes));
  }

  Value transposed(long... order) {
    return graph.node("Transpose", List.of(this), OnnxGraph.attribute("perm", order));
  }

  /// With another dimension of size 1.
  Value unsqueezed(long dimension) {
    return graph.node("Unsqueeze", this, graph.integers(dimension));
  }

  /// Slices of the first dimension.
  Value gather(Value indices) {
    return gather(indices, 0);
  }

  Value gather(Value indices, int dimension) {
    AttributeProto axis = OnnxGraph.attribute("axis", dimension);
    return graph.node("Gather", List.of(this, indices), axis);
  }

  /// Columns `begin..end-1` of the last dimension.
  Value columns(long begin, long end) {
    return graph.node(
        "Slice", this, graph.integers(begin), graph.integers(end), graph.integers(-1));
  }

  /// The sum over a dimension, which is removed.
  Value summed(long dimension) {
    return reduced("ReduceSum", dimension);
  }

  /// The mean over a dimension, which is removed.
  Value mean(long dimension) {
    return reduced("ReduceMean", dimension);
  }

  private Value reduced(String operator, long dimension) {
    return graph.node(
        operator, List.of(this, graph.integers(dimension)), OnnxGraph.attribute("keepdims", 0));
  }

  /// The softmax over the last dimension.
  Value softmax() {
    return graph.node("Softmax", List.of(this), OnnxGraph.attribute("axis", -1));
  }

  /// `x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))`: the operator `Gelu` needs a later opset.
  Value gelu() {
    Value cube = times(this).times(this).times(0.044715);
    Value inner = plus(cube).times(Math.sqrt(2 / Math.PI)).mapped("Tanh");
    return times(0.5).times(inner.plus(graph.number(1)));
  }

  /// Normalises the last dimension.
  Value layerNormalised(Value gain, Value bias, float epsilon) {
    return graph.node(
        "LayerNormalization",
        List.of(this, gain, bias),
        OnnxGraph.attribute("axis", -1),
        OnnxGraph.attribute("epsilon", epsilon));
  }
}
