package dev.gossamer.cli.report;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.LivePanel;
import dev.gossamer.cli.terminal.ProgressLine;
import dev.gossamer.run.RunMetrics;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "watch",
    description = {
      "Watch a training that another process runs: how far it is, its loss and scores, where its time goes.",
      "Ends when the training ends, and prints the last state. Reads the run's folder alone, also over a network file"
          + " system. Ctrl-C ends watching, not the training.",
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer watch",
      "      the newest run in the folder 'runs'",
      "  gossamer watch runs/20260131-101500-cora --once",
      "      the state of a run now",
      "  gossamer watch --serve :0",
      "      its report in a browser of this machine, made again every three seconds",
    })
public final class WatchCommand implements Callable<Integer> {
  private static final long PAUSE_MILLIS = 500;

  /// Pauses are this many times as long as it takes to read the run.
  private static final int READING_SHARE = 10;

  private static final Pattern ADDRESS =
      Pattern.compile("(?:(?<host>\\[[0-9a-fA-F:.]+]|[0-9A-Za-z.-]*):)?(?<port>[0-9]{1,5})");

  private static final int MOST_PORT = 65_535;

  @Spec CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "RUN",
      description = "Folder of a training run (default: the newest in the folder of runs).")
  @Nullable Path chosen;

  @Option(
      names = "--runs",
      paramLabel = "FOLDER",
      defaultValue = "runs",
      description = "Folder in which the newest run is looked for (default: ${DEFAULT-VALUE}).")
  Path runs = Path.of("runs");

  @Option(names = "--once", description = "Print the state as it is now, and do not wait.")
  boolean once;

  @Option(
      names = "--serve",
      paramLabel = "[HOST:]PORT",
      description =
          "Also serve the run's report to browsers, until Ctrl-C; port 0 is any free one. Without a host, only this"
              + " machine can open it. Its address has a token, without which nothing is shown; it is not encrypted.")
  @Nullable String serve;

  @Mixin CommonOptions common = new CommonOptions();

  @Override
  public Integer call() throws InterruptedException {
    InetSocketAddress address = serve == null ? null : address(serve);
    if (once && address != null) {
      throw new ParameterException(
          spec.commandLine(), "--serve: expected a run that is watched, found --once");
    }
    Path folder = chosen == null ? WatchedRun.newest(runs) : chosen;
    WatchedRun first = WatchedRun.read(folder);
    if (address == null) {
      print(once ? first : watched(folder, first));
      return 0;
    }
    try (PageServer server =
        new PageServer(address, () -> new ReportPage(List.of(ReportedRun.read(folder))).html())) {
      printAddress(server.url());
      WatchedRun last = watched(folder, first);
      if (!common.json) {
        print(last);
      }
      // Until the process is interrupted.
      new CountDownLatch(1).await();
      return 0;
    }
  }

  private InetSocketAddress address(String text) {
    Matcher parts = ADDRESS.matcher(text);
    int port = parts.matches() ? Integer.parseInt(parts.group("port")) : MOST_PORT + 1;
    if (port > MOST_PORT) {
      throw new ParameterException(
          spec.commandLine(),
          "--serve: expected [HOST:]PORT, as 8080 or :0, found '%s'".formatted(text));
    }
    String host = parts.group("host");
    InetSocketAddress address =
        new InetSocketAddress(host == null || host.isEmpty() ? "127.0.0.1" : host, port);
    if (address.isUnresolved()) {
      throw new InvalidInputException(
          "--serve: expected the name or address of this machine, found '%s'".formatted(host));
    }
    return address;
  }

  private WatchedRun watched(Path folder, WatchedRun first) throws InterruptedException {
    Display display = new Display(first);
    WatchedRun last =
        RunWatch.last(first, () -> WatchedRun.read(folder), display::show, WatchCommand::pause);
    display.end();
    return last;
  }

  /// Waits, the longer the longer it took to read the run.
  private static void pause(Duration reading) throws InterruptedException {
    Thread.sleep(Math.max(PAUSE_MILLIS, READING_SHARE * reading.toMillis()));
  }

  /// What the terminal shows meanwhile.
  private final class Display {
    private final @Nullable LivePanel panel;
    private final @Nullable ProgressLine line;
    private final WatchedRun first;
    private final long began = System.nanoTime();

    Display(WatchedRun first) {
      this.first = first;
      boolean terminal = ProgressLine.isTerminal();
      panel = terminal && !common.quiet ? new LivePanel(System.err) : null;
      line =
          terminal
              ? null
              : new ProgressLine("training", first.run().unit() + "s", first.total(), common.quiet);
    }

    void show(WatchedRun now) {
      RunPanel lines = new RunPanel(now, left(now));
      if (panel != null) {
        panel.draw(lines.lines());
      } else if (line != null) {
        line.update(now.done(), lines.summary());
      }
    }

    /// By the steps that were seen to end; before the first of them by their own seconds.
    private OptionalDouble left(WatchedRun now) {
      int remaining = now.total() - now.done();
      int seen = now.done() - first.done();
      if (now.total() == 0 || now.done() == 0) {
        return OptionalDouble.empty();
      }
      double step =
          seen > 0
              ? (System.nanoTime() - began) / 1e9 / seen
              : now.run().values("seconds").average().orElse(0);
      return OptionalDouble.of(remaining * step);
    }

    void end() {
      if (panel != null) {
        panel.clear();
      } else if (line != null) {
        line.close();
      }
    }
  }

  private void printAddress(String url) {
    PrintWriter out = spec.commandLine().getOut();
    if (common.json) {
      ObjectNode node = JsonOutput.object();
      node.put("page", url);
      out.println(JsonOutput.line(node));
    } else {
      out.println("page     " + url);
    }
    out.flush();
  }

  private void print(WatchedRun last) {
    PrintWriter out = spec.commandLine().getOut();
    RunPanel panel = new RunPanel(last, OptionalDouble.empty());
    if (common.json) {
      out.println(JsonOutput.line(json(last, panel)));
      out.flush();
    } else {
      panel.print(out);
    }
  }

  private static ObjectNode json(WatchedRun last, RunPanel panel) {
    ObjectNode node = JsonOutput.object();
    node.put("run", last.run().name());
    node.put("state", Choice.name(last.state()));
    node.put("unit", last.run().unit());
    node.put("done", last.done());
    if (last.total() > 0) {
      node.put("total", last.total());
    }
    List<RunMetrics.Step> steps = last.run().metrics().steps();
    if (!steps.isEmpty()) {
      node.put("loss", steps.getLast().number("loss"));
      node.put("seconds_median", panel.medianSeconds());
      node.put("peak_rss_bytes", last.run().peakBytes());
      ObjectNode phases = node.putObject("phase_seconds");
      panel.phases().forEach(phases::put);
    }
    if (last.run().estimate() != null) {
      node.put("estimated_bytes", last.run().estimatedBytes());
      node.put("planned_seconds", last.run().plannedSeconds());
    }
    RunMetrics.Step scored = panel.scored();
    if (scored != null) {
      node.put("scored", scored.number());
      scored
          .scores()
          .forEach((part, scores) ->
              scores.forEach((metric, score) -> node.put(part + "_" + metric, score)));
    }
    return node;
  }
}
