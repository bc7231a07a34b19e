package dev.gossamer.base.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gossamer.base.InvalidInputException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The `.npy` files in the resources were written by numpy 2.4: `arange` is `np.arange(6,
/// dtype='<f4').reshape(2, 3)`, `labels` is `np.array([3, -1, 2], '<i4')`, `scalar` is
/// `np.int64(7)`.
class NpyFileTest {
  private static final ValueLayout.OfFloat FLOAT =
      ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  @TempDir Path folder;

  private Path resource(String name) throws IOException {
    Path copy = folder.resolve(name);
    try (InputStream in =
        Objects.requireNonNull(NpyFileTest.class.getResourceAsStream(name), name)) {
      Files.copy(in, copy);
    }
    return copy;
  }

  @ParameterizedTest
  @ValueSource(strings = {"arange-v1.npy", "arange-v2.npy", "arange-v3.npy"})
  void readsWhatNumpyWrote(String name) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      NpyFile.Array array =
          NpyFile.map(arena, resource(name), NpyFile.Type.FLOAT32, NpyHeader.ANY, 3);
      assertThat(array.shape()).containsExactly(2L, 3L);
      assertThat(array.data().isReadOnly()).isTrue();
      for (int i = 0; i < 6; i++) {
        assertThat(array.data().getAtIndex(FLOAT, i)).isEqualTo(i);
      }
    }
  }

  @Test
  void writesTheBytesThatNumpyWrites() throws IOException {
    Path ours = folder.resolve("ours.npy");
    NpyFile.write(ours, NpyFile.Type.INT32, MemorySegment.ofArray(new int[] {3, -1, 2}), 3);
    assertThat(Files.readAllBytes(ours)).isEqualTo(Files.readAllBytes(resource("labels.npy")));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocateFrom(FLOAT, 0, 1, 2, 3, 4, 5);
      NpyFile.write(ours, NpyFile.Type.FLOAT32, data, 2, 3);
    }
    assertThat(Files.readAllBytes(ours)).isEqualTo(Files.readAllBytes(resource("arange-v1.npy")));
  }

  @Test
  void aSingleValueHasNoDimensions() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      NpyFile.Array array = NpyFile.map(arena, resource("scalar.npy"), NpyFile.Type.INT64);
      assertThat(array.shape()).isEmpty();
      assertThat(array.data().get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isEqualTo(7);
    }
  }

  /// Lengths around the piece in which bytes are written, in one go and piece by piece, with a
  /// first size that is known only at the end.
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 2097151, 2097152, 2097153})
  void arraysCanBeAppended(int length) throws IOException {
    int[] values = new int[length];
    for (int i = 0; i < length; i++) {
      values[i] = i * 31;
    }
    Path whole = folder.resolve("whole.npy");
    NpyFile.write(whole, NpyFile.Type.INT32, MemorySegment.ofArray(values), length);
    Path pieces = folder.resolve("pieces.npy");
    try (NpyFile.Writer writer = NpyFile.writer(pieces, NpyFile.Type.INT32, NpyHeader.ANY)) {
      MemorySegment all = MemorySegment.ofArray(values);
      long middle = length / 3 * 4L;
      writer.append(all.asSlice(0, middle));
      writer.append(all.asSlice(middle));
    }
    try (Arena arena = Arena.ofConfined()) {
      for (Path file : new Path[] {whole, pieces}) {
        MemorySegment data = NpyFile.map(arena, file, NpyFile.Type.INT32, length).data();
        assertThat(data.toArray(ValueLayout.JAVA_INT_UNALIGNED)).isEqualTo(values);
      }
    }
    assertThat(NpyFile.header(pieces).dataOffset() % 64).isZero();
  }

  @Test
  void tooFewElementsAreNotedWhenAWriterCloses() throws IOException {
    NpyFile.Writer writer = NpyFile.writer(folder.resolve("w.npy"), NpyFile.Type.FLOAT32, 2, 3);
    writer.append(MemorySegment.ofArray(new float[5]));
    assertThatThrownBy(writer::close)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("npy: shape (2, 3) needs 24 bytes but 20 were appended");
  }

  @Test
  void otherTypesOrdersAndShapesAreRefused() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      Path labels = resource("labels.npy");
      assertThatThrownBy(() -> NpyFile.map(arena, labels, NpyFile.Type.INT64, 3))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(
              labels
                  + ": header: expected little-endian '<i8', found '<i4'; rewrite with"
                  + " arr.astype('<i8')");
      assertThatThrownBy(() -> NpyFile.map(arena, labels, NpyFile.Type.INT32, NpyHeader.ANY, 1))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(labels + ": header: expected shape (*, 1), found (3,)");
      Path fortran = resource("fortran.npy");
      assertThatThrownBy(() -> NpyFile.map(arena, fortran, NpyFile.Type.FLOAT32, 2, 3))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("found Fortran order; rewrite with np.ascontiguousarray(arr)");
      Path big = resource("big-endian.npy");
      assertThatThrownBy(() -> NpyFile.map(arena, big, NpyFile.Type.FLOAT32, 2, 3))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("expected little-endian '<f4', found '>f4'");
    }
  }

  @Test
  void moreDimensionsThanNumpyHasAreRefused() {
    List<Long> ones = Collections.nCopies(99, 1L);
    InputStream in = new ByteArrayInputStream(NpyHeader.encode("<f4", ones, 0));
    assertThatThrownBy(() -> NpyHeader.read("x.npy", in))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage("x.npy: header: expected at most 64 dimensions in 'shape', found more");
  }

  @Test
  void aShapeThatOverflowsIsRefused() {
    NpyHeader header = new NpyHeader("<f4", false, List.of(1L << 32, 1L << 31, 1L), 128);
    assertThatThrownBy(() -> header.elements("x.npy"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            "x.npy: header: expected fewer than 2^63 elements, found shape"
                + " (4294967296, 2147483648, 1)");
  }

  @Test
  void aFullDiskIsAnIoException() {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "this system has no /dev/full");
    assertThatThrownBy(
            () -> NpyFile.write(full, NpyFile.Type.INT32, MemorySegment.ofArray(new int[9]), 9))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("No space left on device");
  }
}
