package dev.gossamer.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.cli.Cli;
import dev.gossamer.cli.report.WatchedRun.State;
import dev.gossamer.run.MetricsFile;
import dev.gossamer.run.RunEstimate;
import dev.gossamer.run.RunMetrics;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class WatchCommandTest {
  private static final String STEPS =
      """
      {"epoch":1,"loss":2.0,"seconds":0.5,"phase_seconds":{"spmm":0.3,"other":0.1},"train":{"accuracy":0.4,"micro_f1":0.4},"validation":{"accuracy":0.25,"micro_f1":0.25}}
      {"epoch":2,"loss":1.0,"seconds":0.1,"phase_seconds":{"spmm":0.06,"other":0.14}}
      {"epoch":3,"loss":1.5,"seconds":0.3,"peak_rss_bytes":3145728,"phase_seconds":{"spmm":0.0,"other":0.0}}
      """;

  @TempDir Path runs = Path.of("");

  private Path run = Path.of("");

  @BeforeEach
  void runSomeSteps() throws IOException {
    run = Files.createDirectory(runs.resolve("20260131-101500-grid"));
    Files.writeString(run.resolve("config.yaml"), "data: grid\nepochs: 200\n");
    Files.writeString(run.resolve("metrics.jsonl"), STEPS);
    new RunEstimate(
            MemoryEstimate.builder().add("weights", 4 << 20).add("rows", 1 << 20).build(),
            Map.of("spmm", 0.125, "other", 0.25))
        .write(run.resolve("plan.json"));
  }

  private static Cli ok(String... arguments) {
    Cli cli = Cli.run(arguments);
    assertThat(cli.status()).as(cli.err()).isZero();
    return cli;
  }

  @Test
  void aStoppedRunIsShownAsItIs() {
    assertThat(ok("watch", run.toString(), "-q").out().lines())
        .containsExactly(
            "run      20260131-101500-grid, stopped before its end",
            "steps    3 of 200 epochs",
            "loss     1.5000  █▁▅",
            "seconds  0.3000 per epoch (0.3750 planned): spmm 60 %, other 40 %",
            "memory   3.00 MiB peak, 5.00 MiB estimated",
            "epoch 1     accuracy",
            "train         0.4000",
            "validation    0.2500");
  }

  @Test
  void theNewestRunIsChosen() throws IOException {
    Path older = Files.createDirectory(runs.resolve("20991231-101500-older"));
    Path config = Files.writeString(older.resolve("config.yaml"), "data: grid\nepochs: 10\n");
    Files.setLastModifiedTime(config, FileTime.fromMillis(1000));
    Files.createDirectory(runs.resolve("no-run"));
    JsonNode found = ok("watch", "--once", "--json", "--runs", runs.toString()).json();
    assertThat(found.get("run").asString()).isEqualTo(run.getFileName().toString());
    assertThat(found.get("state").asString()).isEqualTo("stopped");
    assertThat(found.get("done").asInt()).isEqualTo(3);
    assertThat(found.get("total").asInt()).isEqualTo(200);
    assertThat(found.get("seconds_median").asDouble()).isEqualTo(0.3);
    assertThat(found.get("phase_seconds").get("other").asDouble()).isEqualTo(0.1 + 0.14);
    assertThat(found.get("peak_rss_bytes").asLong()).isEqualTo(3 << 20);
    assertThat(found.get("estimated_bytes").asLong()).isEqualTo(5 << 20);
    assertThat(found.get("planned_seconds").asDouble()).isEqualTo(0.375);
    assertThat(found.get("scored").asInt()).isEqualTo(1);
    assertThat(found.get("validation_accuracy").asDouble()).isEqualTo(0.25);
    assertThat(WatchedRun.newest(runs)).isEqualTo(run);
    Files.setLastModifiedTime(run.resolve("metrics.jsonl"), FileTime.fromMillis(500));
    assertThat(WatchedRun.newest(runs)).isEqualTo(older);
  }

  @Test
  void theStateFollowsFromTheFiles() throws IOException {
    assertThat(WatchedRun.read(run).state()).isEqualTo(State.STOPPED);
    try (MetricsFile _ = MetricsFile.open(run.resolve("metrics.jsonl"), 3)) {
      assertThat(WatchedRun.read(run).state()).isEqualTo(State.RUNNING);
    }
    Files.createDirectory(run.resolve("checkpoint"));
    Files.writeString(
        run.resolve("checkpoint/manifest.json"), "{\"progress\":{\"epoch\":3,\"bestEpoch\":1}}");
    Path model = Files.createFile(run.resolve("model.safetensors"));
    assertThat(WatchedRun.read(run).state()).isEqualTo(State.FINISHED);
    // The model of a run that was resumed.
    Files.setLastModifiedTime(model, FileTime.fromMillis(1000));
    assertThat(WatchedRun.read(run).state()).isEqualTo(State.STOPPED);
    Files.delete(run.resolve("metrics.jsonl"));
    WatchedRun begun = WatchedRun.read(run);
    assertThat(begun.state()).isEqualTo(State.PREPARING);
    assertThat(begun.done()).isZero();
    assertThat(ok("watch", run.toString(), "--once").out().lines())
        .containsExactly(
            "run      20260131-101500-grid, before its first step", "steps    0 of 200 epochs");
  }

  private static WatchedRun in(State state) {
    ReportedRun run =
        new ReportedRun("a", Map.of(), new RunMetrics(List.of()), 0, null, null, null, null, null);
    return new WatchedRun(run, state);
  }

  private static List<State> shown(State... states) throws InterruptedException {
    Iterator<State> next = Arrays.asList(states).iterator();
    List<State> shown = new ArrayList<>();
    WatchedRun last =
        RunWatch.last(
            in(next.next()), () -> in(next.next()), now -> shown.add(now.state()), _ -> {});
    shown.add(last.state());
    assertThat(next.hasNext()).isFalse();
    return shown;
  }

  @Test
  void watchingEndsWithTheTraining() throws InterruptedException {
    State[] finished = {
      State.PREPARING, State.RUNNING, State.RUNNING, State.STOPPED, State.FINISHED
    };
    assertThat(shown(finished)).containsExactly(finished);
    assertThat(shown(State.STOPPED)).containsExactly(State.STOPPED);
    // Killed: its model is waited for, but not for ever; a resume in time is seen.
    List<State> killed = new ArrayList<>(List.of(State.RUNNING, State.STOPPED, State.RUNNING));
    for (int pause = 0; pause <= RunWatch.LAST_WORK; pause++) {
      killed.add(State.STOPPED);
    }
    assertThat(shown(killed.toArray(State[]::new))).isEqualTo(killed);
  }

  @Test
  void browsersGetTheReportByItsToken() throws Exception {
    InetSocketAddress free = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (PageServer server = new PageServer(free, () -> "<p>" + WatchedRun.read(run).done());
        HttpClient browser = HttpClient.newHttpClient()) {
      HttpResponse<String> page = get(browser, server.url());
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.body()).isEqualTo("<p>3");
      assertThat(page.headers().map()).containsKeys("refresh", "content-security-policy");
      String wrong = server.url().replaceFirst("[0-9a-f]/$", "x/");
      assertThat(get(browser, wrong).statusCode()).isEqualTo(404);
      assertThat(get(browser, server.url() + "../").statusCode()).isEqualTo(404);
      HttpRequest put =
          HttpRequest.newBuilder(URI.create(server.url()))
              .POST(HttpRequest.BodyPublishers.ofString("x"))
              .build();
      HttpResponse<String> refused = browser.send(put, HttpResponse.BodyHandlers.ofString());
      assertThat(refused.statusCode()).isEqualTo(405);
      // What is damaged now may be whole when the browser asks again.
      Files.writeString(run.resolve("metrics.jsonl"), "{}\n");
      HttpResponse<String> damaged = get(browser, server.url());
      assertThat(damaged.statusCode()).isEqualTo(503);
      assertThat(damaged.body()).contains("metrics.jsonl: line 1: expected");
      assertThat(damaged.headers().map()).containsKey("refresh");
      Files.writeString(run.resolve("metrics.jsonl"), STEPS);
      assertThat(get(browser, server.url()).statusCode()).isEqualTo(200);
    }
  }

  private static HttpResponse<String> get(HttpClient browser, String url) throws Exception {
    return browser.send(
        HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"::", "x:y", ":65536", "a b:1", ":-1"})
  void addressesThatAreNoneAreRefused(String address) {
    Cli cli = Cli.run("watch", run.toString(), "--once", "--serve", address);
    assertThat(cli.status()).isEqualTo(2);
    assertThat(cli.err()).startsWith("gossamer: --serve: expected ").contains("found '" + address);
  }

  @Test
  void whereThereIsNoRunNothingIsWatched() {
    Cli none = Cli.run("watch", "--runs", runs.resolve("none").toString());
    assertThat(none.status()).isEqualTo(2);
    assertThat(none.err())
        .isEqualToIgnoringNewLines(
            "gossamer: %s: expected a folder of runs, found none; name the run, or its folder with --runs"
                .formatted(runs.resolve("none")));
    Cli empty = Cli.run("watch", "--runs", run.toString());
    assertThat(empty.status()).isEqualTo(2);
    assertThat(empty.err()).contains("expected the folder of a run in it, found none");
  }

  /// Of positive values those of their logarithms.
  @Test
  void aCurveHasEightHeights() {
    assertThat(RunPanel.curve(new double[] {128, 64, 1, 2}, 40)).isEqualTo("█▇▁▂");
    assertThat(RunPanel.curve(new double[] {7, 0, 1, 6}, 40)).isEqualTo("█▁▂▇");
    assertThat(RunPanel.curve(new double[] {3, 3}, 40)).isEqualTo("▁▁");
    assertThat(RunPanel.curve(new double[] {1, 3, 9, 11, 0, 0}, 3)).isEqualTo("▂█▁");
    assertThat(RunPanel.curve(new double[0], 40)).isEmpty();
  }
}
