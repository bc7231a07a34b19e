package dev.gossamer.matrix.attention;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// The numbers of the edges that go out of one source, by the numbers that the edges have where
/// they come in, and the sums of them, for one thread. Sums have an order that depends on the
/// number of edges only.
final class EdgeSums {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final EdgeNumbers layout;
  private final int[] edges = new int[Workers.SCRATCH_ELEMENTS];
  private final float[] numbers;
  private final float[] sums;

  /// @param columns numbers of an edge
  EdgeSums(int columns) {
    layout = new EdgeNumbers(columns);
    numbers = layout.array();
    sums = layout.ofHeads();
  }

  /// Edges that [#add] takes at most.
  int block() {
    return layout.block();
  }

  /// Elements from edge to edge of [#numbers].
  int stride() {
    return layout.stride();
  }

  /// What [#add] read.
  float[] numbers() {
    return numbers;
  }

  /// Turns to a source.
  void begin() {
    Arrays.fill(sums, 0f);
  }

  /// Reads the numbers of consecutive entries, and adds them up.
  ///
  /// @param first entry
  /// @param from a row for each edge
  void add(EdgePattern.Transposed pattern, long first, int count, DenseMatrix from) {
    MemorySegment.copy(pattern.edges(), INT, first * Integer.BYTES, edges, 0, count);
    layout.gather(edges, count, from.data().address(), from.offset(1), numbers);
    layout.pad(numbers, count, 0f);
    add(count * layout.stride());
  }

  private void add(int end) {
    int period = layout.period();
    for (int p = 0; p < period; p += LANES) {
      FloatVector sum = FloatVector.fromArray(SPECIES, sums, p);
      for (int i = p; i < end; i += period) {
        sum = sum.add(FloatVector.fromArray(SPECIES, numbers, i));
      }
      sum.intoArray(sums, p);
    }
  }

  /// Puts some of the sums where they belong.
  ///
  /// @param first column
  /// @param to address of `float32[count]`
  void store(int first, int count, long to) {
    layout.addUp(sums);
    MemorySegment.copy(sums, first, Memory.ALL, FLOAT, Memory.at(to), count);
  }
}
