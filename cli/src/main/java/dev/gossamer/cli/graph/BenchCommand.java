package dev.gossamer.cli.graph;

import dev.gossamer.Dataset;
import dev.gossamer.GraphPartitioning;
import dev.gossamer.Placed;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.data.DataOptions;
import dev.gossamer.cli.data.DatasetText;
import dev.gossamer.cli.machine.MachineOptions;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.ExchangeVolume;
import dev.gossamer.exchange.Placement;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.partition.Balance;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "bench",
    description = "Compare exchange strategies without training.",
    subcommands = BenchCommand.Exchange.class,
    footerHeading = "%nExample:%n",
    footer = "  gossamer bench exchange --data my-graph --parts 4,16,64,256 --features 300")
public final class BenchCommand implements Runnable {
  @Spec CommandSpec spec;
  @Mixin CommonOptions common = new CommonOptions();

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "expected exchange, found none");
  }

  @Command(
      name = "exchange",
      description = {
        "Count what each rank would send in one multiplication, for any number of ranks and every strategy.",
        "Counts are exact, from the graph and the placement; no rank is started. Seconds are given twice: for the"
            + " busiest link of a network of --alpha and --beta, and by the published formulas, which bound every"
            + " message by the largest.",
      },
      sortOptions = false,
      footerHeading = "%nExamples:%n",
      footer = {
        "  gossamer bench exchange --parts 4,16,64",
        "  gossamer bench exchange --data my-graph --parts 64 --placement random --features 300 --json",
      })
  static final class Exchange implements Callable<Integer> {
    @Spec CommandSpec spec;
    @Mixin CommonOptions common = new CommonOptions();
    @Mixin DataOptions data = new DataOptions();

    @Option(
        names = "--parts",
        paramLabel = "P",
        split = ",",
        defaultValue = "4,16,64,256",
        description = "Numbers of ranks (default: ${DEFAULT-VALUE}).")
    List<Integer> parts = List.of();

    @Option(
        names = "--features",
        paramLabel = "F",
        defaultValue = "300",
        description = "Columns of the dense matrix (default: ${DEFAULT-VALUE}).")
    int features;

    @Option(
        names = "--wire",
        paramLabel = "FORMAT",
        defaultValue = "float32",
        description =
            "Format of rows in messages: float32, or bf16 in half the bytes (default: ${DEFAULT-VALUE}).")
    RowFormat wire = RowFormat.FLOAT32;

    @Option(
        names = "--placement",
        paramLabel = "WHERE",
        defaultValue = "block",
        description =
            "Which rank owns which vertex: "
                + RankOptions.PLACEMENTS
                + " (default: ${DEFAULT-VALUE}).")
    String placement = "block";

    @Option(
        names = "--alpha",
        paramLabel = "SECONDS",
        defaultValue = "30e-6",
        description = "Latency of a message in seconds (default: ${DEFAULT-VALUE}).")
    double alpha;

    @Option(
        names = "--beta",
        paramLabel = "SECONDS",
        defaultValue = "0.8e-9",
        description = "Seconds per byte (default: ${DEFAULT-VALUE}, 10 Gbit/s).")
    double beta;

    @Option(
        names = "--seed",
        paramLabel = "N",
        defaultValue = "0",
        description = "Seed of the placement (default: ${DEFAULT-VALUE}).")
    long seed;

    @Mixin MachineOptions machine = new MachineOptions();

    /// One row of the table.
    private record Line(int ranks, Kind kind, int replication, ExchangeVolume volume) {}

    @Override
    public Integer call() {
      if (features < 1 || alpha < 0 || beta < 0) {
        throw new InvalidInputException(
            "--features, --alpha, --beta: expected at least 1, 0 and 0, found %d, %s and %s"
                .formatted(features, alpha, beta));
      }
      int fewest = parts.stream().mapToInt(Integer::intValue).min().orElse(0);
      if (fewest < 1) {
        throw new InvalidInputException("--parts: expected at least 1, found " + fewest);
      }
      placement = RankOptions.knownPlacement(placement);
      Placed.requireKnown(placement);
      try (Dataset opened = data.open(common)) {
        GraphData dataset = opened.data();
        List<Line> lines = lines(dataset);
        if (common.json) {
          printJson(dataset, lines);
        } else {
          printTable(dataset, lines);
        }
      }
      return 0;
    }

    private List<Line> lines(GraphData dataset) {
      Map<Integer, Placement> placed = new HashMap<>();
      List<Line> lines = new ArrayList<>();
      for (int p : parts) {
        for (int c = 1; c * c <= p; c++) {
          if (new ExchangeStrategy(Kind.OBLIVIOUS, c, false).validFor(p)) {
            Placement blocks = placed.computeIfAbsent(p / c, count -> place(dataset, count));
            for (Kind kind : Kind.values()) {
              lines.add(new Line(p, kind, c, volume(dataset, blocks, kind, c)));
            }
          }
        }
      }
      return lines;
    }

    private Placement place(GraphData dataset, int blocks) {
      GraphPartitioning partitioning =
          GraphPartitioning.of(Dataset.of(dataset))
              .balance(Balance.DEFAULT.withTraining(Balance.FREE))
              .seed(seed)
              .machine(machine.settings())
              .listener(
                  new GraphPartitioning.Listener(
                      (with, bytes) ->
                          PartitionCommand.begin(
                              spec.commandLine().getErr(), common, with, blocks, bytes),
                      Progress.SILENT));
      return Placed.of(placement, blocks, partitioning).placement();
    }

    /// What the product by `Â` sends.
    private ExchangeVolume volume(GraphData dataset, Placement placed, Kind kind, int c) {
      return ExchangeVolume.forward(dataset.adjacency(), dataset.info().directed(), placed, kind, c)
          .in(wire);
    }

    private void printTable(GraphData dataset, List<Line> lines) {
      PrintWriter out = spec.commandLine().getOut();
      DatasetText.print(dataset, out);
      out.printf(
          "one multiplication of width %d in %s, placement %s%n%n",
          features, Choice.name(wire), placement);
      Table table =
          new Table()
              .row(
                  "ranks",
                  "c",
                  "exchange",
                  "rows",
                  "MB avg",
                  "MB max",
                  "imbalance",
                  "messages",
                  "link s",
                  "formula s");
      for (Line line : lines) {
        ExchangeVolume v = line.volume();
        table.row(
            line.ranks(),
            line.replication(),
            Choice.name(line.kind()),
            String.format(Locale.ROOT, "%,d", v.rows()),
            String.format(Locale.ROOT, "%.3f", v.averageBytes(features) / 1e6),
            String.format(Locale.ROOT, "%.3f", v.maximumBytes(features) / 1e6),
            String.format(Locale.ROOT, "%.1f %%", v.imbalancePercent(features)),
            String.format(Locale.ROOT, "%,d", v.totalMessages(features)),
            String.format(Locale.ROOT, "%.6f", linkSeconds(line)),
            String.format(Locale.ROOT, "%.6f", v.formulaSeconds(features, alpha, beta)));
      }
      table.print(out);
      out.println();
      for (int p : parts) {
        lines.stream()
            .filter(line -> line.ranks() == p)
            .min(Comparator.comparingDouble(this::linkSeconds))
            .ifPresent(line ->
                out.printf(
                    Locale.ROOT,
                    "%d ranks: %s with c = %d takes the busiest link for the shortest time, %.6f s%n",
                    p,
                    Choice.name(line.kind()),
                    line.replication(),
                    linkSeconds(line)));
      }
    }

    private double linkSeconds(Line line) {
      return line.volume().linkSeconds(features, alpha, beta);
    }

    private void printJson(GraphData dataset, List<Line> lines) {
      ObjectNode node = JsonOutput.object();
      node.put("dataset", dataset.name());
      node.put("features", features);
      node.put("wire", Choice.name(wire));
      node.put("placement", placement);
      node.put("alpha", alpha);
      node.put("beta", beta);
      ArrayNode rows = node.putArray("exchanges");
      for (Line line : lines) {
        ExchangeVolume v = line.volume();
        ObjectNode row = rows.addObject();
        row.put("ranks", line.ranks());
        row.put("replication", line.replication());
        row.put("exchange", Choice.name(line.kind()));
        row.put("rows", v.rows());
        row.put("bytes_avg", v.averageBytes(features));
        row.put("bytes_max", v.maximumBytes(features));
        row.put("bytes_total", v.totalBytes(features));
        row.put("imbalance_percent", v.imbalancePercent(features));
        row.put("messages", v.totalMessages(features));
        row.put("link_seconds", linkSeconds(line));
        row.put("formula_seconds", v.formulaSeconds(features, alpha, beta));
      }
      spec.commandLine().getOut().println(JsonOutput.line(node));
      spec.commandLine().getOut().flush();
    }
  }
}
