package dev.gossamer.nn.layers;

import java.util.ArrayList;
import java.util.List;

/// What the outputs of a network are made of: the output of its last layer, or those of all layers
/// (K. Xu et al., ICML 2018, jumping knowledge networks, section 4), each of which has looked one
/// hop further.
public enum Jumping {
  /// The last layer, which is an output layer.
  NONE,
  /// All hidden rows of a vertex side by side.
  CONCAT,
  /// The elementwise maximum of its hidden rows.
  MAX,
  /// The sum of its hidden rows, which the paper does not have.
  SUM;

  /// {@return columns of what is carried from layer to layer for the combination}
  ///
  /// @param hidden width of each hidden layer but the last, which is as wide as the one before it
  public long carriedWidth(List<Integer> hidden) {
    long last = hidden.getLast();
    return switch (this) {
      case NONE -> 0;
      case CONCAT -> hidden.stream().mapToLong(Integer::longValue).sum() + last;
      case MAX -> 2 * last;
      case SUM -> last;
    };
  }

  /// {@return the layers of a network}
  ///
  /// @param hidden the hidden layers, first to last, each of which applies the derivative of its
  ///   activation itself ([FinishedLayer]), and which have one width unless they are side by side;
  ///   with [#NONE] all layers, which are returned as they are
  /// @param outputs of the network
  public List<GraphLayer> over(List<GraphLayer> hidden, int outputs) {
    if (this == NONE) {
      return hidden;
    }
    List<GraphLayer> layers = new ArrayList<>();
    int begin = 0;
    for (int l = 0; l < hidden.size(); l++) {
      GraphLayer layer = hidden.get(l);
      JumpingLayer leaving = new JumpingLayer(layer, new Jump(this, l, begin, layer.out()));
      layers.add(l < hidden.size() - 1 ? leaving : new JumpingOutput(leaving, outputs));
      begin += layer.out();
    }
    return layers;
  }
}
