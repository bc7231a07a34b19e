package dev.gossamer.cli;

import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.GraphData;
import dev.gossamer.nn.GraphLayer;
import dev.gossamer.nn.Phase;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.Evaluation;
import dev.gossamer.run.Median;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.TrainingLoop;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.MemoryEstimate;
import dev.gossamer.run.memory.SystemMemory;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// What `train` says: the plan before the first epoch, the result after the last.
///
/// @param network layers and parameters
/// @param buffers of an epoch, on the rank that needs most
/// @param plan more lines about buffers and ranks
record TrainReport(
    GraphData dataset,
    NetworkSettings settings,
    Network network,
    BufferPlan buffers,
    List<String> plan,
    MemoryEstimate memory,
    RunFolder folder,
    long seed,
    CommonOptions common) {
  private static final JsonMapper JSON = new JsonMapper();

  /// Data set, model, buffers and memory, to standard error.
  void begin(PrintWriter err) {
    if (common.quiet) {
      return;
    }
    DatasetText.print(dataset, err);
    err.printf(
        Locale.ROOT, "model    %s  %s  %,d parameters%n", modelName(), shape(), parameters());
    plan.forEach(line -> err.printf("%s%n", line));
    err.printf(
        "memory   %s estimated: %s%n",
        MemoryEstimate.readable(memory.bytes()),
        memory.items().stream()
            .map(i -> i.name() + " " + MemoryEstimate.readable(i.bytes()))
            .collect(Collectors.joining(", ")));
    err.flush();
  }

  /// Buffers with their sizes.
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

  /// The result, to standard output: a table, or one JSON object.
  void end(
      PrintWriter out,
      List<EpochRecord> records,
      TrainingLoop.Result result,
      @Nullable RunFacts facts) {
    if (common.json) {
      out.println(JSON.writeValueAsString(json(records, result, facts)));
      out.flush();
      return;
    }
    table(result.finalEvaluation()).print(out);
    double median = median(records);
    out.printf(
        Locale.ROOT,
        "%nepoch    %.4f s median of %d (%s %.0f %%, matmul %.0f %%); weights of epoch %d%n",
        median,
        records.size(),
        sparse().label(),
        100 * share(records, sparse()),
        100 * share(records, Phase.MATMUL),
        result.bestEpoch());
    out.printf(
        "memory   %s peak resident, %s estimated%n",
        MemoryEstimate.readable(SystemMemory.peakResident()),
        MemoryEstimate.readable(memory.bytes()));
    if (facts != null) {
      facts.print(out);
    }
    out.printf("run      %s%n", folder.path());
    out.flush();
  }

  /// The phase of the model's work on the graph.
  private Phase sparse() {
    return settings.seesEdges() ? Phase.ATTENTION : Phase.SPMM;
  }

  private ObjectNode json(
      List<EpochRecord> records, TrainingLoop.Result result, @Nullable RunFacts facts) {
    Evaluation scores = result.finalEvaluation();
    ObjectNode node = JSON.createObjectNode();
    node.put("dataset", dataset.name());
    node.put("vertices", dataset.vertices());
    node.put("edges", dataset.edges());
    node.put("model", modelName());
    node.put("parameters", parameters());
    node.put("epochs", result.epochs());
    node.put("best_epoch", result.bestEpoch());
    node.put("epoch_seconds_median", median(records));
    node.put("spmm_share", share(records, Phase.SPMM));
    node.put("matmul_share", share(records, Phase.MATMUL));
    node.put("attention_share", share(records, Phase.ATTENTION));
    put(node, "train", scores.train());
    put(node, "validation", scores.validation());
    put(node, "test", scores.test());
    node.put("buffer_bytes", buffers.bytes());
    node.put("estimated_bytes", memory.bytes());
    node.put("peak_rss_bytes", SystemMemory.peakResident());
    phases(node.putObject("phase_seconds"), records);
    if (facts != null) {
      facts.put(node);
    }
    node.put("seed", seed);
    node.put("run_folder", folder.path().toString());
    ObjectNode provenance = node.putObject("provenance");
    dataset.info().provenance().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(e -> provenance.put(e.getKey(), e.getValue()));
    return node;
  }

  /// Medians over the epochs of each phase's largest time of a rank.
  private static void phases(ObjectNode node, List<EpochRecord> records) {
    for (Phase phase : Phase.values()) {
      node.put(phase.label(), median(records, phase));
    }
  }

  static void put(ObjectNode node, String part, Evaluation.Scores scores) {
    node.put(part + "_accuracy", scores.accuracy());
    node.put(part + "_micro_f1", scores.microF1());
    node.put(part + "_macro_f1", scores.macroF1());
    scores.rocAuc().ifPresent(area -> node.put(part + "_roc_auc", area));
    node.put(part + "_loss", scores.loss());
  }

  static Table table(Evaluation scores) {
    Table table = new Table();
    boolean curve = scores.test().rocAuc().isPresent();
    List<String> head = new ArrayList<>(List.of("", "accuracy", "macro-F1", "loss", "vertices"));
    if (curve) {
      head.add("ROC-AUC");
    }
    table.row((Object[]) head.toArray(String[]::new));
    row(table, "train", scores.train(), curve);
    row(table, "validation", scores.validation(), curve);
    row(table, "test", scores.test(), curve);
    return table;
  }

  private static void row(Table table, String part, Evaluation.Scores scores, boolean curve) {
    List<String> cells = new ArrayList<>(List.of(part));
    cells.add(String.format(Locale.ROOT, "%.4f", scores.accuracy()));
    cells.add(String.format(Locale.ROOT, "%.4f", scores.macroF1()));
    cells.add(String.format(Locale.ROOT, "%.4f", scores.loss()));
    cells.add(String.format(Locale.ROOT, "%,d", scores.count()));
    if (curve) {
      OptionalDouble area = scores.rocAuc();
      cells.add(area.isEmpty() ? "-" : String.format(Locale.ROOT, "%.4f", area.getAsDouble()));
    }
    table.row((Object[]) cells.toArray(String[]::new));
  }

  private String modelName() {
    return Choice.name(settings.model());
  }

  private String shape() {
    return network.layers().getFirst().in()
        + network.layers().stream()
            .map(layer -> " > " + layer.out() + orderOf(layer))
            .collect(Collectors.joining());
  }

  private static String orderOf(GraphLayer layer) {
    return switch (layer.order()) {
      case TRANSFORM_FIRST -> " (A(HW))";
      case AGGREGATE_FIRST, AGGREGATE_AND_KEEP -> " ((AH)W)";
      case TRANSFORM_ONLY -> " (HW)";
    };
  }

  private long parameters() {
    return network.layout().count();
  }

  /// Seconds of an epoch.
  static double median(List<EpochRecord> records) {
    return Median.of(records.stream().mapToDouble(EpochRecord::seconds));
  }

  /// Seconds of a phase in an epoch.
  static double median(List<EpochRecord> records, Phase phase) {
    return Median.of(records.stream().mapToDouble(r -> r.phases().getOrDefault(phase, 0.0)));
  }

  private static double share(List<EpochRecord> records, Phase phase) {
    double all = records.stream().mapToDouble(EpochRecord::seconds).sum();
    double part = records.stream().mapToDouble(r -> r.phases().getOrDefault(phase, 0.0)).sum();
    return all == 0 ? 0 : part / all;
  }
}
