package dev.gossamer.gnn.sampling.blocks;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// `Q^l` of a bulk: the stacked destinations of each batch.
///
/// @param numbers of the batches
/// @param batches destinations of each batch, without duplicates
public record Frontier(BatchNumbers numbers, List<int[]> batches) {
  /// Copies the list; the arrays are borrowed.
  public Frontier {
    batches = List.copyOf(batches);
  }

  /// {@return number of batches}
  public int count() {
    return batches.size();
  }

  /// {@return some consecutive batches}
  ///
  /// @param from first batch
  /// @param to the batch after the last
  public Frontier range(int from, int to) {
    return new Frontier(numbers.from(from), batches.subList(from, to));
  }

  /// {@return destinations of a batch}
  ///
  /// @param b 0-based
  public int[] batch(int b) {
    return batches.get(b);
  }

  /// {@return number of a batch in its epoch}
  ///
  /// @param b 0-based
  public int number(int b) {
    return numbers.of(b);
  }

  /// {@return where the rows of each batch begin in the stack, and the number of all at the end}
  ///
  /// @throws ArithmeticException if there are more than `2^31 - 1`
  public int[] starts() {
    int[] starts = new int[batches.size() + 1];
    for (int b = 0; b < batches.size(); b++) {
      starts[b + 1] = Math.addExact(starts[b], batches.get(b).length);
    }
    return starts;
  }

  /// {@return for each row of the stack, the number of its batch in the epoch}
  public int[] numbersOfRows() {
    int[] starts = starts();
    int[] numbers = new int[starts[count()]];
    for (int b = 0; b < count(); b++) {
      Arrays.fill(numbers, starts[b], starts[b + 1], number(b));
    }
    return numbers;
  }

  /// {@return the stack as one array}
  public int[] stacked() {
    int[] starts = starts();
    int[] stacked = new int[starts[count()]];
    IntStream.range(0, count())
        .forEach(b -> System.arraycopy(batch(b), 0, stacked, starts[b], batch(b).length));
    return stacked;
  }
}
