import dev.gossamer.Dataset;
import dev.gossamer.GraphModel;
import dev.gossamer.GraphTraining;
import dev.gossamer.Predictions;
import java.nio.file.Path;

/// Trains a graph network, keeps it in a file, and predicts with it.
public final class Quickstart {
  private Quickstart() {}

  /// @param arguments a built-in data set, a data set folder, or a file or folder in a raw format
  public static void main(String[] arguments) {
    Path file = Path.of("target", "quickstart.safetensors");
    try (Dataset dataset = Dataset.open(arguments[0])) {
      GraphModel model = GraphTraining.on(dataset).gcn(64).epochs(100).learningRate(0.01).run();
      System.out.printf("test accuracy %.4f%n", model.evaluate(dataset).test().accuracy());
      model.write(file);

      Predictions predictions = GraphModel.open(file).predict(dataset);
      int step = Math.max(1, dataset.vertices() / 5);
      for (int vertex = 0; vertex < dataset.vertices(); vertex += step) {
        System.out.printf(
            "%s: %s, probability %.2f%n",
            dataset.vertexName(vertex),
            predictions.classNameOf(vertex),
            predictions.probability(vertex, predictions.classOf(vertex)));
      }
    }
  }
}
