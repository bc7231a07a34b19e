package dev.gossamer.matrix.sparse;

import dev.gossamer.matrix.format.NumberFormat;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/// Checks of what a [SurvivorIndex] is called with.
final class Ranges {
  private Ranges() {}

  static void require(
      SurvivorIndex index, int begin, int end, MemorySegment values, MemorySegment compressed) {
    Objects.checkFromToIndex(begin, end, index.elements());
    requireFloats("values", values, end - begin);
    requireFloats("compressed", compressed, index.survivors());
  }

  static void requireFloats(String what, MemorySegment segment, long count) {
    requireNumbers(what, segment, count, NumberFormat.FLOAT32);
  }

  static void requireNumbers(String what, MemorySegment segment, long count, NumberFormat format) {
    if (segment.byteSize() != count * format.bytes()) {
      throw new IllegalArgumentException(
          "survivors: expected %d %s numbers in %s, found %d bytes"
              .formatted(count, what, format, segment.byteSize()));
    }
  }
}
