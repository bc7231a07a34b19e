package dev.gossamer.spark;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
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
  private static final int TRAININGS = 3;
  private static final int MOST_MILLIS = 6000;

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
    Main.endSession();
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
      pause(model, 100);
      assertThat(model.isDone()).as("it has ended before").isFalse();
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

  /// Kills ranks and executors at moments that follow from `endurance.seed`, three in a training.
  @Test
  void killsAtRandomMomentsChangeNothing() throws Exception {
    Random random = new Random(Long.getLong("endurance.seed", 1));
    for (int training = 0; training < TRAININGS; training++) {
      CompletableFuture<byte[]> model =
          CompletableFuture.supplyAsync(() -> classifier().fit(vertices).modelFile());
      for (int kill = 0; kill < 3; kill++) {
        awaitRanks(model);
        pause(model, random.nextInt(MOST_MILLIS));
        List<ProcessHandle> ranks = ranks();
        if (!ranks.isEmpty()) {
          ProcessHandle rank = ranks.get(random.nextInt(ranks.size()));
          (random.nextBoolean() ? rank : rank.parent().get()).destroyForcibly();
        }
      }
      assertThat(model.get(10, MINUTES)).as("training %d", training).isEqualTo(undisturbed);
    }
  }

  private static void awaitRanks(CompletableFuture<byte[]> model) throws Exception {
    while (ranks().size() < 2 && !model.isDone()) {
      pause(model, 100);
    }
  }

  /// Waits, unless the training ends before.
  private static void pause(CompletableFuture<byte[]> model, int millis) throws Exception {
    try {
      model.get(millis, MILLISECONDS);
    } catch (TimeoutException e) {
      // It goes on.
    }
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
