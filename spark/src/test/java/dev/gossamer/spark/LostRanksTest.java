package dev.gossamer.spark;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What happens when a rank's process or an executor is killed, and when the driver cancels.
@Tag("endurance")
class LostRanksTest {
  private static final int EPOCHS = 4000;

  private static SparkSession spark;
  private static Dataset<Row> vertices;
  private static Dataset<Row> edges;
  private static byte[] undisturbed;

  @TempDir private Path folder;

  @BeforeAll
  static void start() {
    spark = Cluster.start();
    vertices = Cluster.vertices(spark).cache();
    edges = Cluster.edges(spark).cache();
    undisturbed = classifier().fit(vertices).modelFile();
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  private static GraphClassifier classifier() {
    return new GraphClassifier()
        .setEdges(edges)
        .setRanks(2)
        .setting("epochs", EPOCHS)
        .setting("checkpointEvery", 100)
        .setting("evaluateEvery", 100);
  }

  /// Starts a training, and returns when its first checkpoint is in the folder.
  private CompletableFuture<byte[]> begun() throws Exception {
    CompletableFuture<byte[]> model =
        CompletableFuture.supplyAsync(
            () -> classifier().setFolder(folder.toString()).fit(vertices).modelFile());
    while (!find("manifest.json")) {
      try {
        model.get(100, MILLISECONDS);
        throw new AssertionError(
            "expected a training that is still running, found one that has ended");
      } catch (TimeoutException e) {
        // It has not come to a checkpoint.
      }
    }
    return model;
  }

  private boolean find(String name) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.anyMatch(file -> file.endsWith(name));
    }
  }

  /// The processes of the ranks, which are children of executors, children of this process.
  private static List<ProcessHandle> ranks() {
    return ProcessHandle.current()
        .descendants()
        .filter(each -> each.info().commandLine().orElse("").contains("RankProcess train"))
        .toList();
  }

  @Test
  void aKilledRankResumesFromItsCheckpointWithTheSameBits() throws Exception {
    CompletableFuture<byte[]> model = begun();

    ranks().getFirst().destroyForcibly();

    assertThat(model.get(4, MINUTES)).isEqualTo(undisturbed);
  }

  @Test
  void aKilledExecutorIsReplacedAndTheRunResumesWithTheSameBits() throws Exception {
    CompletableFuture<byte[]> model = begun();

    ranks().getFirst().parent().get().destroyForcibly();

    assertThat(model.get(4, MINUTES)).isEqualTo(undisturbed);
  }

  @Test
  void cancellingEndsAllProcesses() throws Exception {
    CompletableFuture<byte[]> model = begun();
    List<ProcessHandle> ranks = ranks();
    assertThat(ranks).hasSize(2);

    spark.sparkContext().cancelAllJobs();

    assertThatThrownBy(() -> model.get(4, MINUTES)).hasMessageContaining("cancel");
    for (ProcessHandle rank : ranks) {
      rank.onExit().get(4, MINUTES);
    }
  }
}
