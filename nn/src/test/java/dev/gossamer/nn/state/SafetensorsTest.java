package dev.gossamer.nn.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SafetensorsTest {
  @TempDir Path folder;

  @Test
  void whatIsWrittenIsRead() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment data = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1f, 2f, 3f, 4f, 5f, 6f);
      Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
      tensors.put("a", new Safetensors.Tensor(List.of(2L, 3L), data));
      tensors.put("b", new Safetensors.Tensor(List.of(1L), data.asSlice(8, 4)));
      Path file = folder.resolve("model.safetensors");
      new Safetensors(tensors, Map.of("classes", "x\ny")).write(file);

      Safetensors read = Safetensors.open(arena, file);
      assertThat(read.metadata()).containsEntry("classes", "x\ny");
      assertThat(read.tensors().keySet()).containsExactly("a", "b");
      assertThat(read.require(file, "a", 6).data().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED))
          .containsExactly(1f, 2f, 3f, 4f, 5f, 6f);
      assertThat(read.require(file, "b", 1).data().get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0))
          .isEqualTo(3f);
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> read.require(file, "c", 1))
          .withMessageContaining("expected a tensor c, found none");
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> read.require(file, "a", 5))
          .withMessageContaining("expected 5 elements, found shape [2, 3]");
    }
  }

  @Test
  void keepsTheTypeOfNumbers() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, new byte[] {1, 2, 3, 4});
      Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
      for (Safetensors.Dtype dtype : Safetensors.Dtype.values()) {
        tensors.put(
            dtype.name(), new Safetensors.Tensor(dtype, List.of(4L / dtype.bytes()), bytes));
      }
      Path file = folder.resolve("typed.safetensors");
      new Safetensors(tensors, Map.of()).write(file);
      Safetensors read = Safetensors.open(arena, file);
      for (Safetensors.Dtype dtype : Safetensors.Dtype.values()) {
        MemorySegment data = read.require(file, dtype.name(), dtype, 4 / dtype.bytes()).data();
        assertThat(data.mismatch(bytes)).isEqualTo(-1);
      }
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> read.require(file, "U8", 4))
          .withMessageContaining("expected dtype F32, found U8");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"a\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,4]}} | expected dtype F32, F16, BF16, I32, U8 or BOOL, found \"I64\"",
        "{\"a\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[0,4]}} | expected 2 bytes for shape [1], found 4",
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,4]}} | expected a shape of at most",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}} | expected 8 bytes for shape [2], found 4",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}} | expected offsets within 4 bytes, found 4..8",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}} | expected offsets within 4 bytes, found -1..-1",
        "{\"a\": | expected JSON, found something else",
        "[1] | header: expected an object, found [1]",
        "{\"a\":null} | expected offsets within 4 bytes, found -1..-1",
        "{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}} | expected a shape of at most 8 dimensions, found nothing",
        "{\"a\":{\"dtype\":\"U8\",\"shape\":[-2,-2],\"data_offsets\":[0,4]}} | expected a shape of sizes of at least 0, found [-2,-2]",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[\"1\"],\"data_offsets\":[0,4]}} | expected a shape of sizes of at least 0",
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,4]}} | expected a shape of sizes of at least 0",
      })
  void refusesABadHeader(String header, String message) throws IOException {
    byte[] json = header.getBytes(StandardCharsets.UTF_8);
    ByteBuffer bytes =
        ByteBuffer.allocate(8 + json.length + 4)
            .order(ByteOrder.LITTLE_ENDIAN)
            .putLong(json.length)
            .put(json);
    Path file = Files.write(folder.resolve("bad.safetensors"), bytes.array());
    try (Arena arena = Arena.ofConfined()) {
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> Safetensors.open(arena, file))
          .withMessageContaining(file.toString())
          .withMessageContaining(message);
    }
  }

  @Test
  void refusesMoreDimensionsThanAnArrayHas() throws IOException {
    String ones = "1,".repeat(98) + "1";
    refusesABadHeader(
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[%s],\"data_offsets\":[0,4]}}".formatted(ones),
        "expected a shape of at most 8 dimensions, found [1,");
  }

  @Test
  void refusesAFolder() {
    try (Arena arena = Arena.ofConfined()) {
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> Safetensors.open(arena, folder))
          .withMessage(folder + ": expected a regular file, found a folder");
    }
  }

  /// The format lets tensors begin at any byte.
  @Test
  void readsNumbersThatAreNotAligned() throws IOException {
    byte[] json =
        "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}  "
            .getBytes(StandardCharsets.UTF_8);
    for (int length = json.length - 2; length <= json.length; length++) {
      ByteBuffer bytes =
          ByteBuffer.allocate(8 + length + 4)
              .order(ByteOrder.LITTLE_ENDIAN)
              .putLong(length)
              .put(json, 0, length)
              .putFloat(1.5f);
      Path file = Files.write(folder.resolve("odd.safetensors"), bytes.array());
      try (Arena arena = Arena.ofConfined()) {
        Safetensors.Tensor a = Safetensors.open(arena, file).require(file, "a", 1);
        assertThat(a.data().getAtIndex(ValueLayout.JAVA_FLOAT, 0)).isEqualTo(1.5f);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"0", "7", "8"})
  void refusesATruncatedFile(int length) throws IOException {
    byte[] bytes = new byte[length];
    if (length == 8) {
      bytes[0] = 100;
    }
    Path file = Files.write(folder.resolve("short.safetensors"), bytes);
    try (Arena arena = Arena.ofConfined()) {
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> Safetensors.open(arena, file))
          .withMessageContaining(file.toString())
          .withMessageContaining("expected");
    }
  }
}
