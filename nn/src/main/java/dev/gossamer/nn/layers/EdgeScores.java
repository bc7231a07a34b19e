package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgeProjection;
import dev.gossamer.matrix.attention.EdgeRows;
import dev.gossamer.nn.state.DenseState;
import dev.gossamer.nn.state.ParameterLayout;

/// What the features of an edge add to its scores in [GraphAttention]: with the features `x` of the
/// edge (`d` numbers) and for each of `K` heads of `D` columns
///
/// ```
/// s[h] = <a_e[h], W_e[h] x> = <x, q[h]>,   q[f][h] = sum over j of W_e[f][h D + j] a_e[h][j]
/// ```
///
/// as in PyTorch Geometric's `GATConv` with `edge_dim`. Since `x` is read by nothing else, the
/// product of both parameters is computed once a pass, and edges are multiplied by `q` alone: `d K`
/// instead of `d K D` products for each. An edge that was added from a vertex to itself has zeros,
/// the mean of standardised columns; PyTorch Geometric takes the mean over the edges into the
/// vertex, which needs all of them.
///
/// @param name prefix of the parameters
/// @param features `d`, at least 1
/// @param heads `K`
/// @param width `D`
record EdgeScores(String name, int features, int heads, int width) {
  private String weight() {
    return name + ".edge.weight";
  }

  private String attention() {
    return name + ".edge.attention";
  }

  /// Declares `W_e` (`d x K D`) and the `a_e` of each head (`K x D`).
  void declare(ParameterLayout.Builder layout, boolean decays) {
    layout.add(weight(), features, heads * width, decays);
    layout.add(attention(), heads, width, decays);
  }

  /// Computes the scores of all edges.
  ///
  /// @param edges their features
  /// @param scores `edges x K`, overwritten
  void forward(EdgeRows edges, DenseMatrix scores, DenseState state, Kernels kernels) {
    DenseMatrix w = state.weight(weight());
    DenseMatrix a = state.weight(attention());
    float[] q = new float[features * heads];
    for (int f = 0; f < features; f++) {
      for (int h = 0; h < heads; h++) {
        double sum = 0;
        for (int j = 0; j < width; j++) {
          sum += (double) w.get(f, h * width + j) * a.get(h, j);
        }
        q[f * heads + h] = (float) sum;
      }
    }
    EdgeProjection.forward(edges, q, scores, kernels.workers());
  }

  /// Computes the gradients of the parameters.
  ///
  /// @param edges their features
  /// @param g `edges x 2 K`, whose second half has the gradients of the scores
  void backward(EdgeRows edges, DenseMatrix g, DenseState state, Kernels kernels) {
    double[] dq = EdgeProjection.gradient(edges, g, heads, heads, kernels.workers());
    DenseMatrix w = state.weight(weight());
    DenseMatrix a = state.weight(attention());
    DenseMatrix dw = state.gradient(weight());
    DenseMatrix da = state.gradient(attention());
    for (int h = 0; h < heads; h++) {
      for (int j = 0; j < width; j++) {
        double sum = 0;
        for (int f = 0; f < features; f++) {
          double slope = dq[f * heads + h];
          dw.set(f, h * width + j, (float) (slope * a.get(h, j)));
          sum += slope * w.get(f, h * width + j);
        }
        da.set(h, j, (float) sum);
      }
    }
  }
}
