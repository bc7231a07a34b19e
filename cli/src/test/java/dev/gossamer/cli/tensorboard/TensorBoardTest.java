package dev.gossamer.cli.tensorboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.GraphModel;
import dev.gossamer.cli.Cli;
import dev.gossamer.cli.Folders;
import dev.gossamer.cli.settings.ConfigFile;
import dev.gossamer.cli.terminal.Failures;
import dev.gossamer.run.RunMetrics;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tensorflow.proto.HistogramProto;
import tools.jackson.databind.JsonNode;

class TensorBoardTest {
  private static final int VERTICES = 100;

  @TempDir static Path shared = Path.of("");
  @TempDir Path folder = Path.of("");

  @BeforeAll
  static void build() {
    Cli cli =
        Cli.run(
            "dataset build grid -q --rows 10 --cols 10 --patch 5 --classes 4 --features 8 --split 40/30/30 --out %s"
                .formatted(shared.resolve("data"))
                .split(" "));
    assertThat(cli.status()).as(cli.err()).isZero();
  }

  private Cli train(String flags) {
    String command =
        "train -q --data %s --runs %s --tensorboard %s "
            .formatted(shared.resolve("data"), folder.resolve("runs"), folder.resolve("board"));
    return Cli.run((command + flags).split(" "));
  }

  /// A run that was trained.
  ///
  /// @param run its folder
  /// @param board that shows it
  private record Shown(Path run, Path board, int vertices) {
    static Shown of(Cli cli, String runKey) {
      assertThat(cli.status()).as(cli.err()).isZero();
      JsonNode json = cli.json();
      JsonNode board = json.get("tensorboard");
      return new Shown(
          Path.of(json.get(runKey).asString()),
          Path.of(board.get("folder").asString()),
          board.get("vertices").asInt());
    }

    EventFiles events() throws IOException {
      return EventFiles.read(board);
    }

    /// Compares scalars and settings with what the run's folder says.
    EventFiles assertComplete() throws IOException {
      EventFiles events = events();
      events.assertAsIn(run.resolve("metrics.jsonl"));
      assertThat(events.hparams().keySet())
          .isEqualTo(ConfigFile.read(run.resolve("config.yaml")).values().keySet());
      assertThat(events.ends()).containsExactly(1L);
      assertThat(board.getFileName()).isEqualTo(run.getFileName());
      assertThat(Files.readString(run.resolve("config.yaml"))).doesNotContain("tensorboard");
      return events;
    }

    private List<String> lines(String file) throws IOException {
      return Files.readAllLines(board.resolve(file));
    }

    /// Compares the vectors with a line for each vertex, and returns the cells of each vertex.
    List<List<String>> assertVectors(int width, String... columns) throws IOException {
      assertThat(lines("projector_config.pbtxt"))
          .contains("  tensor_path: \"tensors.tsv\"", "  metadata_path: \"metadata.tsv\"");
      List<String> metadata = lines("metadata.tsv");
      assertThat(metadata.getFirst()).isEqualTo(String.join("\t", columns));
      assertThat(metadata).hasSize(1 + VERTICES);
      assertThat(lines("tensors.tsv"))
          .hasSize(VERTICES)
          .allSatisfy(line ->
              assertThat(Arrays.stream(line.split("\t", -1)).map(Float::parseFloat))
                  .hasSize(width)
                  .allMatch(Float::isFinite));
      assertThat(vertices).isEqualTo(VERTICES);
      return metadata.stream().skip(1).map(line -> List.of(line.split("\t", -1))).toList();
    }
  }

  private Shown shown(String flags) {
    return Shown.of(train("--json " + flags), "run_folder");
  }

  @Test
  void aRunIsShown() throws IOException {
    Shown shown = shown("--hidden 8 --epochs 6 --evaluate-every 6");
    EventFiles events = shown.assertComplete();
    assertThat(events.hparam("hidden").getNumberValue()).isEqualTo(8);
    assertThat(events.hparam("model").getStringValue()).isEqualTo("gcn");
    Map<String, Float> last = events.scalarsOf(6L);
    assertThat(last.keySet()).contains("accuracy/validation", "training/peak_rss_bytes");
    for (String part : List.of("train", "validation", "test")) {
      // Only the last epoch was evaluated, so that its weights are those of the model.
      assertThat(last.get("final/accuracy/" + part)).isEqualTo(last.get("accuracy/" + part));
    }
    assertHistogramsOf(GraphModel.open(shown.run), events);
    assertClasses(shown, last.getOrDefault("final/accuracy/test", -1f));
  }

  private static void assertHistogramsOf(GraphModel model, EventFiles events) {
    assertThat(events.histograms().keySet()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L);
    Map<String, HistogramProto> last = events.histogramsOf(6);
    assertThat(last).hasSameSizeAs(model.values().keySet());
    model
        .values()
        .forEach((name, tensor) -> {
          float[] weights = tensor.data().toArray(ValueLayout.JAVA_FLOAT);
          HistogramProto found = Objects.requireNonNull(last.get("weights/" + name), name);
          double[] sorted = new double[weights.length];
          Arrays.setAll(sorted, i -> weights[i]);
          assertThat(found.getSum()).isEqualTo(sumInOrder(sorted));
          Arrays.sort(sorted);
          assertThat(found.getNum()).isEqualTo(weights.length);
          assertThat(found.getMin()).isEqualTo(sorted[0]);
          assertThat(found.getMax()).isEqualTo(sorted[sorted.length - 1]);
        });
  }

  private static double sumInOrder(double... values) {
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum;
  }

  private static void assertClasses(Shown shown, float accuracy) throws IOException {
    List<List<String>> cells =
        shown.assertVectors(8, "vertex", "degree", "known", "predicted", "part");
    assertThat(cells.getFirst().subList(0, 2)).containsExactly("0", "2");
    double right = 0;
    double tested = 0;
    for (List<String> row : cells) {
      boolean test = row.get(4).equals("test");
      tested += test ? 1 : 0;
      right += test && row.get(2).equals(row.get(3)) ? 1 : 0;
    }
    assertThat((float) (right / tested)).isEqualTo(accuracy);
  }

  @Test
  void aModelOfEdgesIsShown() throws IOException {
    Shown shown = shown("--task links --dropout 0 --embedding 6 --hidden 8 --epochs 3");
    EventFiles events = shown.assertComplete();
    assertThat(events.scalarsOf(3L))
        .containsKeys("mrr/test", "hits_10/validation", "final/mrr/test");
    shown.assertVectors(6, "vertex", "degree");
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--mode minibatch --batch 10 --model sage --sampler sage --fanout 4,4",
        "--mode minibatch --batch 10 --ranks 2 --remote historical",
        "--ranks 2"
      })
  void theFirstRankWrites(String flags) throws IOException {
    Shown shown = shown("--hidden 8 --epochs 3 " + flags);
    EventFiles events = shown.assertComplete();
    assertThat(events.scalars().keySet()).containsExactly(1L, 2L, 3L);
    assertThat(events.histograms().keySet()).containsExactly(1L, 2L, 3L);
    shown.assertVectors(8, "vertex", "degree", "known", "predicted", "part");
    assertThat(EventFiles.files(shown.board)).hasSize(2);
  }

  private Cli prune(String flags) throws IOException {
    Path text = folder.resolve("words.txt");
    Files.writeString(text, "pruned networks keep what survives\n".repeat(20));
    String command =
        "prune train -q --data %s --runs %s --tensorboard %s --model gpt-tiny --width 8 --heads 1 --length 4"
                .formatted(text, folder.resolve("runs"), folder.resolve("board"))
            + " --batch 4 --microbatch 2 --evaluate-samples 4 --criterion per-layer --json ";
    return Cli.run((command + flags).split(" "));
  }

  @Tag("slow")
  @Test
  void aPrunedNetworkIsShown() throws IOException {
    Cli cli =
        prune("--iterations 4 --ranks 2 --inter 2 --sparsity 0.9 --prune one-shot --prune-at 2");
    Shown shown = Shown.of(cli, "run");
    EventFiles events = shown.assertComplete();
    assertThat(events.scalarsOf(4L))
        .containsKeys("training/sparsity", "training/gradient_norm", "perplexity/validation")
        .containsEntry(
            "final/loss/validation", (float) cli.json().get("validation_loss").asDouble());
    assertThat(weights(events, 4)).isEqualTo(cli.json().get("kept").asLong());
    assertThat(weights(events, 2)).isEqualTo(cli.json().get("parameters").asLong());
    assertThat(only(folder.resolve("board"))).isEqualTo(shown.board);
  }

  /// The one file or folder that is in a folder.
  private static Path only(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      List<Path> found = all.toList();
      assertThat(found).hasSize(1);
      return found.getFirst();
    }
  }

  private static long weights(EventFiles events, long step) throws IOException {
    return events.histogramsOf(step).values().stream()
        .mapToLong(each -> (long) each.getNum())
        .sum();
  }

  /// As after a crash: the folder of the run is as it was at an earlier checkpoint.
  @Test
  void aResumedRunShowsNoStepTwice() throws IOException {
    Shown first = shown("--hidden 8 --epochs 4 --checkpoint-every 4");
    Path kept = folder.resolve("kept");
    Folders.copy(first.run, kept);
    String resumed = "--hidden 8 --epochs 7 --checkpoint-every 3 --resume " + first.run;
    assertThat(shown(resumed)).isEqualTo(first);
    Folders.delete(first.run);
    Folders.copy(kept, first.run);
    assertThat(shown(resumed)).isEqualTo(first);
    assertThat(EventFiles.files(first.board)).hasSize(3 + 1);
    EventFiles events = first.events();
    events.assertAsIn(first.run.resolve("metrics.jsonl"));
    assertThat(events.scalars().keySet()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L);
    assertThat(events.histograms().keySet()).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L);
    assertThat(events.dropped()).isNotEmpty();
    first.assertVectors(8, "vertex", "degree", "known", "predicted", "part");
  }

  @Tag("slow")
  @Test
  void aRunThatIsCompleteIsShownAfterwards() throws IOException {
    Cli plain =
        Cli.run(
            "train -q --json --data %s --runs %s --hidden 8 --epochs 3 --checkpoint-every 3"
                .formatted(shared.resolve("data"), folder.resolve("runs"))
                .split(" "));
    assertThat(plain.status()).as(plain.err()).isZero();
    Shown shown = shown("--resume " + plain.json().get("run_folder").asString());
    assertThat(shown.assertComplete().scalarsOf(3L)).containsKey("final/accuracy/test");
  }

  @Test
  void aRunThatFailsLeavesWhatItHasDone() throws IOException {
    Cli cli = train("--hidden 8 --epochs 50 --lr 1e38 --optimizer sgd");
    assertThat(cli.status()).as(cli.err()).isEqualTo(Failures.DIVERGED);
    Path run = only(folder.resolve("runs"));
    EventFiles events = EventFiles.read(folder.resolve("board").resolve(run.getFileName()));
    events.assertAsIn(run.resolve("metrics.jsonl"));
    assertThat(RunMetrics.read(run.resolve("metrics.jsonl")).steps()).isNotEmpty();
    assertThat(events.ends()).containsExactly(2L);
  }

  /// A network without hidden layer has no vectors.
  @Tag("slow")
  @Test
  void theFolderIsPrinted() throws IOException {
    Cli cli = train("--layers 1 --epochs 2");
    assertThat(cli.status()).as(cli.err()).isZero();
    Path run = only(folder.resolve("runs")).getFileName();
    Path board = folder.resolve("board");
    assertThat(cli.out().lines())
        .contains(
            "board    %s, shown by: tensorboard --logdir %s".formatted(board.resolve(run), board));
    assertThat(EventFiles.read(board.resolve(run)).ends()).containsExactly(1L);
    assertThat(board.resolve(run).resolve("tensors.tsv")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"train", "prune train"})
  void whatCannotBeWrittenIsRefusedBeforehand(String command) throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "mine");
    for (Path board : List.of(file, file.resolve("board"))) {
      Cli cli =
          Cli.run(
              "%s --tensorboard %s --runs %s"
                  .formatted(command, board, folder.resolve("runs"))
                  .split(" "));
      assertThat(cli.status()).isEqualTo(2);
      assertThat(cli.err().lines()).hasSize(1).first().asString().contains(file.toString());
      assertThat(folder.resolve("runs")).doesNotExist();
      assertThat(file).hasContent("mine");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"train", "prune train"})
  void aDryRunIsNotShown(String command) {
    Cli cli = Cli.run((command + " --dry-run --tensorboard " + folder.resolve("board")).split(" "));
    assertThat(cli.status()).isEqualTo(2);
    assertThat(cli.err().strip())
        .isEqualTo(
            "gossamer: --tensorboard: expected a run that trains, found --dry-run; leave one of them out");
    assertThat(folder.resolve("board")).doesNotExist();
  }
}
