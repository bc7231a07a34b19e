package dev.gossamer.cli.graph;

import dev.gossamer.ExchangeChoice;
import dev.gossamer.GraphRun;
import dev.gossamer.LinkEvaluation;
import dev.gossamer.MajorityClass;
import dev.gossamer.SplitProportions;
import dev.gossamer.TrainingFacts;
import dev.gossamer.TrainingListener;
import dev.gossamer.TrainingPlan;
import dev.gossamer.TrainingResult;
import dev.gossamer.TrainingSettings;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.cli.data.DatasetText;
import dev.gossamer.cli.machine.MemoryOptions;
import dev.gossamer.cli.report.LiveFigures;
import dev.gossamer.cli.settings.ConfigFile;
import dev.gossamer.cli.settings.FlagValues;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.FlagNames;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.ProgressLine;
import dev.gossamer.cli.terminal.ProgressSteps;
import dev.gossamer.cli.terminal.ReportPart;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.gnn.fullgraph.GraphProducts;
import dev.gossamer.gnn.fullgraph.NetworkPlan;
import dev.gossamer.gnn.fullgraph.RankPlan;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.stack.Hops;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.format.DatasetDraft;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.layers.GraphLayer;
import dev.gossamer.nn.layers.Order;
import dev.gossamer.partition.Partitioner;
import dev.gossamer.planner.EpochCost;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.Median;
import dev.gossamer.run.Metric;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.RunMetrics;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.MemoryEstimate;
import dev.gossamer.run.memory.SystemMemory;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import tools.jackson.databind.node.ObjectNode;

/// The output of `train`: the plan before the first epoch, progress, the result after the last.
final class TrainReport implements TrainingListener, AutoCloseable {
  /// Equal layers whose widths are shown one by one.
  private static final int FEW_LAYERS = 3;

  private final CommandSpec spec;
  private final CommonOptions common;
  private final MemoryOptions memory;
  private final ProgressLine progress;
  private final ProgressSteps steps;

  /// What was chosen because no flag said it, and why: a line for each flag.
  private final List<String> reasons = new ArrayList<>();

  private final LiveFigures figures;

  private GraphRun run;
  private @Nullable TrainingPlan plan;

  /// @param asked the run, as far as it was specified
  TrainReport(CommandSpec spec, CommonOptions common, MemoryOptions memory, GraphRun asked) {
    this.spec = spec;
    this.common = common;
    this.memory = memory;
    run = asked;
    progress =
        new ProgressLine(
            "training", "epochs", asked.training().learning().pace().epochs(), common.quiet);
    steps = new ProgressSteps(common.quiet);
    figures = new LiveFigures(common.quiet);
  }

  @Override
  public void splitDrawn(SplitProportions split) {
    if (!common.quiet) {
      err()
          .printf(
              "split    the data set has none: %s drawn with seed %d%n",
              split.text(), split.seed());
      err().flush();
    }
  }

  @Override
  public void minibatchesNeeded(MemoryEstimate whole, long limit, MinibatchSettings settings) {
    String reason =
        "the whole graph needs %s but %s may be used"
            .formatted(MemoryEstimate.readable(whole.needed()), MemoryEstimate.readable(limit));
    reasons.add("--mode minibatch --batch %d: %s".formatted(settings.batchSize(), reason));
    if (!common.quiet) {
      boolean ofEdges = run.data().vertexData().links() != null;
      err()
          .printf(
              "mode     minibatch, %d %s: %s%n",
              settings.batchSize(), ofEdges ? "edges" : "vertices", reason);
      err().flush();
    }
  }

  @Override
  public void chosen(ExchangeChoice choice) {
    steps.close();
    List<String> lines = ChoiceReport.lines(choice);
    reasons.addAll(lines);
    if (!common.quiet) {
      lines.forEach(line -> err().println("chosen   " + line));
      err().flush();
    }
  }

  @Override
  public void partitioning(Partitioner method, int parts, long estimatedBytes) {
    PartitionCommand.begin(err(), common, method, parts, estimatedBytes);
  }

  @Override
  public Progress partitioningProgress() {
    return steps;
  }

  @Override
  public void warning(String text) {
    if (!common.quiet) {
      String named = new InvalidSettingException(text).message(FlagNames::of);
      err().println("warning  " + named);
      err().flush();
    }
  }

  @Override
  public void planned(TrainingPlan decided) {
    plan = decided;
    steps.close();
    if (common.quiet) {
      return;
    }
    TrainingPlan.Shape shape = decided.shape();
    DatasetText.print(decided.data(), err());
    err()
        .printf(
            Locale.ROOT,
            "model    %s  %s  %,d parameters%n         %s%n",
            modelName(),
            widths(shape.network()),
            shape.network().layout().count(),
            reads(decided.training().network())
                + orders(shape.network(), decided.training().network().seesGraph()));
    EdgeFeatures ofEdges = decided.data().edgeFeatures();
    if (ofEdges != null) {
      err().println("         " + ofEdges(ofEdges, decided.training().network().kind()));
    }
    if (decided.data().links() != null) {
      err().println("decoder  " + decoder(decided.training().network().decoder()));
    }
    switch (decided.way()) {
      case TrainingPlan.WholeGraph whole -> printBuffers(shape, whole);
      case TrainingPlan.Minibatches batches ->
          err()
              .println(
                  "buffers  " + listed(shape.buffers(), "of one row per sampled vertex, at most"));
    }
    err().println(memory.line(shape.memory()));
    if (decided.cost() != null) {
      err().println("planned  " + PlanReport.epoch(decided.cost()));
    }
    err().flush();
  }

  /// Whether layers read the features of edges.
  private static String ofEdges(EdgeFeatures features, LayerKind kind) {
    String counted = DatasetDraft.counted(features.width(), "feature");
    return kind.edgeFeatures() > 0
        ? "layers read %s of each edge".formatted(counted)
        : "%s of each edge not used: only gat and gin read them".formatted(counted);
  }

  private static String decoder(LinkDecoder decoder) {
    return Choice.name(decoder.kind())
        + (decoder.isDot()
            ? ""
            : ", weights for %s of edges%s"
                .formatted(
                    DatasetDraft.counted(decoder.types().size(), "type"),
                    decoder.directed() ? ", by direction" : ""));
  }

  private void printBuffers(TrainingPlan.Shape shape, TrainingPlan.WholeGraph whole) {
    err().println("buffers  " + listed(shape.buffers(), "of one row per vertex"));
    RankPlan ranks = whole.plan();
    if (ranks.ranks() > 1) {
      if (!whole.exchange().buffers().isEmpty()) {
        err()
            .printf(
                "         and %s, on the rank with most%n",
                listed(whole.exchange(), "for remote rows"));
      }
      err()
          .printf(
              Locale.ROOT,
              "balance  the fullest of %d block rows has %.2f times the average nonzeros, the fullest tile %.2f times%n",
              ranks.placement().distribution().blocks(),
              ranks.balance().fullestRow(),
              ranks.balance().fullestTile());
    }
    TrainingPlan.Squeeze squeeze = whole.squeeze();
    if (squeeze != null) {
      err()
          .printf(
              "products %s: the usual method needs %s but %s may be used%n",
              String.join(", ", squeezed(ranks)),
              MemoryEstimate.readable(squeeze.usual()),
              MemoryEstimate.readable(squeeze.limit()));
    }
  }

  /// What is done otherwise than usual, to save memory.
  private List<String> squeezed(RankPlan ranks) {
    NetworkSettings network = plan().training().network();
    List<String> changes = new ArrayList<>();
    RankPlan usual = ranks.with(GraphProducts.usual(ranks.strategy()));
    List<GraphLayer> layers = ranks.network(0, network).network().layers();
    GraphLayer first = layers.getFirst();
    if (first.order() != usual.network(0, network).network().layers().getFirst().order()) {
      changes.add(
          "layer 1 %s in every epoch, and keeps no aggregated input".formatted(orderOf(first)));
    }
    int columns = ranks.columnsAtOnce(network);
    int widest = ranks.with(ranks.products().withColumns(Integer.MAX_VALUE)).columnsAtOnce(network);
    if (columns < widest) {
      changes.add(
          "remote rows are sent %d of %d columns at a time, in up to %d times the messages"
              .formatted(columns, widest, Math.ceilDiv(widest, columns)));
    }
    return changes;
  }

  @Override
  public void epoch(EpochRecord record) {
    String loss = String.format(Locale.ROOT, "loss %.4f", record.loss());
    figures.add(() -> RunMetrics.Step.of(record));
    progress.update(
        record.epoch(),
        loss + validation(record.evaluation()),
        () -> figures.lines(plan().estimate()));
  }

  /// The score by which epochs are selected.
  private String validation(@Nullable Evaluation evaluation) {
    Metric metric = run.training().learning().pace().selectBy(plan().data().task());
    OptionalDouble score =
        evaluation == null ? OptionalDouble.empty() : evaluation.validation().value(metric);
    return score.isEmpty()
        ? ""
        : String.format(
            Locale.ROOT,
            "  validation %s%.4f",
            metric == Metric.ACCURACY ? "" : metric.title() + " ",
            score.getAsDouble());
  }

  /// Writes the settings into a new run folder, with automatic choices and their reasons.
  ///
  /// @param chosen the settings with all automatic choices
  void describe(RunFolder folder, TrainingSettings chosen) {
    run = run.withTraining(chosen).absolute();
    ConfigFile.write(folder.config(), FlagValues.of(run), reasons);
  }

  private PrintWriter err() {
    return spec.commandLine().getErr();
  }

  private TrainingPlan plan() {
    return Objects.requireNonNull(plan, "nothing was planned");
  }

  /// Returns the run's folder.
  Path folder() {
    return Objects.requireNonNull(plan().folder()).path();
  }

  /// Lists buffers with their sizes.
  static String listed(BufferPlan plan, String what) {
    return "%d %s, %s: %s"
        .formatted(
            plan.buffers().size(),
            what,
            MemoryEstimate.readable(plan.bytes()),
            plan.buffers().stream()
                .map(b -> "%s %d x %d".formatted(b.name(), b.rows(), b.cols()))
                .collect(Collectors.joining(", ")));
  }

  /// Prints the result to standard output: a table, or one JSON object.
  ///
  /// @param parts that flags ask for
  void end(PrintWriter out, TrainingResult result, List<ReportPart> parts) {
    progress.close();
    if (common.json) {
      ObjectNode node = json(result);
      parts.forEach(part -> part.put(node.putObject(part.key())));
      out.println(JsonOutput.line(node));
      out.flush();
      return;
    }
    List<EpochRecord> records = result.records();
    Table table = table(result.evaluation());
    MajorityClass majority = result.majority();
    if (majority != null) {
      row(
          table,
          "majority class",
          new Evaluation.Scores(
              result.evaluation().test().count(), Map.of(Metric.ACCURACY, majority.testAccuracy())),
          columns(result.evaluation().test()),
          "");
    }
    table.print(out);
    out.printf(
        Locale.ROOT,
        "%nepoch    %s; weights of epoch %d%n",
        records.isEmpty() ? "all were done before" : times(records),
        result.end().bestEpoch());
    EpochCost cost = plan().cost();
    if (cost != null && !records.isEmpty()) {
      out.println("planned  " + PlanReport.beside(cost, median(records)));
    }
    out.printf(
        "memory   %s peak resident, %s estimated%n",
        MemoryEstimate.readable(SystemMemory.peakResident()),
        MemoryEstimate.readable(plan().shape().memory().bytes()));
    facts(result).ifPresent(facts -> facts.print(out));
    out.printf("run      %s%n", folder());
    parts.forEach(part -> part.print(out));
    out.flush();
  }

  private String times(List<EpochRecord> records) {
    return String.format(
        Locale.ROOT,
        "%.4f s median of %d (%s %.0f %%, matmul %.0f %%)",
        median(records),
        records.size(),
        sparse().label(),
        100 * share(records, sparse()),
        100 * share(records, Phase.MATMUL));
  }

  /// What ranks or minibatches did; nothing for one rank on the whole graph.
  private Optional<FactsReport> facts(TrainingResult result) {
    return switch (result.facts()) {
      case TrainingFacts.Sent sent
          when plan().way() instanceof TrainingPlan.WholeGraph whole && whole.plan().ranks() > 1 ->
          Optional.of(RankReport.of(whole, sent, run.training().ranks()));
      case TrainingFacts.Sampled sampled
          when plan().way() instanceof TrainingPlan.Minibatches batches ->
          Optional.of(new MinibatchReport(sampled, batches.partitioning()));
      case null, default -> Optional.empty();
    };
  }

  /// The phase of the model's work on the graph.
  private Phase sparse() {
    NetworkSettings network = plan().training().network();
    return network.kind().sight() == LayerKind.Sight.EDGES ? Phase.ATTENTION : Phase.SPMM;
  }

  private ObjectNode json(TrainingResult result) {
    GraphData data = plan().data();
    List<EpochRecord> records = result.records();
    Evaluation scores = result.evaluation();
    ObjectNode node = JsonOutput.object();
    node.put("dataset", data.name());
    node.put("vertices", data.vertices());
    node.put("edges", data.edges());
    node.put("task", Choice.name(data.task()));
    node.put("model", modelName());
    node.put("parameters", plan().shape().network().layout().count());
    if (data.links() != null) {
      node.put("decoder", Choice.name(plan().training().network().decoder().kind()));
    }
    node.put("epochs", result.end().epochs());
    node.put("best_epoch", result.end().bestEpoch());
    node.put("epoch_seconds_median", median(records));
    node.put("spmm_share", share(records, Phase.SPMM));
    node.put("matmul_share", share(records, Phase.MATMUL));
    node.put("attention_share", share(records, Phase.ATTENTION));
    put(node, "train", scores.train());
    put(node, "validation", scores.validation());
    put(node, "test", scores.test());
    MajorityClass majority = result.majority();
    if (majority != null) {
      node.put("majority_class", majority.name());
      node.put("majority_class_test_accuracy", majority.testAccuracy());
    }
    node.put("buffer_bytes", plan().shape().buffers().bytes());
    if (plan().way() instanceof TrainingPlan.WholeGraph whole) {
      node.put("exchange_buffer_bytes", whole.exchange().bytes());
      node.put("columns_at_once", whole.plan().columnsAtOnce(plan().training().network()));
      node.put("first_layer", firstLayer(whole.plan()));
    }
    node.put("estimated_bytes", plan().shape().memory().bytes());
    node.put("estimated_mapped_bytes", plan().shape().memory().mappedBytes());
    node.put("peak_rss_bytes", SystemMemory.peakResident());
    phases(node.putObject("phase_seconds"), records);
    if (plan().cost() != null) {
      PlanReport.put(node.putObject("planned"), plan().cost());
    }
    facts(result).ifPresent(facts -> facts.put(node));
    node.put("seed", run.training().seed());
    JsonOutput.putSettings(node, FlagValues.of(run));
    node.put("run_folder", folder().toString());
    ObjectNode provenance = node.putObject("provenance");
    data.info().provenance().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(e -> provenance.put(e.getKey(), e.getValue()));
    return node;
  }

  /// How the first layer multiplies.
  private String firstLayer(RankPlan ranks) {
    NetworkPlan network = ranks.network(0, plan().training().network());
    return network.aggregatesInput()
        ? "aggregated-once"
        : Choice.name(network.network().layers().getFirst().order());
  }

  /// Medians over the epochs of each phase's largest time of a rank.
  private static void phases(ObjectNode node, List<EpochRecord> records) {
    for (Phase phase : Phase.values()) {
      node.put(phase.label(), median(records, phase));
    }
  }

  static void put(ObjectNode node, String part, Evaluation.Scores scores) {
    scores.values().forEach((metric, score) -> node.put(part + "_" + metric.key(), score));
  }

  static Table table(Evaluation scores) {
    List<Metric> columns = columns(scores.test());
    Table table = head("", columns);
    row(table, "train", scores.train(), columns, "-");
    row(table, "validation", scores.validation(), columns, "-");
    row(table, "test", scores.test(), columns, "-");
    return table;
  }

  /// The test edges by heuristics, and by the model.
  static Table table(LinkEvaluation scores) {
    List<Metric> columns = columns(scores.scores().test().without(Metric.LOSS));
    Table table = head("test, by", columns);
    scores
        .heuristics()
        .forEach((heuristic, each) -> row(table, Choice.name(heuristic), each, columns, "-"));
    row(table, "the model", scores.scores().test(), columns, "-");
    return table;
  }

  private static Table head(String first, List<Metric> columns) {
    List<Object> head = new ArrayList<>(List.of(first));
    columns.forEach(metric -> head.add(metric.title()));
    head.add(columns.contains(Metric.MRR) ? "edges" : "vertices");
    return new Table().row(head.toArray());
  }

  /// The scores that a table has: the loss last, and the accuracy under one of its names.
  private static List<Metric> columns(Evaluation.Scores test) {
    Set<Metric> columns = new LinkedHashSet<>(test.values().keySet());
    if (columns.contains(Metric.ACCURACY)) {
      columns.remove(Metric.MICRO_F1);
    }
    if (columns.remove(Metric.LOSS)) {
      columns.add(Metric.LOSS);
    }
    return List.copyOf(columns);
  }

  /// @param missing shown for a score that the part does not have
  private static void row(
      Table table, String part, Evaluation.Scores scores, List<Metric> columns, String missing) {
    List<Object> cells = new ArrayList<>(List.of(part));
    for (Metric metric : columns) {
      OptionalDouble score = scores.value(metric);
      cells.add(
          score.isEmpty() ? missing : String.format(Locale.ROOT, "%.4f", score.getAsDouble()));
    }
    cells.add("%,d".formatted(scores.count()));
    table.row(cells.toArray());
  }

  private String modelName() {
    return plan().training().network().kind().name();
  }

  /// `512 > 64 > 57`, of many equal layers `512 > 64 (15 layers) > 57`.
  private static String widths(Network network) {
    List<String> parts = new ArrayList<>();
    parts.add(String.valueOf(network.layers().getFirst().in()));
    List<Integer> outputs = network.layers().stream().map(GraphLayer::out).toList();
    int end;
    for (int l = 0; l < outputs.size(); l = end) {
      int width = outputs.get(l);
      end = l;
      while (end < outputs.size() && outputs.get(end) == width) {
        end++;
      }
      if (end - l <= FEW_LAYERS) {
        parts.addAll(Collections.nCopies(end - l, String.valueOf(width)));
      } else {
        parts.add("%d (%d layers)".formatted(width, end - l));
      }
    }
    return String.join(" > ", parts);
  }

  /// What the network reads in place of the features, in words; empty if it reads those.
  private static String reads(NetworkSettings network) {
    Hops hops = network.precomputed();
    if (hops.isNone()) {
      return "";
    }
    return switch (hops.kept()) {
      case LAST -> "reads hop %d of the features, computed once; ".formatted(hops.count());
      case ALL -> "reads hops 0 to %d of the features, computed once; ".formatted(hops.count());
    };
  }

  /// In which order each layer multiplies by its weights and by the graph.
  private static String orders(Network network, boolean seesGraph) {
    List<String> orders =
        network.layers().stream()
            .map(layer ->
                seesGraph && layer.order() == Order.TRANSFORM_ONLY
                    ? "transforms its input, which is aggregated once"
                    : orderOf(layer))
            .toList();
    return orders.stream().distinct().count() == 1
        ? "each layer " + orders.getFirst()
        : IntStream.range(0, orders.size())
            .mapToObj(l -> "layer %d %s".formatted(l + 1, orders.get(l)))
            .collect(Collectors.joining("; "));
  }

  private static String orderOf(GraphLayer layer) {
    return switch (layer.order()) {
      case TRANSFORM_FIRST -> "transforms, then aggregates";
      case AGGREGATE_FIRST, AGGREGATE_AND_KEEP -> "aggregates, then transforms";
      case TRANSFORM_ONLY -> "transforms";
    };
  }

  /// Returns the median seconds per epoch.
  static double median(List<EpochRecord> records) {
    return Median.of(records.stream().mapToDouble(EpochRecord::seconds));
  }

  /// Returns the median seconds of a phase per epoch.
  static double median(List<EpochRecord> records, Phase phase) {
    return Median.of(records.stream().mapToDouble(r -> r.phases().getOrDefault(phase, 0.0)));
  }

  private static double share(List<EpochRecord> records, Phase phase) {
    double all = records.stream().mapToDouble(EpochRecord::seconds).sum();
    double part = records.stream().mapToDouble(r -> r.phases().getOrDefault(phase, 0.0)).sum();
    return all == 0 ? 0 : part / all;
  }

  @Override
  public void close() {
    progress.close();
    steps.close();
  }
}
