package dev.gossamer.gnn.sampling.blocks;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// `Q^l` of a bulk: the destinations of each batch, one list under the other.
///
/// @param numbers of the batches
/// @param batches destinations of each batch, without duplicates
public record Frontier(BatchNumbers numbers, List<int[]> batches) {
  public Frontier {
    batches = List.copyOf(batches);
  }

  public int count() {
    return batches.size();
  }

  /// Some consecutive batches.
  public Frontier range(int from, int to) {
    return new Frontier(numbers.from(from), batches.subList(from, to));
  }

  /// Destinations of a batch.
  public int[] batch(int b) {
    return batches.get(b);
  }

  /// Number of a batch in its epoch.
  public int number(int b) {
    return numbers.of(b);
  }

  /// Where the rows of each batch begin in the stack, and the number of all at the end.
  ///
  /// @throws ArithmeticException if there are more than `2^31 - 1`
  public int[] starts() {
    int[] starts = new int[batches.size() + 1];
    for (int b = 0; b < batches.size(); b++) {
      starts[b + 1] = Math.addExact(starts[b], batches.get(b).length);
    }
    return starts;
  }

  /// The number in its epoch of the batch that each row of the stack is of.
  public int[] numbersOfRows() {
    int[] starts = starts();
    int[] numbers = new int[starts[count()]];
    for (int b = 0; b < count(); b++) {
      Arrays.fill(numbers, starts[b], starts[b + 1], number(b));
    }
    return numbers;
  }

  /// The stack as one array.
  public int[] stacked() {
    int[] starts = starts();
    int[] stacked = new int[starts[count()]];
    IntStream.range(0, count())
        .forEach(b -> System.arraycopy(batch(b), 0, stacked, starts[b], batch(b).length));
    return stacked;
  }
}
