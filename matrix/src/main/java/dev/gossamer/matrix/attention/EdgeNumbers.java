package dev.gossamer.matrix.attention;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/// How the numbers of a target's edges, one for each of `K` heads, lie in a Java array: those of an
/// edge side by side, and from edge to edge a stride that a vector is a multiple of, or that is a
/// multiple of a vector. Then each lane meets the same heads again and again, and loops need no
/// masks whatever `K` is.
///
/// Immutable.
final class EdgeNumbers {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Float> FOUR = FloatVector.SPECIES_128;
  private static final VectorSpecies<Float> EIGHT = FloatVector.SPECIES_256;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final int heads;
  private final int stride;

  /// @param heads `K`
  EdgeNumbers(int heads) {
    this.heads = heads;
    stride =
        heads > LANES ? Math.ceilDiv(heads, LANES) * LANES : Integer.highestOneBit(2 * heads - 1);
  }

  /// Elements from edge to edge.
  int stride() {
    return stride;
  }

  /// Elements until the same heads are in the same lanes again: a vector, or an edge.
  int period() {
    return Math.max(stride, LANES);
  }

  /// Edges that an array holds.
  int block() {
    return Math.max(1, Workers.SCRATCH_ELEMENTS / stride);
  }

  /// A new array for [#block] edges, and a vector more, which loops over vectors may write to.
  float[] array() {
    return new float[Math.max(Workers.SCRATCH_ELEMENTS, stride) + LANES];
  }

  /// A new array for a number of each head, over and over up to [#period].
  float[] ofHeads() {
    return new float[period()];
  }

  /// Takes `K` numbers for each edge from the rows that `ids` name.
  ///
  /// @param ids of the rows, unsigned
  /// @param from address of row 0
  /// @param pitch bytes from row to row
  /// @param to overwritten, with anything behind the last edge
  void gather(int[] ids, int count, long from, long pitch, float[] to) {
    // A vector that reaches beyond the row would read two lines of the cache.
    if (heads == 4) {
      for (int k = 0, at = 0; k < count; k++, at += 4) {
        long row = Memory.at(from + Integer.toUnsignedLong(ids[k]) * pitch);
        FloatVector.fromMemorySegment(FOUR, Memory.ALL, row, ORDER).intoArray(to, at);
      }
    } else if (heads == 8) {
      for (int k = 0, at = 0; k < count; k++, at += 8) {
        long row = Memory.at(from + Integer.toUnsignedLong(ids[k]) * pitch);
        FloatVector.fromMemorySegment(EIGHT, Memory.ALL, row, ORDER).intoArray(to, at);
      }
    } else {
      gatherMasked(ids, count, from, pitch, to);
    }
  }

  private void gatherMasked(int[] ids, int count, long from, long pitch, float[] to) {
    for (int p = 0; p < stride; p += LANES) {
      VectorMask<Float> inside = SPECIES.indexInRange(p, heads);
      long base = from + (long) p * Float.BYTES;
      for (int k = 0, at = p; k < count; k++, at += stride) {
        long row = Memory.at(base + Integer.toUnsignedLong(ids[k]) * pitch);
        FloatVector.fromMemorySegment(SPECIES, Memory.ALL, row, ORDER, inside).intoArray(to, at);
      }
    }
  }

  /// Takes numbers of consecutive edges, `count x K`.
  void load(long from, int count, float[] to) {
    if (stride == heads) {
      MemorySegment.copy(Memory.ALL, FLOAT, Memory.at(from), to, 0, count * heads);
      return;
    }
    for (int p = 0; p < stride; p += LANES) {
      VectorMask<Float> inside = SPECIES.indexInRange(p, heads);
      for (int k = 0, at = p; k < count; k++, at += stride) {
        long row = Memory.at(from + ((long) k * heads + p) * Float.BYTES);
        FloatVector.fromMemorySegment(SPECIES, Memory.ALL, row, ORDER, inside).intoArray(to, at);
      }
    }
  }

  /// Puts numbers of consecutive edges where they are kept, `count x K`.
  void store(float[] from, int count, long to) {
    if (stride == heads) {
      MemorySegment.copy(from, 0, Memory.ALL, FLOAT, Memory.at(to), count * heads);
    } else {
      storeRows(from, count, to, (long) heads * Float.BYTES);
    }
  }

  /// Puts two numbers for each head of consecutive edges where they are kept, `count x 2 K`: all of
  /// the first kind of an edge and then all of the second.
  void storePairs(float[] first, float[] second, int count, long to) {
    long half = (long) heads * Float.BYTES;
    if (heads == 4) {
      for (int k = 0, at = 0; k < count; k++, at += 4) {
        long row = Memory.at(to + at * 2L * Float.BYTES);
        FloatVector.fromArray(FOUR, first, at).intoMemorySegment(Memory.ALL, row, ORDER);
        FloatVector.fromArray(FOUR, second, at).intoMemorySegment(Memory.ALL, row + half, ORDER);
      }
    } else {
      storeRows(first, count, to, 2 * half);
      storeRows(second, count, to + half, 2 * half);
    }
  }

  private void storeRows(float[] from, int count, long to, long pitch) {
    for (int p = 0; p < stride; p += LANES) {
      VectorMask<Float> inside = SPECIES.indexInRange(p, heads);
      long base = to + (long) p * Float.BYTES;
      for (int k = 0, at = p; k < count; k++, at += stride) {
        FloatVector.fromArray(SPECIES, from, at)
            .intoMemorySegment(Memory.ALL, Memory.at(base + k * pitch), ORDER, inside);
      }
    }
  }

  /// Takes a number of each head, for [#ofHeads].
  void loadOfHeads(long from, float[] to) {
    MemorySegment.copy(Memory.ALL, FLOAT, Memory.at(from), to, 0, heads);
    spread(to);
  }

  /// Fills what loops over vectors read behind the last edge.
  void pad(float[] numbers, int count, float value) {
    int end = count * stride;
    Arrays.fill(numbers, end, Math.ceilDiv(end, LANES) * LANES, value);
  }

  /// Adds up what the lanes of a head have, in a fixed order.
  void addUp(float[] ofHeads) {
    for (int half = ofHeads.length / 2; half >= stride; half /= 2) {
      for (int i = 0; i < half; i++) {
        ofHeads[i] += ofHeads[i + half];
      }
    }
    spread(ofHeads);
  }

  /// The largest of what the lanes of a head have.
  void largest(float[] ofHeads) {
    for (int half = ofHeads.length / 2; half >= stride; half /= 2) {
      for (int i = 0; i < half; i++) {
        ofHeads[i] = Math.max(ofHeads[i], ofHeads[i + half]);
      }
    }
    spread(ofHeads);
  }

  private void spread(float[] ofHeads) {
    for (int i = stride; i < ofHeads.length; i++) {
      ofHeads[i] = ofHeads[i - stride];
    }
  }
}
