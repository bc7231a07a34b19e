package dev.gossamer.matrix.format;

import dev.gossamer.base.memory.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/// The format in which numbers of a model are stored and sent: float32, or one of the two 16-bit
/// formats. Arithmetic is always float32.
///
/// Narrowing rounds to the nearest, ties to even; numbers above the maximum become infinite, and
/// NaN stays NaN. Widening is exact. The relative error of narrowing is at most `2^-9` in bfloat16,
/// and `2^-12` in float16 down to `2^-14`, below which the error is at most `2^-25`.
///
/// The methods on segments are local, run on the caller's thread, and take about 0.1 ns per element
/// in cache.
public enum NumberFormat {
  /// IEEE 754 binary32, the format of all arithmetic.
  FLOAT32(Float.BYTES, "F32"),

  /// bfloat16: the upper half of a float32.
  BF16(Short.BYTES, "BF16"),

  /// IEEE 754 binary16: maximum 65504.
  FP16(Short.BYTES, "F16");

  /// Elements of one step of a sweep over a long segment.
  private static final int STRETCH = 1 << 20;

  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

  private final int bytes;
  private final String dtype;

  NumberFormat(int bytes, String dtype) {
    this.bytes = bytes;
    this.dtype = dtype;
  }

  /// {@return the bytes of one number}
  public int bytes() {
    return bytes;
  }

  /// {@return its name in safetensors files}
  public String dtype() {
    return dtype;
  }

  /// Writes float32 numbers in this format.
  ///
  /// @param floats `float32[n]`
  /// @param to `n` numbers of this format, overwritten
  /// @throws IllegalArgumentException if the sizes do not fit
  public void narrow(MemorySegment floats, MemorySegment to) {
    long n = count("narrow", to, floats);
    if (this == FLOAT32) {
      to.copyFrom(floats);
      return;
    }
    long from = Memory.address(floats, 0, n * Float.BYTES);
    long at = Memory.address(to, 0, n * bytes);
    Memory.hold(
        () -> {
          for (long i = 0; i < n; i += STRETCH) {
            narrow(from + i * Float.BYTES, at + i * bytes, (int) Math.min(STRETCH, n - i));
          }
        },
        floats,
        to);
  }

  /// Writes numbers of this format as float32.
  ///
  /// @param from `n` numbers of this format
  /// @param floats `float32[n]`, overwritten
  /// @throws IllegalArgumentException if the sizes do not fit
  public void widen(MemorySegment from, MemorySegment floats) {
    long n = count("widen", from, floats);
    if (this == FLOAT32) {
      floats.copyFrom(from);
      return;
    }
    long at = Memory.address(from, 0, n * bytes);
    long to = Memory.address(floats, 0, n * Float.BYTES);
    Memory.hold(
        () -> {
          for (long i = 0; i < n; i += STRETCH) {
            widen(at + i * bytes, to + i * Float.BYTES, (int) Math.min(STRETCH, n - i));
          }
        },
        from,
        floats);
  }

  /// Adds numbers of this format to float32 numbers: `floats[i] += from[i]`, in float32.
  ///
  /// @param from `n` numbers of this format
  /// @param floats `float32[n]`, added to
  /// @throws IllegalArgumentException if the sizes do not fit
  public void addWidened(MemorySegment from, MemorySegment floats) {
    long n = count("add", from, floats);
    long at = Memory.address(from, 0, n * bytes);
    long to = Memory.address(floats, 0, n * Float.BYTES);
    Memory.hold(
        () -> {
          for (long i = 0; i < n; i += STRETCH) {
            add(at + i * bytes, to + i * Float.BYTES, (int) Math.min(STRETCH, n - i));
          }
        },
        from,
        floats);
  }

  /// {@return a number rounded to this format}
  ///
  /// @param x the number
  public float rounded(float x) {
    return switch (this) {
      case FLOAT32 -> x;
      case BF16 -> Bfloat16.widen(Bfloat16.narrow(x));
      case FP16 -> Float.float16ToFloat(Float.floatToFloat16(x));
    };
  }

  /// {@return one number of a segment of this format}
  ///
  /// @param from numbers of this format
  /// @param index of the number
  public float get(MemorySegment from, long index) {
    return switch (this) {
      case FLOAT32 -> from.get(FLOAT, index * Float.BYTES);
      case BF16 -> Bfloat16.widen(from.get(SHORT, index * Short.BYTES));
      case FP16 -> Float.float16ToFloat(from.get(SHORT, index * Short.BYTES));
    };
  }

  /// [#narrow(MemorySegment, MemorySegment)] by address.
  ///
  /// @param floats address of float32
  /// @param to address of numbers of this format, overwritten
  /// @param count number of elements
  public void narrow(long floats, long to, int count) {
    switch (this) {
      case FLOAT32 -> MemorySegment.copy(Memory.ALL, floats, Memory.ALL, to, (long) count * bytes);
      case BF16 -> Bfloat16.narrowRow(floats, to, count);
      case FP16 -> Float16.narrowRow(floats, to, count);
    }
  }

  /// [#widen(MemorySegment, MemorySegment)] by address.
  ///
  /// @param from address of numbers of this format
  /// @param floats address of float32, overwritten
  /// @param count number of elements
  public void widen(long from, long floats, int count) {
    switch (this) {
      case FLOAT32 ->
          MemorySegment.copy(Memory.ALL, from, Memory.ALL, floats, (long) count * bytes);
      case BF16 -> Bfloat16.widenRow(from, floats, count);
      case FP16 -> Float16.widenRow(from, floats, count);
    }
  }

  /// [#addWidened(MemorySegment, MemorySegment)] by address.
  ///
  /// @param from address of numbers of this format
  /// @param floats address of float32, added to
  /// @param count number of elements
  public void add(long from, long floats, int count) {
    switch (this) {
      case FLOAT32 -> addRow(from, floats, count);
      case BF16 -> Bfloat16.addRow(from, floats, count);
      case FP16 -> Float16.addRow(from, floats, count);
    }
  }

  private static void addRow(long from, long floats, int count) {
    int whole = count / LANES * LANES;
    for (int j = 0; j < whole; j += LANES) {
      long shift = (long) j * Float.BYTES;
      long at = Memory.at(floats + shift);
      FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at, ORDER)
          .add(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(from + shift), ORDER))
          .intoMemorySegment(Memory.ALL, at, ORDER);
    }
    for (int j = whole; j < count; j++) {
      long shift = (long) j * Float.BYTES;
      long at = Memory.at(floats + shift);
      float sum = Memory.ALL.get(FLOAT, at) + Memory.ALL.get(FLOAT, Memory.at(from + shift));
      Memory.ALL.set(FLOAT, at, sum);
    }
  }

  private long count(String what, MemorySegment stored, MemorySegment floats) {
    long n = floats.byteSize() / Float.BYTES;
    if (n * Float.BYTES != floats.byteSize() || n * bytes != stored.byteSize()) {
      throw new IllegalArgumentException(
          "%s: expected as many numbers in %s as in float32, found %d bytes for %d"
              .formatted(what, this, stored.byteSize(), floats.byteSize()));
    }
    return n;
  }
}
