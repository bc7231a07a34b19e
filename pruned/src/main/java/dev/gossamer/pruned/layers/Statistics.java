package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Running means over batches, which evaluation uses for batch normalisation.
///
/// In an iteration, each microbatch adds its values; at the end, the mean over all microbatches of
/// all ranks updates the running mean: `running += momentum (mean - running)`. Order and placement
/// of microbatches change results only by rounding.
public final class Statistics {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  private final ParameterLayout layout;
  private final MemorySegment running;
  private final MemorySegment sums;

  /// Creates statistics that are all zero.
  ///
  /// @param arena owner of the memory
  /// @param layout of the vectors
  public Statistics(Arena arena, ParameterLayout layout) {
    this.layout = layout;
    running = arena.allocate(layout.count() * Float.BYTES, DenseMatrix.ALIGNMENT);
    sums = arena.allocate(layout.count() * Float.BYTES, DenseMatrix.ALIGNMENT);
  }

  /// {@return the layout of the vectors}
  public ParameterLayout layout() {
    return layout;
  }

  /// {@return the running means, `float32[count]`, borrowed}
  public MemorySegment running() {
    return running;
  }

  /// {@return the sums over the microbatches of this iteration, `float32[count]`, borrowed}
  public MemorySegment sums() {
    return sums;
  }

  /// {@return the running mean of one vector, borrowed}
  ///
  /// @param name of a vector
  public MemorySegment running(String name) {
    return layout.entry(name).of(running);
  }

  /// Adds one microbatch's vector.
  ///
  /// @param name of a vector
  /// @param values `float32`, one for each element
  public void add(String name, MemorySegment values) {
    MemorySegment sum = layout.entry(name).of(sums);
    for (long i = 0; i < sum.byteSize() / Float.BYTES; i++) {
      sum.setAtIndex(FLOAT, i, sum.getAtIndex(FLOAT, i) + values.getAtIndex(FLOAT, i));
    }
  }

  /// Ends an iteration.
  ///
  /// @param microbatches number of microbatches in [#sums]
  /// @param momentum weight of the new mean, `0..1`
  public void advance(int microbatches, float momentum) {
    for (long i = 0; i < layout.count(); i++) {
      float mean = sums.getAtIndex(FLOAT, i) / microbatches;
      float old = running.getAtIndex(FLOAT, i);
      running.setAtIndex(FLOAT, i, old + momentum * (mean - old));
    }
    sums.fill((byte) 0);
  }
}
