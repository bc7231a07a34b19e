package dev.gossamer.cli.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.threads.ThreadOptions;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.ClusterFile;
import dev.gossamer.planner.LinkRates;
import dev.gossamer.planner.MeasuredRates;
import dev.gossamer.planner.RateTable;
import dev.gossamer.planner.Work;
import dev.gossamer.planner.calibration.Calibration;
import dev.gossamer.planner.calibration.LinkTimes;
import dev.gossamer.run.RankLaunch;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// What becomes of a calibration; measuring has tests of its own.
class CalibrateTest {
  private static final LinkRates SINGLE = new LinkRates(1e-6, 8e9);
  private static final LinkRates EXCHANGE = new LinkRates(2e-6, 4e9);
  private static final LinkTimes TIMES = new LinkTimes(SINGLE, EXCHANGE);

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();

  @Command(name = "plan")
  private static final class Plan {}

  private CommandSpec spec() {
    CommandLine line = new CommandLine(new Plan());
    line.setOut(new PrintWriter(out, true));
    return line.getCommandSpec();
  }

  private static MeasuredRates rates(double seconds) {
    Map<Work, RateTable> tables = new EnumMap<>(Work.class);
    for (Work work : Work.values()) {
      tables.put(
          work,
          new RateTable(
              List.of(
                  new RateTable.Point(
                      Collections.nCopies(work.sizes(), 16), seconds, seconds / 2))));
    }
    return new MeasuredRates(2, tables);
  }

  private static Calibration machine() {
    return new Calibration(
        new Cluster(1, 2, 2, 4L << 30, EXCHANGE, EXCHANGE, rates(1e-9)), TIMES, Optional.empty());
  }

  @Test
  void writesAndPrintsATable() {
    Path file = folder.resolve("cluster.yaml");
    new Calibrate(spec(), new CommonOptions(), file).write(machine(), false);
    assertThat(ClusterFile.read(file, () -> rates(1))).isEqualTo(machine().cluster());
    assertThat(out.toString().lines())
        .contains(
            "1 node of 2 cores and 4.00 GiB, 2 ranks on each",
            "inside a node, one at a time  1 us     8 GB/s",
            "inside a node, all with all   2 us     4 GB/s",
            "16 x 16                   2 GFLOP/s  4 GFLOP/s",
            "written  " + file);
  }

  @Test
  void printsJson() {
    Path file = folder.resolve("cluster.yaml");
    CommonOptions common = new CommonOptions();
    common.json = true;
    Calibration cluster =
        new Calibration(
            new Cluster(2, 2, 2, 4L << 30, EXCHANGE, SINGLE, rates(1e-9)),
            TIMES,
            Optional.of(TIMES));
    new Calibrate(spec(), common, file).write(cluster, true);
    JsonNode node = JsonMapper.shared().readTree(out.toString());
    assertThat(node.get("schema_version").intValue()).isEqualTo(1);
    assertThat(node.get("memory_per_node_bytes").longValue()).isEqualTo(4L << 30);
    assertThat(node.get("between").get("latency_seconds").doubleValue()).isEqualTo(2e-6);
    assertThat(node.get("between").get("single_bandwidth_bytes_per_second").doubleValue())
        .isEqualTo(8e9);
    JsonNode point = node.get("rates").get("matmul_ragged").get(0);
    assertThat(point.get("sizes")).hasSize(2);
    assertThat(point.get("all_threads_seconds").doubleValue()).isEqualTo(0.5e-9);
  }

  @Test
  void keepsWhatOneMachineCannotMeasure() {
    Path file = folder.resolve("cluster.yaml");
    LinkRates slow = new LinkRates(30e-6, 1e9);
    ClusterFile.write(file, new Cluster(16, 4, 8, 64L << 30, SINGLE, slow, rates(1e-6)));
    new Calibrate(spec(), new CommonOptions(), file).write(machine(), false);
    assertThat(ClusterFile.read(file, () -> rates(1)))
        .isEqualTo(new Cluster(16, 4, 8, 64L << 30, SINGLE, slow, rates(1e-9)));
    new Calibrate(spec(), new CommonOptions(), file).write(machine(), true);
    assertThat(ClusterFile.read(file, () -> rates(1))).isEqualTo(machine().cluster());
  }

  @Test
  void replacesNothingElse() throws IOException {
    Path file = Files.writeString(folder.resolve("config.yaml"), "hidden: 64\n");
    RankLaunch launch = RankLaunch.of(1);
    assertThatThrownBy(() -> Calibrate.run(spec(), new CommonOptions(), launch, file))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("--calibrate: expected a new file or one of a cluster to replace")
        .hasMessageContaining("found another file");
    assertThat(file).hasContent("hidden: 64\n");
  }

  /// As the first of two processes, which cannot measure anything here: there is no second one.
  private static RankLaunch launched() {
    LaunchEnvironment environment =
        LaunchEnvironment.detect(Map.of("OMPI_COMM_WORLD_RANK", "0", "OMPI_COMM_WORLD_SIZE", "2"));
    return RankLaunch.of(environment, 1, ThreadOptions.DEFAULT, MpiOptions.DEFAULT);
  }

  @Test
  void writesBeforeItMeasures() throws IOException {
    RankLaunch launch = launched();
    Path below = Files.writeString(folder.resolve("file"), "").resolve("cluster.yaml");
    for (Path file : List.of(below, folder.resolve("x".repeat(300)))) {
      assertThatThrownBy(() -> Calibrate.run(spec(), new CommonOptions(), launch, file))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith(file + ": cannot write: ");
    }
  }

  @Test
  void needsAFileUnderALauncher() {
    RankLaunch launch = launched();
    assertThatThrownBy(() -> Calibrate.run(spec(), new CommonOptions(), launch, null))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("expected a file to write under a launcher");
  }
}
