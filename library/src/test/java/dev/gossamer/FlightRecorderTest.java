package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.gnn.historical.HistoricalSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.RunTraffic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What JDK Flight Recorder shows of a training is what the training says of itself.
class FlightRecorderTest {
  private static final List<String> EVENTS =
      List.of(
          "dev.gossamer.Phase",
          "dev.gossamer.Exchange",
          "dev.gossamer.Sampling",
          "dev.gossamer.Eviction");

  @TempDir Path folder;

  /// Events by name.
  private Map<String, List<RecordedEvent>> recorded(Runnable work) throws IOException {
    Path file = folder.resolve("events.jfr");
    try (Recording recording = new Recording()) {
      EVENTS.forEach(name -> recording.enable(name).withoutThreshold());
      recording.start();
      work.run();
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file).stream()
        .collect(Collectors.groupingBy(event -> event.getEventType().getName()));
  }

  private static double seconds(List<RecordedEvent> events, Phase phase) {
    return events.stream()
        .filter(event -> event.getString("phase").equals(phase.label()))
        .mapToDouble(event -> event.getDuration().toNanos() / 1e9)
        .sum();
  }

  @Tag("slow")
  @Test
  void exchangesAreTheOperationsOfTheTraffic() throws IOException {
    try (Dataset dataset = ExampleGraphs.dense(90, 1)) {
      Map<String, List<RecordedEvent>> events =
          recorded(
              () -> ExampleGraphs.training(dataset).gcn(6).epochs(3).ranks(3).folder(folder).run());
      List<RecordedEvent> exchanges = events.getOrDefault("dev.gossamer.Exchange", List.of());
      RunTraffic traffic = RunTraffic.read(run().traffic());
      // The file itself is the last that ranks exchange.
      assertThat(exchanges.stream().mapToLong(event -> event.getLong("sent")).sum())
          .isGreaterThan(Arrays.stream(traffic.sent()).sum());
      assertThat(exchanges.stream().map(event -> event.getString("operation")))
          .containsAll(traffic.byOperation().keySet());
      assertThat(events).doesNotContainKey("dev.gossamer.Sampling");
    }
  }

  @Tag("slow")
  @Test
  void evictionsAreThoseOfEmbeddings() throws IOException {
    try (Dataset dataset = ExampleGraphs.dense(90, 1)) {
      Map<String, List<RecordedEvent>> events =
          recorded(() ->
              ExampleGraphs.training(dataset)
                  .sage(6)
                  .minibatches(
                      MinibatchSettings.of(Sampler.sage(5, 5))
                          .withBatchSize(8)
                          .withOwnBatches(HistoricalSettings.DEFAULT.withLife(2)))
                  .epochs(4)
                  .ranks(2)
                  .run());
      List<RecordedEvent> evictions = events.getOrDefault("dev.gossamer.Eviction", List.of());
      assertThat(evictions).isNotEmpty();
      for (RecordedEvent each : evictions) {
        assertThat(each.getInt("layer")).isEqualTo(2);
        assertThat(each.getLong("expired")).isBetween(1L, 90L);
        assertThat(each.getLong("replaced")).isZero();
        assertThat(each.getLong("kept")).isBetween(0L, 90L);
      }
    }
  }

  private RunFolder run() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(Files::isDirectory).map(RunFolder::new).findFirst().orElseThrow();
    }
  }

  @Test
  void phasesAreThoseOfTheEpochs() throws IOException {
    try (Dataset dataset = ExampleGraphs.dense(90, 1)) {
      double[] matmul = {0};
      Map<String, List<RecordedEvent>> events =
          recorded(() ->
              ExampleGraphs.training(dataset)
                  .sage(6)
                  .minibatches(MinibatchSettings.of(Sampler.sage(3, 3)).withBatchSize(8))
                  .epochs(3)
                  .onEpoch(record -> matmul[0] += measured(record))
                  .run());
      List<RecordedEvent> phases = events.getOrDefault("dev.gossamer.Phase", List.of());
      // An event begins before its clock does and ends after it; evaluations have phases, too.
      assertThat(seconds(phases, Phase.MATMUL)).isGreaterThan(matmul[0]);
      assertThat(phases.stream().map(event -> event.getString("phase")))
          .isSubsetOf(Arrays.stream(Phase.values()).map(Phase::label).toList());
      assertThat(
              events.getOrDefault("dev.gossamer.Sampling", List.of()).stream()
                  .map(event -> event.getString("step")))
          .contains("probability", "sampling", "extraction");
    }
  }

  private static double measured(EpochRecord record) {
    return record.phases().getOrDefault(Phase.MATMUL, 0.0);
  }
}
