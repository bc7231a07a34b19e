package dev.gossamer.base.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageAdviceTest {
  private static final int ROW_BYTES = 700;
  private static final int ROWS = 300;

  /// Rows that begin and end anywhere in pages, in a segment that begins anywhere in a page.
  @Test
  void adviceChangesNoByte(@TempDir Path folder) throws IOException {
    byte[] bytes = new byte[100 + ROWS * ROW_BYTES];
    new Random(1).nextBytes(bytes);
    Path file = Files.write(folder.resolve("rows"), bytes);
    try (Arena arena = Arena.ofShared();
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      MemorySegment mapped =
          channel.map(FileChannel.MapMode.READ_ONLY, 100, (long) ROWS * ROW_BYTES, arena);
      PageAdvice advice = new PageAdvice(mapped);
      advice.willNeedRows(new int[0], ROW_BYTES);
      advice.willNeedRows(new int[] {0, 1, 7, 8, 200, ROWS - 1}, ROW_BYTES);
      MemorySegment expected = MemorySegment.ofArray(bytes).asSlice(100);
      assertThat(mapped.mismatch(expected)).isEqualTo(-1);
      assertThatThrownBy(() -> advice.willNeedRows(new int[] {4, ROWS}, ROW_BYTES))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }
}
