package dev.gossamer.graph.generate;

import dev.gossamer.graph.format.Splits;

/// What a generated graph says about its vertices, beside their planted class.
///
/// The features of a vertex of class `c` are `signal * d_c + g` with a random direction `d_c` of
/// length 1 for each class and noise `g` of variance 1 in each element. Two classes lie about `1.4
/// signal` apart, so the features alone mistake one class for another at a rate of about `Phi(-0.7
/// signal)`, where `Phi` is the normal distribution; averages over neighbours of mostly the same
/// class do better, which is what a graph network is to learn.
///
/// @param features `f`, elements of each feature vector; 0: a graph without features
/// @param signal length of the class means, in standard deviations of the noise; at least 0
/// @param fractions of the vertices to train on, to validate on and to test on
public record VertexData(int features, double signal, Splits.Fractions fractions) {
  public VertexData {
    Require.that(features >= 0, "features", "at least 0", features);
    Require.that(signal >= 0 && signal < Double.POSITIVE_INFINITY, "signal", "at least 0", signal);
  }

  /// Features of this width with a signal of 1.5; one tenth to train, one tenth to validate.
  public static VertexData ofWidth(int features) {
    return new VertexData(features, 1.5, new Splits.Fractions(0.1, 0.1, 0.8));
  }
}
