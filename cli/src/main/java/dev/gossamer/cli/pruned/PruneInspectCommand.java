package dev.gossamer.cli.pruned;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.matrix.sparse.BlockProducts;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.pruned.PrunedModel;
import dev.gossamer.pruned.prune.MaskReport;
import dev.gossamer.pruned.prune.MaskReport.Matrix;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "inspect",
    description = "Show the survivors of each matrix and the size of their index.",
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer prune inspect runs/20260131-101500-jdk-text",
      "  gossamer prune inspect mask.safetensors --with other-mask.safetensors",
      "      how far two masks differ",
    })
final class PruneInspectCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @Parameters(
      paramLabel = "RUN",
      description = "Folder of a run of 'prune train', a model file, or a mask file.")
  Path run = Path.of("");

  @Option(
      names = "--with",
      paramLabel = "RUN",
      description = "Another one of the same network to compare it with.")
  @Nullable Path with;

  @Mixin CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    Mask mask = with == null ? null : PrunedModel.maskAt(run);
    MaskReport report = mask == null ? PrunedModel.inspectAt(run) : MaskReport.of(mask);
    List<Long> differences = mask == null ? null : differences(mask, Objects.requireNonNull(with));
    PrintWriter out = spec.commandLine().getOut();
    if (common.json) {
      ObjectNode node = json(report, differences);
      node.put("in_blocks", report.inBlocks());
      out.println(JsonOutput.line(node));
    } else {
      table(report, differences).print(out);
      print(out, report, differences);
      if (report.inBlocks()) {
        out.printf(
            "Survivors are whole blocks of %1$d x %1$d, and products use them.%n",
            BlockProducts.SIDE);
      }
    }
    out.flush();
    return 0;
  }

  private List<Long> differences(Mask mask, Path other) {
    Mask otherMask = PrunedModel.maskAt(other);
    try {
      return MaskReport.differences(mask, otherMask);
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(
          "--with: expected a mask of the same matrices as %s, found others in %s"
              .formatted(run, other),
          e);
    }
  }

  private static Table table(MaskReport report, @Nullable List<Long> differences) {
    List<Object> head =
        new ArrayList<>(
            List.of(
                "matrix",
                "shape",
                "elements",
                "survivors",
                "pruned %",
                "empty rows",
                "empty columns"));
    if (differences != null) {
      head.add("differ %");
    }
    Table table = new Table().row(head.toArray());
    for (int i = 0; i < report.matrices().size(); i++) {
      Matrix m = report.matrices().get(i);
      List<Object> cells =
          new ArrayList<>(
              List.of(
                  m.name(),
                  m.rows() + " x " + m.cols(),
                  String.format(Locale.ROOT, "%,d", m.elements()),
                  String.format(Locale.ROOT, "%,d", m.survivors()),
                  String.format(Locale.ROOT, "%.2f", 100 * m.sparsity()),
                  m.emptyRows(),
                  m.emptyColumns()));
      if (differences != null) {
        double share = 100.0 * differences.get(i) / Math.max(1, m.elements());
        cells.add(String.format(Locale.ROOT, "%.2f", share));
      }
      table.row(cells.toArray());
    }
    return table;
  }

  private static void print(PrintWriter out, MaskReport report, @Nullable List<Long> differences) {
    out.printf(
        Locale.ROOT,
        "%n%,d of %,d elements survive: %.2f %% are %s. ",
        report.survivors(),
        report.elements(),
        100 * report.sparsity(),
        report.removed() ? "removed" : "pruned");
    if (report.indexBytes(IndexKind.INT32) == 0) {
      out.printf("Empty rows and columns are gone, and nothing needs an index.%n");
    } else {
      out.printf(
          "An index takes %s as int32, %s as a bitmap.%n",
          MemoryEstimate.readable(report.indexBytes(IndexKind.INT32)),
          MemoryEstimate.readable(report.indexBytes(IndexKind.BITMAP)));
    }
    if (differences != null) {
      out.printf(
          Locale.ROOT,
          "The masks differ in %.4f of the elements.%n",
          distance(report, differences));
    }
  }

  private static double distance(MaskReport report, List<Long> differences) {
    long sum = differences.stream().mapToLong(Long::longValue).sum();
    return (double) sum / Math.max(1, report.elements());
  }

  private static ObjectNode json(MaskReport report, @Nullable List<Long> differences) {
    ObjectNode node = JsonOutput.object();
    node.put("elements", report.elements());
    node.put("survivors", report.survivors());
    node.put("sparsity", report.sparsity());
    node.put("index_bytes_int32", report.indexBytes(IndexKind.INT32));
    node.put("index_bytes_bitmap", report.indexBytes(IndexKind.BITMAP));
    if (differences != null) {
      node.put("distance", distance(report, differences));
    }
    ArrayNode list = node.putArray("matrices");
    for (Matrix m : report.matrices()) {
      ObjectNode one = list.addObject();
      one.put("name", m.name());
      one.put("rows", m.rows());
      one.put("cols", m.cols());
      one.put("survivors", m.survivors());
      one.put("sparsity", m.sparsity());
      one.put("empty_rows", m.emptyRows());
      one.put("empty_columns", m.emptyColumns());
    }
    return node;
  }
}
