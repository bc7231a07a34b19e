package dev.gossamer.run;

import java.util.OptionalDouble;
import java.util.stream.IntStream;

/// Counts of right and wrong predictions of each class, or of each of several labels, and the
/// scores that follow from them.
public interface ClassCounts {
  /// {@return number of classes or labels}
  int size();

  /// {@return number of vertices of a class}
  ///
  /// @param c number of the class
  long support(int c);

  /// {@return number of predictions of a class}
  ///
  /// @param c number of the class
  long predicted(int c);

  /// {@return number of correct predictions of a class}
  ///
  /// @param c number of the class
  long found(int c);

  /// {@return share of correct predictions of a class, `tp / (tp + fp)`; empty if it was never
  /// predicted}
  ///
  /// @param c number of the class
  default OptionalDouble precision(int c) {
    return share(found(c), predicted(c));
  }

  /// {@return share of the vertices of a class that were found, `tp / (tp + fn)`; empty if there
  /// are none}
  ///
  /// @param c number of the class
  default OptionalDouble recall(int c) {
    return share(found(c), support(c));
  }

  /// {@return `2 tp / (2 tp + fp + fn)`; empty if the class has no vertices and was never
  /// predicted}
  ///
  /// @param c number of the class
  default OptionalDouble f1(int c) {
    return share(2 * found(c), support(c) + predicted(c));
  }

  private static OptionalDouble share(long part, long all) {
    return all == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) part / all);
  }

  /// {@return unweighted mean of [#f1] over the classes that occur, among labels or predictions; 0
  /// without any}
  default double macroF1() {
    return IntStream.range(0, size())
        .mapToObj(this::f1)
        .flatMapToDouble(OptionalDouble::stream)
        .average()
        .orElse(0);
  }
}
