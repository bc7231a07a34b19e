package dev.gossamer.gnn.sampling;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// `Q^l` of a bulk: the stacked destinations of each batch.
///
/// @param numbers of the batches
/// @param batches destinations of each batch, without duplicates
record Frontier(BatchNumbers numbers, List<int[]> batches) {
  Frontier {
    batches = List.copyOf(batches);
  }

  int count() {
    return batches.size();
  }

  /// Returns some consecutive batches.
  Frontier range(int from, int to) {
    return new Frontier(numbers.from(from), batches.subList(from, to));
  }

  /// Returns the destinations of a batch.
  int[] batch(int b) {
    return batches.get(b);
  }

  /// Returns the number of a batch in its epoch.
  int number(int b) {
    return numbers.of(b);
  }

  /// Returns the first row of each batch in the stack, followed by the number of all rows.
  ///
  /// @throws ArithmeticException if there are more than `2^31 - 1`
  int[] starts() {
    int[] starts = new int[batches.size() + 1];
    for (int b = 0; b < batches.size(); b++) {
      starts[b + 1] = Math.addExact(starts[b], batches.get(b).length);
    }
    return starts;
  }

  /// Returns for each row of the stack the number of its batch in the epoch.
  int[] numbersOfRows() {
    int[] starts = starts();
    int[] numbers = new int[starts[count()]];
    for (int b = 0; b < count(); b++) {
      Arrays.fill(numbers, starts[b], starts[b + 1], number(b));
    }
    return numbers;
  }

  /// Returns the stack as one array.
  int[] stacked() {
    int[] starts = starts();
    int[] stacked = new int[starts[count()]];
    IntStream.range(0, count())
        .forEach(b -> System.arraycopy(batch(b), 0, stacked, starts[b], batch(b).length));
    return stacked;
  }
}
