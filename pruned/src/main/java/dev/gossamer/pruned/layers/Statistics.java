package dev.gossamer.pruned.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Means over batches that a network keeps besides its parameters: those of batch normalisation,
/// which evaluation uses.
///
/// In an iteration each microbatch adds its values; at the end of it the mean over all microbatches
/// (of all ranks) moves the running mean: `running += momentum (mean - running)`. So neither the
/// order of microbatches nor who had them matters but for rounding.
public final class Statistics {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  private final ParameterLayout layout;
  private final MemorySegment running;
  private final MemorySegment sums;

  /// All zeros.
  ///
  /// @param arena owner of the memory
  /// @param layout of the vectors
  public Statistics(Arena arena, ParameterLayout layout) {
    this.layout = layout;
    running = arena.allocate(layout.count() * Float.BYTES, DenseMatrix.ALIGNMENT);
    sums = arena.allocate(layout.count() * Float.BYTES, DenseMatrix.ALIGNMENT);
  }

  /// {@return where each vector lies}
  public ParameterLayout layout() {
    return layout;
  }

  /// {@return the running means, `float32[count]`, borrowed}
  public MemorySegment running() {
    return running;
  }

  /// {@return what the microbatches of this iteration have added, `float32[count]`, borrowed}
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
  /// @param values as many as the vector has elements
  public void add(String name, MemorySegment values) {
    MemorySegment sum = layout.entry(name).of(sums);
    for (long i = 0; i < sum.byteSize() / Float.BYTES; i++) {
      sum.setAtIndex(FLOAT, i, sum.getAtIndex(FLOAT, i) + values.getAtIndex(FLOAT, i));
    }
  }

  /// Ends an iteration.
  ///
  /// @param microbatches that have been added up in [#sums]
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
