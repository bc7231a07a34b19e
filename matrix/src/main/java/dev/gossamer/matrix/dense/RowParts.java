package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import java.lang.foreign.MemorySegment;

/// The division of a tall matrix's rows into parts that depends only on the shape. Each part sums
/// into its own vector in the shared scratch memory; these are added in ascending order, so that
/// sums do not depend on threads.
///
/// @param rows of the matrix
/// @param floats of a part's sums
/// @param parts at least 1
record RowParts(long rows, int floats, int parts) {
  private static final int MAX_PARTS = 64;
  private static final int MIN_ROWS = 64;

  /// @throws IllegalArgumentException if not even one part's sums fit the shared scratch
  static RowParts of(long rows, int floats) {
    long fit = Workers.SHARED_BYTES / ((long) floats * Float.BYTES);
    if (fit < 1) {
      throw new IllegalArgumentException(
          "column sums: expected at most %d columns, found %d"
              .formatted(Workers.SHARED_BYTES / Float.BYTES, floats));
    }
    int parts = Math.clamp(Math.min(fit, rows / MIN_ROWS), 1, MAX_PARTS);
    return new RowParts(rows, floats, parts);
  }

  long begin(int part) {
    return rows * part / parts;
  }

  long end(int part) {
    return rows * (part + 1) / parts;
  }

  /// Where a part sums: `float32[floats]`, undefined.
  MemorySegment sums(int part, Workers w) {
    long bytes = (long) floats * Float.BYTES;
    return w.sharedScratch().asSlice(part * bytes, bytes);
  }

  /// Adds all parts to the sums of part 0, and returns these.
  MemorySegment total(Workers w) {
    MemorySegment total = sums(0, w);
    for (int part = 1; part < parts; part++) {
      Elementwise.addTo(total, sums(part, w));
    }
    return total;
  }
}
