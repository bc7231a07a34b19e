package dev.gossamer.graph.format;

import static dev.gossamer.graph.format.SmallFiles.bytes;
import static dev.gossamer.graph.format.SmallFiles.floats;
import static dev.gossamer.graph.format.SmallFiles.ints;
import static dev.gossamer.graph.format.SmallFiles.longs;
import static dev.gossamer.graph.format.SmallFiles.npy;
import static dev.gossamer.graph.format.SmallFiles.npyHeader;
import static dev.gossamer.graph.format.SmallFiles.texts;
import static dev.gossamer.graph.format.SmallFiles.truths;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Numpy arrays as a program of one's own reads them.
class NpzFileTest {
  @TempDir Path folder;

  private Path archive() {
    Map<String, byte[]> arrays = new LinkedHashMap<>();
    arrays.put("truths", npy("|b1", "(3,)", truths(1, 0, 1)));
    arrays.put("bytes", npy("|u1", "(2,)", new byte[] {(byte) 200, 1}));
    arrays.put("small", npy("<i2", "(2,)", shorts(-3, 4)));
    arrays.put("words", npy("<u2", "(1,)", shorts(65535)));
    arrays.put("ints", npy("<i4", "(2, 2)", ints(1, -2, 3, 4)));
    arrays.put("unsigned", npy("<u4", "(1,)", ints(-1)));
    arrays.put("longs", npy("<i8", "(2,)", longs(1L << 40, 7)));
    arrays.put("floats", npy("<f4", "(3,)", floats(0.5f, -1, 2)));
    arrays.put("doubles", npy("<f8", "(1,)", doubles(0.1)));
    arrays.put("names", npy("<U3", "(2,)", texts(3, "ab", "äöü")));
    arrays.put("one", npy("<i4", "()", ints(42)));
    arrays.put("none", npy("<f4", "(0, 5)", new byte[0]));
    return SmallFiles.npz(folder.resolve("a.npz"), arrays, true);
  }

  private static byte[] shorts(int... values) {
    ByteBuffer buffer = ByteBuffer.allocate(2 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (int value : values) {
      buffer.putShort((short) value);
    }
    return buffer.array();
  }

  private static byte[] doubles(double... values) {
    ByteBuffer buffer = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
    for (double value : values) {
      buffer.putDouble(value);
    }
    return buffer.array();
  }

  @Test
  void arraysOfEveryTypeAreReadByName() {
    try (NpzFile npz = NpzFile.open(archive())) {
      assertThat(npz.names()).hasSize(12).contains("truths", "none");
      assertThat(npz.has("ints")).isTrue();
      assertThat(npz.find("absent")).isEmpty();
      assertThat(npz.array("truths").toInts()).containsExactly(1, 0, 1);
      assertThat(npz.array("bytes").toInts()).containsExactly(200, 1);
      assertThat(npz.array("small").toInts()).containsExactly(-3, 4);
      assertThat(npz.array("words").integer(0)).isEqualTo(65535);
      assertThat(npz.array("unsigned").integer(0)).isEqualTo(4294967295L);
      assertThat(npz.array("longs").integer(0)).isEqualTo(1L << 40);
      assertThat(npz.array("floats").toFloats()).containsExactly(0.5f, -1, 2);
      assertThat(npz.array("doubles").real(0)).isEqualTo(0.1);
      assertThat(npz.array("doubles").toFloats()).containsExactly(0.1f);
      assertThat(npz.array("small").toFloats()).containsExactly(-3, 4);
      assertThat(npz.array("names").texts()).containsExactly("ab", "äöü");
      assertThat(npz.array("names").text(1)).isEqualTo("äöü");
      NpyArray matrix = npz.array("ints");
      assertThat(matrix.shape()).containsExactly(2L, 2L);
      assertThat(matrix.type()).isEqualTo("<i4");
      assertThat(matrix.isInteger()).isTrue();
      assertThat(matrix.isText()).isFalse();
      assertThat(npz.array("one").size()).isEqualTo(1);
      assertThat(npz.array("one").integer(0)).isEqualTo(42);
      assertThat(npz.array("none").toFloats()).isEmpty();
    }
  }

  @Test
  void boundsAndTypesAreChecked() {
    Path file = archive();
    try (NpzFile npz = NpzFile.open(file)) {
      NpyArray floats = npz.array("floats");
      NpyArray names = npz.array("names");
      assertThatThrownBy(() -> floats.real(3)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> floats.real(-1)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> names.text(2)).isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> npz.array("ints").integer(4))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> floats.integer(0))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(file + ": floats.npy: expected integers, found <f4");
      assertThatThrownBy(() -> names.real(0)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> floats.text(0)).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(floats::toInts)
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(file + ": floats.npy: header: expected integers, found <f4");
      assertThatThrownBy(names::toFloats).isInstanceOf(InvalidInputException.class);
      assertThatThrownBy(() -> npz.array("longs").toInts())
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(
              file + ": longs.npy: element 0: expected an integer of 32 bits, found 1099511627776");
      assertThatThrownBy(() -> npz.array("absent"))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith(file + ": expected a member absent.npy, found truths.npy, ");
    }
    NpzFile closed = NpzFile.open(file);
    NpyArray array = closed.array("ints");
    closed.close();
    assertThatThrownBy(() -> array.integer(0)).isInstanceOf(IllegalStateException.class);
  }

  /// Element `(i, j, k)` is `100 i + 10 j + k`, stored with `i` varying fastest.
  @Test
  void arraysInFortranOrderAreReadRowByRow() {
    int[] stored = new int[2 * 3 * 4];
    int[] rowByRow = new int[stored.length];
    for (int i = 0; i < 2; i++) {
      for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 4; k++) {
          stored[i + 2 * (j + 3 * k)] = 100 * i + 10 * j + k;
          rowByRow[(i * 3 + j) * 4 + k] = 100 * i + 10 * j + k;
        }
      }
    }
    byte[] content =
        npyHeader("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3, 4), }", ints(stored));
    Path file = bytes(folder.resolve("f.npy"), content);
    try (Arena arena = Arena.ofConfined()) {
      assertThat(NpyArray.read(arena, file).toInts()).containsExactly(rowByRow);
    }
  }

  @Test
  void aFileOfOneArrayIsRead() {
    try (Arena arena = Arena.ofConfined()) {
      Path good = bytes(folder.resolve("g.npy"), npy("<f4", "(2,)", floats(1, 2)));
      assertThat(NpyArray.read(arena, good).toFloats()).containsExactly(1, 2);
      Path cut = bytes(folder.resolve("cut.npy"), npy("<f4", "(3,)", floats(1, 2)));
      assertThatThrownBy(() -> NpyArray.read(arena, cut))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(cut + ": expected 3 elements of 4 bytes for shape [3], found 8 bytes");
      Path longer = bytes(folder.resolve("longer.npy"), npy("<f4", "(1,)", floats(1, 2)));
      assertThatThrownBy(() -> NpyArray.read(arena, longer))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith(longer + ": expected the end");
      Path absent = folder.resolve("absent.npy");
      assertThatThrownBy(() -> NpyArray.read(arena, absent))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith(absent + ": cannot read: no such file");
    }
  }
}
