package dev.gossamer.matrix.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.gossamer.matrix.dense.Samples;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NumberFormatTest {
  private static final int ALL = 1 << 16;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT;

  private final Arena arena = Arena.ofConfined();

  @AfterEach
  void free() {
    arena.close();
  }

  /// The number that 16 bits stand for, by the definition of the format.
  private static double meaning(NumberFormat format, int bits) {
    int fractionBits = format == NumberFormat.FP16 ? 10 : 7;
    int exponentBits = 15 - fractionBits;
    int bias = (1 << (exponentBits - 1)) - 1;
    int exponent = bits >> fractionBits & ((1 << exponentBits) - 1);
    double fraction = (bits & ((1 << fractionBits) - 1)) / (double) (1 << fractionBits);
    double sign = bits >= 1 << 15 ? -1 : 1;
    if (exponent == (1 << exponentBits) - 1) {
      return fraction == 0 ? sign * Double.POSITIVE_INFINITY : Double.NaN;
    }
    double size =
        exponent == 0
            ? fraction * Math.pow(2, 1.0 - bias)
            : (1 + fraction) * Math.pow(2, (double) exponent - bias);
    return sign * size;
  }

  @ParameterizedTest
  @EnumSource(names = {"BF16", "FP16"})
  void everyPatternWidensToItsMeaningAndComesBack(NumberFormat format) {
    MemorySegment stored = arena.allocate(2L * ALL);
    for (int i = 0; i < ALL; i++) {
      stored.setAtIndex(SHORT, i, (short) i);
    }
    MemorySegment floats = arena.allocate(4L * ALL, 4);
    format.widen(stored, floats);
    MemorySegment back = arena.allocate(2L * ALL);
    format.narrow(floats, back);
    for (int i = 0; i < ALL; i++) {
      double expected = meaning(format, i);
      if (Double.isNaN(expected)) {
        assertThat(floats.getAtIndex(FLOAT, i)).isNaN();
        assertThat(format.get(stored, i)).isNaN();
        assertThat(format.get(back, i)).isNaN();
      } else {
        assertThat((double) floats.getAtIndex(FLOAT, i)).as("pattern %x", i).isEqualTo(expected);
        assertThat((double) format.get(stored, i)).isEqualTo(expected);
        assertThat(back.getAtIndex(SHORT, i)).isEqualTo((short) i);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"BF16", "FP16"})
  void narrowsToTheNearestAndTiesToEven(NumberFormat format) {
    int infinity = format == NumberFormat.FP16 ? 0x7C00 : 0x7F80;
    Random random = new Random(3);
    int n = 4 * infinity;
    MemorySegment floats = arena.allocate(4L * n, 4);
    short[] expected = new short[n];
    for (int i = 0; i < infinity; i++) {
      double low = meaning(format, i);
      // Beyond the largest number the next one would be as far away as the one before it.
      double high = i + 1 < infinity ? meaning(format, i + 1) : 2 * low - meaning(format, i - 1);
      float middle = (float) ((low + high) / 2);
      float below = Math.nextDown(middle);
      float above = Math.nextUp(middle);
      float anywhere = (float) (low + (high - low) * random.nextDouble());
      boolean nearLow = anywhere - low < high - anywhere;
      boolean tie = anywhere - low == high - anywhere;
      put(floats, expected, 4 * i, middle, (i & 1) == 0 ? i : i + 1);
      put(floats, expected, 4 * i + 1, below, i);
      put(floats, expected, 4 * i + 2, -above, (i + 1) | 0x8000);
      int nearest = nearLow ? i : i + 1;
      put(floats, expected, 4 * i + 3, anywhere, tie && (i & 1) == 0 ? i : nearest);
    }
    MemorySegment stored = arena.allocate(2L * n);
    format.narrow(floats, stored);
    for (int i = 0; i < n; i++) {
      float x = floats.getAtIndex(FLOAT, i);
      assertThat(stored.getAtIndex(SHORT, i)).as("%s", x).isEqualTo(expected[i]);
      assertThat((double) format.rounded(x)).isEqualTo(meaning(format, expected[i] & 0xFFFF));
    }
  }

  private static void put(MemorySegment floats, short[] expected, int i, float x, int bits) {
    floats.setAtIndex(FLOAT, i, x);
    expected[i] = (short) bits;
  }

  @ParameterizedTest
  @EnumSource
  void keepsSpecialNumbersAtAnyLength(NumberFormat format) {
    float[] special = {
      0f, -0f, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.NaN, 1f, -2.5f, 1.5f
    };
    for (int n = 0; n <= 2 * Samples.LANES + 1; n++) {
      MemorySegment floats = arena.allocate(4L * n, 4);
      for (int i = 0; i < n; i++) {
        floats.setAtIndex(FLOAT, i, special[i % special.length]);
      }
      MemorySegment stored = arena.allocate((long) format.bytes() * n, 4);
      format.narrow(floats, stored);
      MemorySegment back = arena.allocate(4L * n, 4);
      format.widen(stored, back);
      format.addWidened(stored, floats);
      for (int i = 0; i < n; i++) {
        float x = special[i % special.length];
        assertThat(Float.floatToIntBits(back.getAtIndex(FLOAT, i)))
            .isEqualTo(Float.floatToIntBits(x));
        assertThat(Float.floatToIntBits(floats.getAtIndex(FLOAT, i)))
            .isEqualTo(Float.floatToIntBits(x + x));
      }
    }
  }

  @Test
  void refusesSegmentsThatDoNotFit() {
    MemorySegment four = arena.allocate(16);
    MemorySegment three = arena.allocate(6);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> NumberFormat.BF16.narrow(four, three))
        .withMessageContaining("6 bytes");
    assertThatIllegalArgumentException().isThrownBy(() -> NumberFormat.FP16.widen(three, four));
  }
}
