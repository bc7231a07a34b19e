package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class MetricsFileTest {
  @TempDir Path folder;

  private static ObjectNode line(int epoch) {
    return new JsonMapper().createObjectNode().put("epoch", epoch).put("loss", 0.5);
  }

  @Test
  void isOfOneTrainingAtATime() throws IOException {
    Path file = folder.resolve("metrics.jsonl");
    try (MetricsFile metrics = MetricsFile.open(file, 0)) {
      metrics.append(line(1));
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> MetricsFile.open(file, 1))
          .withMessageStartingWith(
              file + ": expected a run that nothing else writes to, found another");
      metrics.append(line(2));
    }
    try (MetricsFile metrics = MetricsFile.open(file, 1)) {
      metrics.append(line(2));
      metrics.append(line(3));
    }
    assertThat(Files.readAllLines(file))
        .containsExactly(
            "{\"epoch\":1,\"loss\":0.5}",
            "{\"epoch\":2,\"loss\":0.5}",
            "{\"epoch\":3,\"loss\":0.5}");
  }

  /// As after a power loss. An epoch whose line is lost takes no other with it.
  @Test
  void whatCannotBeReadIsDropped() throws IOException {
    Path file = folder.resolve("metrics.jsonl");
    String damaged = "{\"epoch\":2,\"lo\n\0\0\n[]\n\n" + "x".repeat(2 * MetricsFile.LONGEST_LINE);
    Files.writeString(
        file, line(1) + "\n" + damaged + "\n" + line(3) + "\n" + line(3) + "\n" + line(5) + "\n");
    Files.write(file, new byte[] {'{', (byte) 0xff, '\n'}, StandardOpenOption.APPEND);
    Files.writeString(file, line(4) + "\n{\"epoch\":4,\"lo", StandardOpenOption.APPEND);
    try (MetricsFile metrics = MetricsFile.open(file, 4)) {
      metrics.append(line(5));
    }
    assertThat(RunMetrics.read(file).steps())
        .extracting(RunMetrics.Step::number)
        .containsExactly(1, 3, 4, 5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoch", "iteration"})
  void aLastLineThatLacksItsEndAloneIsKept(String unit) throws IOException {
    Path file = folder.resolve("metrics.jsonl");
    String whole = "{\"%s\":1,\"loss\":0.5}".formatted(unit);
    Files.writeString(file, whole);
    MetricsFile.open(file, 1).close();
    assertThat(file).content().isEqualTo(whole + "\n");
  }

  /// By any name of the folder.
  @Test
  void isOpenWhileATrainingHasIt() throws IOException {
    Path run = Files.createDirectory(folder.resolve("run"));
    Path file = run.resolve("metrics.jsonl");
    Path other = Files.createSymbolicLink(folder.resolve("link"), run).resolve("metrics.jsonl");
    assertThat(MetricsFile.isOpen(file)).isFalse();
    try (MetricsFile _ = MetricsFile.open(file, 0)) {
      assertThat(MetricsFile.isOpen(file)).isTrue();
      assertThat(MetricsFile.isOpen(other)).isTrue();
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> MetricsFile.open(other, 0));
      assertThat(MetricsFile.isOpen(file)).isTrue();
    }
    assertThat(MetricsFile.isOpen(file)).isFalse();
    Files.delete(file);
    Files.createDirectory(file);
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> MetricsFile.open(file, 0));
    Files.delete(file);
    try (MetricsFile metrics = MetricsFile.open(other, 0)) {
      metrics.append(line(1));
    }
    assertThat(Files.readAllLines(file)).hasSize(1);
  }

  @Test
  void whatIsClosedTwiceStaysOpenForOthers() {
    Path file = folder.resolve("metrics.jsonl");
    MetricsFile first = MetricsFile.open(file, 0);
    first.close();
    try (MetricsFile _ = MetricsFile.open(file, 0)) {
      first.close();
      assertThat(MetricsFile.isOpen(file)).isTrue();
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> MetricsFile.open(file, 0));
    }
  }

  /// Whoever looks whether a training has the file open holds a lock for a moment.
  @Test
  void waitsForALockThatIsGivenUpSoon() throws IOException {
    Path file = Files.writeString(folder.resolve("metrics.jsonl"), line(1) + "\n");
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      Deque<FileLock> held = new ArrayDeque<>();
      held.add(channel.lock(0, Long.MAX_VALUE, true));
      AtomicInteger pauses = new AtomicInteger();
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(() -> MetricsFile.open(file, 1, pauses::incrementAndGet))
          .withMessageContaining("found another training");
      assertThat(pauses).hasValueGreaterThan(9);
      try (MetricsFile metrics = MetricsFile.open(file, 1, () -> release(held))) {
        metrics.append(line(2));
      }
      assertThat(held).isEmpty();
    }
    assertThat(Files.readAllLines(file)).hasSize(2);
  }

  private static void release(Deque<FileLock> held) {
    try {
      held.pop().release();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
