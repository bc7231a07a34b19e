package dev.gossamer.graph.generate;

import dev.gossamer.graph.format.Splits;
import java.util.Objects;

/// The planted data of a generated graph: classes, correlated features, a split; and the seed of
/// all draws.
///
/// The features of a vertex of class `c` are `signal * d_c + g` with a random direction `d_c` of
/// length 1 for each class and noise `g` of variance 1 in each element. Two class means are about
/// `1.4 signal` apart, so features alone confuse two classes at a rate of about `Phi(-0.7 signal)`,
/// where `Phi` is the normal distribution; averages over neighbours of mostly the same class do
/// better, which a graph network learns.
///
/// @param classes number of planted classes, at least 1
/// @param features `f`, elements of each feature vector; 0 for a graph without features
/// @param signal length of the class means, in standard deviations of the noise; at least 0
/// @param fractions of training, validation and test vertices
/// @param seed of all draws: equal seeds give equal bytes
public record Planted(
    int classes, int features, double signal, Splits.Fractions fractions, long seed) {
  /// 16 classes and 64 features with a signal of 1.5, which alone distinguish two classes in 85 %
  /// of the cases; one tenth for training and one for validation, because labels are usually rare;
  /// seed 0.
  public static final Planted DEFAULT =
      new Planted(16, 64, 1.5, new Splits.Fractions(10, 10, 80), 0);

  /// Checks the settings.
  ///
  /// @throws dev.gossamer.base.InvalidSettingException if a number is out of its range
  public Planted {
    Require.that(classes >= 1, "classes", "at least 1", classes);
    Require.that(features >= 0, "features", "at least 0", features);
    Require.that(signal >= 0 && signal < Double.POSITIVE_INFINITY, "signal", "at least 0", signal);
    Objects.requireNonNull(fractions, "fractions");
  }

  /// {@return a copy with another number of classes}
  ///
  /// @param count at least 1
  public Planted withClasses(int count) {
    return new Planted(count, features, signal, fractions, seed);
  }

  /// {@return a copy with another number of features}
  ///
  /// @param width elements of each feature vector; 0 for none
  public Planted withFeatures(int width) {
    return new Planted(classes, width, signal, fractions, seed);
  }

  /// {@return a copy with another signal}
  ///
  /// @param length of the class means, in standard deviations of the noise
  public Planted withSignal(double length) {
    return new Planted(classes, features, length, fractions, seed);
  }

  /// {@return a copy with another split}
  ///
  /// @param other fractions of training, validation and test vertices
  public Planted withFractions(Splits.Fractions other) {
    return new Planted(classes, features, signal, other, seed);
  }

  /// {@return a copy with another seed}
  ///
  /// @param other of all draws
  public Planted withSeed(long other) {
    return new Planted(classes, features, signal, fractions, other);
  }
}
