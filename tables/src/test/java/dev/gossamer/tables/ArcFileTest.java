package dev.gossamer.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArcFileTest {
  private static final ArcFile.Columns ENDS = new ArcFile.Columns(false, false);
  private static final ArcFile.Columns WEIGHTS = new ArcFile.Columns(true, false);

  @TempDir Path folder = Path.of("");

  private static void append(ArcFile file, int begin, int end) throws IOException {
    ByteBuffer buffer = file.buffer(end - begin);
    for (int i = begin; i < end; i++) {
      buffer.putInt(i).putInt(-i);
      if (file.columns().weight()) {
        buffer.putFloat(i / 2f);
      }
      if (file.columns().time()) {
        buffer.putDouble(i / 4.0);
      }
    }
    file.append(buffer);
  }

  private static List<String> arcs(ArcFile file) {
    List<String> arcs = new ArrayList<>();
    file.forEach((table, source, target, weight, time) ->
        arcs.add("%d: %d %d %s %s".formatted(table, source, target, weight, time)));
    return arcs;
  }

  @ParameterizedTest
  @CsvSource({"true, true", "true, false", "false, true", "false, false"})
  void arcsHaveTheNumbersOfTheirTables(boolean weighted, boolean timed) throws IOException {
    List<Double> shares = new ArrayList<>();
    ArcFile.Columns columns = new ArcFile.Columns(weighted, timed);
    try (ArcFile file = ArcFile.create(folder.resolve("arcs"), columns, shares::add)) {
      append(file, 0, 1);
      append(file, 1, 3);
      file.endTable();
      file.endTable();
      append(file, 3, 4);
      file.endTable();
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        expected.add(
            "%d: %d %d %s %s"
                .formatted(i < 3 ? 0 : 2, i, -i, weighted ? i / 2f : 1f, timed ? i / 4.0 : 0.0));
      }
      assertThat(arcs(file)).isEqualTo(expected);
      assertThat(arcs(file)).hasSize(4);
      assertThat(file.size()).isEqualTo(4);
      assertThat(shares).containsExactly(0.5, 1.0);
    }
  }

  /// More than are read at a time.
  @Test
  void manyArcsKeepTheirOrder() throws IOException {
    int[] next = new int[1];
    try (ArcFile file = ArcFile.create(folder.resolve("arcs"), ENDS, share -> {})) {
      append(file, 0, 100_000);
      append(file, 100_000, 150_001);
      file.endTable();
      file.forEach((source, target, weight) -> {
        assertThat(source).isEqualTo(next[0]++);
        assertThat(target).isEqualTo(-source);
      });
      assertThat(next[0]).isEqualTo(150_001);
    }
  }

  /// An interrupt closes the file.
  @Test
  void anInterruptedPassIsCancelled() throws IOException {
    try (ArcFile file = ArcFile.create(folder.resolve("arcs"), WEIGHTS, share -> {})) {
      append(file, 0, 10);
      file.endTable();
      Thread.currentThread().interrupt();
      assertThatExceptionOfType(CancellationException.class).isThrownBy(() -> arcs(file));
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void whatWasForgottenIsNotRead() throws IOException {
    try (ArcFile file = ArcFile.create(folder.resolve("arcs"), WEIGHTS, share -> {})) {
      append(file, 5, 9);
      file.endTable();
      file.clear();
      assertThat(arcs(file)).isEmpty();
      append(file, 1, 2);
      file.endTable();
      assertThat(arcs(file)).containsExactly("0: 1 -1 0.5 0.0");
    }
  }
}
