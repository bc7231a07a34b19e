package dev.gossamer.cli.tensorboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.nn.state.WeightHistogram;
import dev.gossamer.run.MetricsFile;
import dev.gossamer.run.RunFolder;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tensorflow.proto.HistogramProto;
import tools.jackson.databind.json.JsonMapper;

class BoardTest {
  @TempDir Path folder = Path.of("");

  private RunFolder run(String parent) throws IOException {
    RunFolder run = new RunFolder(Files.createDirectories(folder.resolve(parent).resolve("run")));
    Files.writeString(
        run.config(), "hidden:\n- 16\n- 8\nlr: 0.5\nseed: 7\nmodel: gat\ntied: true\n");
    return run;
  }

  private Path board() {
    return folder.resolve("board");
  }

  /// Writes steps, each with its number as its loss, until it is interrupted.
  private void train(RunFolder run, int from, int to) {
    train(run, from, to, Board::interrupted);
  }

  private void train(RunFolder run, int from, int to, Consumer<Board> end) {
    try (MetricsFile metrics = MetricsFile.open(run.metrics(), from - 1);
        Board board = new Board(board(), to)) {
      board.begin(run.path());
      for (int step = from; step <= to; step++) {
        metrics.append(
            new JsonMapper()
                .createObjectNode()
                .put("iteration", step)
                .put("loss", (double) step)
                .put("seconds", 1.5));
        board.step();
      }
      end.accept(board);
    }
  }

  private EventFiles events(String name) throws IOException {
    return EventFiles.read(board().resolve(name));
  }

  @Test
  void theChecksumIsThatOfTheStandard() {
    // RFC 3720, B.4, and the check value of the polynomial; unmasked as TensorFlow's reader does.
    int masked = EventFiles.masked("123456789".getBytes(StandardCharsets.US_ASCII));
    assertThat(Integer.rotateRight(masked - 0xa282ead8, 17)).isEqualTo(0xe3069283);
    assertThat(Integer.rotateRight(EventFiles.masked(new byte[32]) - 0xa282ead8, 17))
        .isEqualTo(0x8a9136aa);
  }

  @Test
  void settingsHaveTheirTypes() throws IOException {
    train(run("runs"), 1, 1);
    EventFiles events = events("run");
    assertThat(events.hparams().keySet()).containsExactly("hidden", "lr", "model", "seed", "tied");
    assertThat(events.hparam("hidden").getStringValue()).isEqualTo("16,8");
    assertThat(events.hparam("lr").getNumberValue()).isEqualTo(0.5);
    assertThat(events.hparam("seed").getNumberValue()).isEqualTo(7);
    assertThat(events.hparam("model").getStringValue()).isEqualTo("gat");
    assertThat(events.hparam("tied").getBoolValue()).isTrue();
  }

  /// What a process that was killed has written after its checkpoint is shown once, as it was done
  /// again.
  @Test
  void aResumedRunReplacesLaterSteps() throws IOException {
    RunFolder run = run("runs");
    train(run, 1, 9);
    train(run, 6, 12);
    EventFiles events = events("run");
    events.assertAsIn(run.metrics());
    assertThat(events.scalars().keySet()).hasSize(12).contains(1L, 12L);
    assertThat(events.dropped())
        .extracting(event -> event.getStep())
        .containsExactly(6L, 7L, 8L, 9L);
  }

  /// The last end is the only one, however often a run was interrupted, and however it ends.
  @Test
  void theEndOfARunIsItsLast() throws IOException {
    RunFolder run = run("runs");
    Map<String, Map<String, Double>> scores = Map.of("test", Map.of("accuracy", 0.75));
    train(run, 1, 2, _ -> {});
    assertThat(events("run").ends()).as("failed").containsExactly(2L);
    train(run, 3, 4);
    assertThat(events("run").ends()).as("interrupted").containsExactly(0L);
    train(run, 5, 6, board -> board.end(6, scores));
    assertThat(events("run").ends()).as("complete").containsExactly(1L);
    assertThat(events("run").scalarsOf(6)).containsEntry("final/accuracy/test", 0.75f);
    assertThat(EventFiles.files(board().resolve("run"))).hasSize(3 + 1);
    train(run, 7, 6, board -> board.end(6, scores));
    assertThat(events("run").ends()).as("complete, and resumed").containsExactly(1L);
    assertThat(events("run").scalarsOf(6)).containsEntry("final/accuracy/test", 0.75f);
    events("run").assertAsIn(run.metrics());
  }

  /// Nothing is written of a run that has not begun.
  @Test
  void aRunThatHasNotBegunHasNoEnd() {
    try (Board board = new Board(board(), 3)) {
      board.interrupted();
    }
    assertThat(board()).doesNotExist();
  }

  /// The ends of other runs stay.
  @Test
  void onlyTheEndOfTheRunIsRemoved() throws IOException {
    RunFolder run = run("runs");
    train(run, 1, 2);
    Path end = EventFiles.files(board().resolve("run")).getLast();
    assertThat(end.toString()).endsWith(".end");
    Path other = end.resolveSibling("events.out.tfevents.1000000000.gossamer.00000000.end");
    Path longer = end.resolveSibling(end.getFileName() + ".mine");
    Files.copy(end, other);
    Files.copy(end, longer);
    train(run, 3, 3, _ -> assertThat(end).doesNotExist());
    assertThat(other).exists();
    assertThat(longer).exists();
  }

  /// A run that was begun without the flag has its first steps, too.
  @Test
  void aRunIsShownFromItsFirstStep() throws IOException {
    RunFolder run = run("runs");
    try (MetricsFile metrics = MetricsFile.open(run.metrics(), 0)) {
      for (int step = 1; step <= 4; step++) {
        metrics.append(
            new JsonMapper()
                .createObjectNode()
                .put("epoch", step)
                .put("loss", 2)
                .put("seconds", 1));
      }
    }
    train(run, 5, 6);
    events("run").assertAsIn(run.metrics());
    assertThat(events("run").scalars()).hasSize(6);
  }

  /// Another run of the same name has a folder of its own, and so has it when it is resumed.
  @Test
  void runsOfOneNameAreKeptApart() throws IOException {
    RunFolder one = run("runs");
    RunFolder other = run("other");
    train(one, 1, 2);
    train(other, 1, 3);
    train(one, 3, 5);
    train(other, 4, 4);
    events("run").assertAsIn(one.metrics());
    events("run-2").assertAsIn(other.metrics());
    assertThat(events("run").scalars()).hasSize(5);
    assertThat(events("run-2").scalars()).hasSize(4);
  }

  @Test
  void whatIsThereStays() throws IOException {
    Path file = Files.createDirectories(board()).resolve("run");
    Files.writeString(file, "mine");
    Path theirs =
        Files.createDirectories(board().resolve("run-2")).resolve("events.out.tfevents.1.x");
    Files.writeString(theirs, "theirs");
    RunFolder run = run("runs");
    train(run, 1, 2);
    events("run-3").assertAsIn(run.metrics());
    assertThat(file).hasContent("mine");
    assertThat(theirs).hasContent("theirs");
    assertThatThrownBy(() -> EventFile.create(theirs))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("already there");
  }

  @Test
  void histogramsCountEveryWeight() throws IOException {
    RunFolder run = run("runs");
    Random random = new Random(3);
    float[] weights = new float[5000];
    double squares = 0;
    for (int i = 0; i < weights.length; i++) {
      weights[i] = (float) random.nextGaussian() / (1 + i % 17);
      squares += (double) weights[i] * weights[i];
    }
    try (Board board = new Board(board(), 10)) {
      board.begin(run.path());
      board.weights(
          3,
          Map.of(
              "layers.0.weight", WeightHistogram.of(MemorySegment.ofArray(weights)),
              "empty", WeightHistogram.of(MemorySegment.ofArray(new float[0]))));
    }
    EventFiles events = events("run");
    assertThat(events.histograms()).containsOnlyKeys(3L);
    assertThat(events.histogramsOf(3)).containsOnlyKeys("weights/layers.0.weight");
    HistogramProto found = events.histogramsOf(3).values().iterator().next();
    assertThat(found.getNum()).isEqualTo(5000);
    assertThat(found.getSumSquares()).isEqualTo(squares);
    assertThat(found.getBucketLimitCount()).isEqualTo(found.getBucketCount()).isGreaterThan(30);
    // As readers draw it: from the least weight over the limits to the greatest one.
    double from = found.getMin();
    for (int b = 0; b < found.getBucketCount(); b++) {
      boolean last = b + 1 == found.getBucketCount();
      double to = last ? found.getMax() : found.getBucketLimit(b);
      long count = 0;
      for (float weight : weights) {
        count += weight >= from && (last ? weight <= to : weight < to) ? 1 : 0;
      }
      assertThat(found.getBucket(b)).as("[%s, %s)", from, to).isEqualTo((double) count);
      from = to;
    }
  }

  @Test
  void aRunOfAnyLengthHasAboutFiftyTimes() {
    assertThat(List.of(1, 50, 51, 1000)).extracting(Board::every).containsExactly(1, 1, 2, 20);
    Board board = new Board(board(), 200);
    assertThat(List.of(1, 2, 4, 7, 8, 200))
        .extracting(board::isDue)
        .containsExactly(true, false, true, false, true, true);
  }
}
