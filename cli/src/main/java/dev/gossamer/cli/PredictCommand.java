package dev.gossamer.cli;

import dev.gossamer.gnn.fullgraph.FullGraphTrainer;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.io.AtomicOutput;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.matrix.io.NpyFile;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "predict",
    description = {
      "Predict the class of every vertex.",
      "Writes predictions.csv (vertex, class, probability), probabilities.npy (float32, vertices x classes)"
          + " and, if asked, embeddings.npy (float32, vertices x hidden).",
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer predict --run runs/20260131-101500-jdk-classes --out predictions",
      "  gossamer predict --run runs/20260131-101500-cora --embeddings --out cora-predictions",
    })
final class PredictCommand implements Callable<Integer> {
  private static final String CSV = "predictions.csv";

  @Spec CommandSpec spec;
  @Mixin CommonOptions common = new CommonOptions();
  @Mixin TrainedModel model = new TrainedModel();

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FOLDER",
      defaultValue = "predictions",
      description = "Folder to write (default: ${DEFAULT-VALUE}).")
  Path out = Path.of("predictions");

  @Option(names = "--embeddings", description = "Write the last hidden layer's activations too.")
  boolean embeddings;

  @Override
  public Integer call() {
    model.use(common, this::predict);
    return 0;
  }

  private void predict(GraphData dataset, FullGraphTrainer trainer) {
    if (embeddings && !trainer.hasEmbeddings()) {
      throw new InvalidInputException(
          "--embeddings: expected a network with a hidden layer, found a single layer");
    }
    DenseMatrix probabilities = trainer.probabilities();
    AtomicOutput.folder(
        out,
        CSV,
        folder -> {
          writeCsv(folder.resolve(CSV), dataset, probabilities);
          write(folder.resolve("probabilities.npy"), probabilities);
          if (embeddings) {
            write(folder.resolve("embeddings.npy"), trainer.embeddings());
          }
        });
    report(dataset);
  }

  private static void write(Path file, DenseMatrix matrix) throws IOException {
    NpyFile.write(file, NpyFile.Type.FLOAT32, matrix.data(), matrix.rows(), matrix.cols());
  }

  private static void writeCsv(Path file, GraphData dataset, DenseMatrix probabilities)
      throws IOException {
    List<String> names = dataset.vertexNames();
    CSVFormat format =
        CSVFormat.DEFAULT
            .builder()
            .setHeader("vertex", "class", "probability")
            .setRecordSeparator('\n')
            .get();
    try (BufferedWriter writer = Files.newBufferedWriter(file);
        CSVPrinter csv = new CSVPrinter(writer, format)) {
      for (int v = 0; v < dataset.vertices(); v++) {
        int row = v;
        int best =
            IntStream.range(0, probabilities.cols())
                .reduce((a, b) -> probabilities.get(row, b) > probabilities.get(row, a) ? b : a)
                .orElseThrow();
        csv.printRecord(
            names == null ? Integer.toString(v) : names.get(v),
            dataset.info().classNames().get(best),
            String.format(Locale.ROOT, "%.6f", probabilities.get(v, best)));
      }
    }
  }

  private void report(GraphData dataset) {
    if (common.json) {
      JsonMapper json = new JsonMapper();
      ObjectNode node = json.createObjectNode();
      node.put("dataset", dataset.name());
      node.put("vertices", dataset.vertices());
      node.put("folder", out.toString());
      spec.commandLine().getOut().println(json.writeValueAsString(node));
    } else {
      spec.commandLine()
          .getOut()
          .printf("%,d predictions in %s%n", dataset.vertices(), out.resolve(CSV));
    }
    spec.commandLine().getOut().flush();
  }
}
