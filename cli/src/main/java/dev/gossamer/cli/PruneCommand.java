package dev.gossamer.cli;

import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.nn.Mask;
import dev.gossamer.pruned.prune.MaskFile;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "prune",
    description = "Look at what pruning has left of a network.",
    mixinStandardHelpOptions = true,
    subcommands = {PruneCommand.Inspect.class})
final class PruneCommand implements Runnable {
  @Spec CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "expected a command, found none");
  }

  @Command(
      name = "inspect",
      description = {
        "Show what a mask keeps of each matrix, and what an index of it takes.",
        "A run of train-dense leaves its mask as mask.safetensors; --mask of train-dense reads it.",
      },
      sortOptions = false,
      footerHeading = "%nExamples:%n",
      footer = {
        "  gossamer prune inspect runs/20260131-101500-jdk/mask.safetensors",
        "  gossamer prune inspect runs/20260131-101500-jdk --with runs/20260131-104000-jdk",
        "      how far the masks of two runs differ",
      })
  static final class Inspect implements Callable<Integer> {
    @Spec CommandSpec spec;
    @Mixin CommonOptions common = new CommonOptions();

    @Parameters(
        paramLabel = "MASK",
        description = "A mask's file, or the folder of a run that has one.")
    Path mask = Path.of("");

    @Option(
        names = "--with",
        paramLabel = "MASK",
        description = "Another mask of the same network, to compare with.")
    @Nullable Path with;

    @Override
    public Integer call() {
      List<Matrix> matrices = matrices(mask);
      List<Matrix> others = with == null ? null : matrices(with);
      if (others != null) {
        requireAlike(matrices, others);
      }
      PrintWriter out = spec.commandLine().getOut();
      if (common.json) {
        out.println(new JsonMapper().writeValueAsString(json(matrices, others)));
      } else {
        table(matrices, others).print(out);
        print(out, matrices, others);
      }
      out.flush();
      return 0;
    }

    /// A matrix with its survivors, counted in the flattened matrix.
    private record Matrix(String name, int rows, int cols, BitSet bits) {
      long count() {
        return (long) rows * cols;
      }

      int survivors() {
        return bits.cardinality();
      }

      double sparsity() {
        return 1 - (double) survivors() / count();
      }

      long emptyRows() {
        return rows - bits.stream().map(i -> i / cols).distinct().count();
      }

      long emptyColumns() {
        return cols - bits.stream().map(i -> i % cols).distinct().count();
      }

      int differences(Matrix other) {
        BitSet differing = (BitSet) bits.clone();
        differing.xor(other.bits);
        return differing.cardinality();
      }
    }

    private static List<Matrix> matrices(Path given) {
      Path file = Files.isDirectory(given) ? given.resolve("mask.safetensors") : given;
      Mask mask = MaskFile.read(file);
      return mask.layout().entries().stream()
          .map(e -> new Matrix(e.name(), e.rows(), e.cols(), mask.survivors(e.name())))
          .toList();
    }

    private void requireAlike(List<Matrix> one, List<Matrix> other) {
      if (!names(one).equals(names(other))) {
        throw new InvalidInputException(
            "--with: expected a mask of the same matrices as %s, found others in %s"
                .formatted(mask, with));
      }
    }

    private static List<String> names(List<Matrix> matrices) {
      return matrices.stream()
          .map(m -> "%s %d x %d".formatted(m.name(), m.rows(), m.cols()))
          .toList();
    }

    private static Table table(List<Matrix> matrices, @Nullable List<Matrix> others) {
      Table table = new Table();
      if (others == null) {
        table.row(
            "matrix", "shape", "elements", "survivors", "pruned %", "empty rows", "empty columns");
      } else {
        table.row(
            "matrix",
            "shape",
            "elements",
            "survivors",
            "pruned %",
            "empty rows",
            "empty columns",
            "differ %");
      }
      for (int i = 0; i < matrices.size(); i++) {
        Matrix m = matrices.get(i);
        Object[] cells = {
          m.name(),
          m.rows() + " x " + m.cols(),
          String.format(Locale.ROOT, "%,d", m.count()),
          String.format(Locale.ROOT, "%,d", m.survivors()),
          String.format(Locale.ROOT, "%.2f", 100 * m.sparsity()),
          m.emptyRows(),
          m.emptyColumns(),
        };
        if (others == null) {
          table.row(cells);
        } else {
          Object[] more = Arrays.copyOf(cells, cells.length + 1);
          more[cells.length] =
              String.format(Locale.ROOT, "%.2f", 100.0 * m.differences(others.get(i)) / m.count());
          table.row(more);
        }
      }
      return table;
    }

    private static void print(
        PrintWriter out, List<Matrix> matrices, @Nullable List<Matrix> others) {
      long all = all(matrices);
      long survivors = survivors(matrices);
      out.printf(
          Locale.ROOT,
          "%n%,d of %,d elements survive: %.2f %% are pruned. An index takes %s as int32, %s as a bitmap.%n",
          survivors,
          all,
          100 - 100.0 * survivors / all,
          MemoryEstimate.readable(indexBytes(matrices, IndexKind.INT32)),
          MemoryEstimate.readable(indexBytes(matrices, IndexKind.BITMAP)));
      if (others != null) {
        out.printf(
            Locale.ROOT,
            "The masks differ in %.4f of the elements.%n",
            (double) differences(matrices, others) / all);
      }
    }

    private static ObjectNode json(List<Matrix> matrices, @Nullable List<Matrix> others) {
      ObjectNode node = new JsonMapper().createObjectNode();
      node.put("elements", all(matrices));
      node.put("survivors", survivors(matrices));
      node.put("sparsity", 1 - (double) survivors(matrices) / all(matrices));
      node.put("index_bytes_int32", indexBytes(matrices, IndexKind.INT32));
      node.put("index_bytes_bitmap", indexBytes(matrices, IndexKind.BITMAP));
      if (others != null) {
        node.put("distance", (double) differences(matrices, others) / all(matrices));
      }
      ArrayNode list = node.putArray("matrices");
      for (Matrix m : matrices) {
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

    private static long all(List<Matrix> matrices) {
      return matrices.stream().mapToLong(Matrix::count).sum();
    }

    private static long survivors(List<Matrix> matrices) {
      return matrices.stream().mapToLong(Matrix::survivors).sum();
    }

    private static long differences(List<Matrix> matrices, List<Matrix> others) {
      long sum = 0;
      for (int i = 0; i < matrices.size(); i++) {
        sum += matrices.get(i).differences(others.get(i));
      }
      return sum;
    }

    private static long indexBytes(List<Matrix> matrices, IndexKind kind) {
      return matrices.stream().mapToLong(m -> kind.bytes(m.count(), m.survivors())).sum();
    }
  }
}
