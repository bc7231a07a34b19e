package dev.gossamer.planner.calibration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.comm.RankFailedException;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.cache.CacheListener;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.ClusterFile;
import dev.gossamer.planner.LinkRates;
import dev.gossamer.planner.SampleRates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CalibrationTest {
  @TempDir private Path folder;

  @Test
  void takesWhatIsKept() {
    Path file = folder.resolve("kept.yaml");
    LinkRates link = new LinkRates(1e-6, 1e9);
    Cluster cluster = new Cluster(1, 4, 4, 1 << 30, link, link, SampleRates.of());
    ClusterFile.write(file, cluster);
    assertThat(Calibration.kept(file, CacheListener.SILENT)).isEqualTo(cluster);
  }

  @Test
  void keepsItInTheCacheOfTheUser() {
    assertThat(Calibration.keptFile().getFileName().toString())
        .matches("calibration-[0-9a-f]{16}\\.yaml");
    assertThat(Calibration.keptFile()).isEqualTo(Calibration.keptFile());
  }

  @Test
  void needsAsManyRanksOnEachNode() {
    assertThatThrownBy(() ->
            ThreadRanks.run(
                3,
                ranks ->
                    Calibration.ofRanks(
                        ranks, ranks.rank() < 2 ? "a" : "b", Effort.QUICK, Progress.SILENT)))
        .isInstanceOf(RankFailedException.class)
        .hasCauseInstanceOf(InvalidInputException.class)
        .hasMessageContaining("expected as many ranks on each node");
  }

  @Test
  void measuresMessages() {
    List<LinkTimes> measured = new CopyOnWriteArrayList<>();
    ThreadRanks.run(3, ranks -> measured.add(LinkTimes.measured(ranks, Effort.QUICK)));
    assertThat(measured).hasSize(3).containsOnly(measured.getFirst());
    for (LinkRates link : List.of(measured.getFirst().single(), measured.getFirst().exchange())) {
      assertThat(link.latency()).isPositive().isFinite();
      assertThat(link.bandwidth()).isPositive().isFinite();
    }
  }

  @Test
  @Tag("slow")
  void measuresAndKeepsThisMachine() throws IOException {
    Path file = folder.resolve("cache").resolve("kept.yaml");
    List<String> heard = new ArrayList<>();
    CacheListener listener =
        new CacheListener() {
          @Override
          public void at(String label, long done, long total) {
            heard.add(label);
          }

          @Override
          public void damaged(Path damaged, String why) {
            heard.add(why);
          }
        };
    List<String> heardByOther = Collections.synchronizedList(new ArrayList<>());
    CompletableFuture<Cluster> other =
        CompletableFuture.supplyAsync(
            () -> Calibration.kept(file, (label, _, _) -> heardByOther.add(label)));
    Cluster measured = Calibration.kept(file, listener);
    assertThat(other.join()).isEqualTo(measured);
    assertThat(heard.isEmpty()).isNotEqualTo(heardByOther.isEmpty());
    heard.addAll(heardByOther);
    assertThat(heard).contains("generating graphs", "measuring kernels");
    heard.clear();
    assertThat(Calibration.kept(file, listener)).isEqualTo(measured);
    assertThat(heard).isEmpty();
    Files.writeString(file, "nodes: 0\n");
    Calibration.kept(file, listener);
    assertThat(heard.getFirst()).contains("nodes: expected a whole number of at least 1, found 0");
    assertThat(Calibration.kept(file, CacheListener.SILENT).nodes()).isEqualTo(1);
  }

  /// A cache that cannot be written: its folder is a file.
  @Test
  @Tag("endurance")
  void measuresWithoutKeeping() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "").resolve("kept.yaml");
    List<String> heard = new ArrayList<>();
    CacheListener listener =
        new CacheListener() {
          @Override
          public void at(String label, long done, long total) {}

          @Override
          public void notKept(String name, String why) {
            heard.add(name);
          }
        };
    assertThat(Calibration.kept(file, listener).rates().stream(1e6, 1)).isPositive();
    assertThat(heard).containsExactly("the calibration");
  }
}
