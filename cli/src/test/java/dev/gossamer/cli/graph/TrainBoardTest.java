package dev.gossamer.cli.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.Dataset;
import dev.gossamer.GraphTraining;
import dev.gossamer.RunOutput;
import dev.gossamer.StopSignal;
import dev.gossamer.TrainingListener;
import dev.gossamer.TrainingResult;
import dev.gossamer.cli.settings.ConfigFile;
import dev.gossamer.cli.tensorboard.Board;
import dev.gossamer.cli.tensorboard.EventFiles;
import dev.gossamer.cli.tensorboard.TensorBoardOptions;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.run.EpochRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class TrainBoardTest {
  private static final int EPOCHS = 4;

  @TempDir Path folder = Path.of("");

  /// Trains on a path of four vertices, and returns whether the run is complete.
  ///
  /// @param last epoch after which it is told to stop
  private boolean train(GraphTraining training, int last) {
    Path parent = folder.resolve("board");
    TensorBoardOptions options =
        CommandLine.populateCommand(new TensorBoardOptions(), "--tensorboard", parent.toString());
    StopSignal stop = new StopSignal();
    try (Board board = Objects.requireNonNull(options.open(true, EPOCHS))) {
      TrainBoard shown = new TrainBoard(board);
      TrainingResult result =
          training
              .listener(
                  shown.and(
                      new TrainingListener() {
                        @Override
                        public void epoch(EpochRecord record) {
                          if (record.epoch() == last) {
                            stop.request();
                          }
                        }
                      }))
              .stopOn(stop)
              .train();
      return shown.end(result);
    }
  }

  private EventFiles events(Path run) throws IOException {
    return EventFiles.read(folder.resolve("board").resolve(run.getFileName()));
  }

  @Test
  void anInterruptedRunEndsWithoutSuccess() throws IOException {
    GraphData data =
        GraphData.builder(4)
            .edges(new int[] {0, 1, 2}, new int[] {1, 2, 3})
            .features(new float[][] {{1, 0}, {0, 1}, {1, 1}, {0, 0}})
            .labels(new int[] {0, 1, 0, 1})
            .split(Split.TRAIN, Split.TRAIN, Split.VALIDATION, Split.TEST)
            .build();
    Path runs = folder.resolve("runs");
    try (Dataset dataset = Dataset.of(data)) {
      GraphTraining training = GraphTraining.on(dataset).gcn(2).epochs(EPOCHS);
      RunOutput output =
          RunOutput.in(runs)
              .withPrepared(
                  (run, _) -> ConfigFile.write(run.config(), Map.of("seed", 0), List.of()));
      assertThat(train(training.output(output), 2)).isFalse();
      Path run = Objects.requireNonNull(runs.toFile().listFiles())[0].toPath();
      EventFiles events = events(run);
      events.assertAsIn(run.resolve("metrics.jsonl"));
      assertThat(events.ends()).containsExactly(0L);
      assertThat(train(training.resume(run), EPOCHS + 1)).isTrue();
      assertThat(events(run).ends()).containsExactly(1L);
    }
  }
}
