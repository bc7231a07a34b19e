package dev.gossamer.comm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// `out[i] = ((in_0[i] + in_1[i]) + in_2[i]) + ...`, or the maximum, for segments of equal size.
///
/// Outputs may be inputs: blocks of elements are reduced in an array, then written.
public final class ElementwiseReduction {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final int CHUNK = 2048;

  private ElementwiseReduction() {}

  /// Reduces segments.
  ///
  /// @param inputs at least one
  /// @param outputs each receives the whole result
  /// @param element type of all elements
  /// @param reduction sum or maximum
  public static void run(
      MemorySegment[] inputs, MemorySegment[] outputs, Element element, Reduction reduction) {
    switch (element) {
      case FLOAT -> floats(inputs, outputs, reduction);
      case DOUBLE -> doubles(inputs, outputs, reduction);
      case LONG -> longs(inputs, outputs, reduction);
    }
  }

  private static void floats(MemorySegment[] inputs, MemorySegment[] outputs, Reduction reduction) {
    float[] chunk = new float[CHUNK];
    long bytes = inputs[0].byteSize();
    for (long start = 0; start < bytes; start += (long) CHUNK * Float.BYTES) {
      int n = (int) Math.min(CHUNK, (bytes - start) / Float.BYTES);
      MemorySegment.copy(inputs[0], FLOAT, start, chunk, 0, n);
      for (int rank = 1; rank < inputs.length; rank++) {
        switch (reduction) {
          case SUM -> add(chunk, inputs[rank], start, n);
          case MAX -> max(chunk, inputs[rank], start, n);
        }
      }
      for (MemorySegment output : outputs) {
        MemorySegment.copy(chunk, 0, output, FLOAT, start, n);
      }
    }
  }

  private static void add(float[] chunk, MemorySegment input, long start, int n) {
    for (int i = 0; i < n; i++) {
      chunk[i] += input.get(FLOAT, start + (long) i * Float.BYTES);
    }
  }

  private static void max(float[] chunk, MemorySegment input, long start, int n) {
    for (int i = 0; i < n; i++) {
      chunk[i] = Math.max(chunk[i], input.get(FLOAT, start + (long) i * Float.BYTES));
    }
  }

  private static void doubles(
      MemorySegment[] inputs, MemorySegment[] outputs, Reduction reduction) {
    double[] chunk = new double[CHUNK];
    long bytes = inputs[0].byteSize();
    for (long start = 0; start < bytes; start += (long) CHUNK * Double.BYTES) {
      int n = (int) Math.min(CHUNK, (bytes - start) / Double.BYTES);
      MemorySegment.copy(inputs[0], DOUBLE, start, chunk, 0, n);
      for (int rank = 1; rank < inputs.length; rank++) {
        switch (reduction) {
          case SUM -> add(chunk, inputs[rank], start, n);
          case MAX -> max(chunk, inputs[rank], start, n);
        }
      }
      for (MemorySegment output : outputs) {
        MemorySegment.copy(chunk, 0, output, DOUBLE, start, n);
      }
    }
  }

  private static void add(double[] chunk, MemorySegment input, long start, int n) {
    for (int i = 0; i < n; i++) {
      chunk[i] += input.get(DOUBLE, start + (long) i * Double.BYTES);
    }
  }

  private static void max(double[] chunk, MemorySegment input, long start, int n) {
    for (int i = 0; i < n; i++) {
      chunk[i] = Math.max(chunk[i], input.get(DOUBLE, start + (long) i * Double.BYTES));
    }
  }

  private static void longs(MemorySegment[] inputs, MemorySegment[] outputs, Reduction reduction) {
    long[] chunk = new long[CHUNK];
    long bytes = inputs[0].byteSize();
    for (long start = 0; start < bytes; start += (long) CHUNK * Long.BYTES) {
      int n = (int) Math.min(CHUNK, (bytes - start) / Long.BYTES);
      MemorySegment.copy(inputs[0], LONG, start, chunk, 0, n);
      for (int rank = 1; rank < inputs.length; rank++) {
        switch (reduction) {
          case SUM -> add(chunk, inputs[rank], start, n);
          case MAX -> max(chunk, inputs[rank], start, n);
        }
      }
      for (MemorySegment output : outputs) {
        MemorySegment.copy(chunk, 0, output, LONG, start, n);
      }
    }
  }

  private static void add(long[] chunk, MemorySegment input, long start, int n) {
    for (int i = 0; i < n; i++) {
      chunk[i] += input.get(LONG, start + (long) i * Long.BYTES);
    }
  }

  private static void max(long[] chunk, MemorySegment input, long start, int n) {
    for (int i = 0; i < n; i++) {
      chunk[i] = Math.max(chunk[i], input.get(LONG, start + (long) i * Long.BYTES));
    }
  }
}
