package dev.gossamer.cli.data;

import dev.gossamer.DataSettings;
import dev.gossamer.VertexData;
import dev.gossamer.graph.Task;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of the data set of a command that reads features and labels, which others may replace.
public final class VertexDataOptions extends DataOptions {
  @Option(
      names = "--features",
      paramLabel = "X",
      description =
          "Features in place of the data set's own: FILE.npy, random:WIDTH, degree, or several of them with commas.")
  @Nullable String features;

  @Option(
      names = "--labels",
      paramLabel = "Y",
      description =
          "Classes in place of the data set's own: FILE.npy, FILE.csv (a line per vertex), or random:CLASSES; several columns"
              + " are labels (0 or 1) or numbers to predict.")
  @Nullable String labels;

  @Option(
      names = "--task",
      paramLabel = "TASK",
      description =
          "What is predicted of a vertex: ${COMPLETION-CANDIDATES}, which is some numbers (default: what the labels look"
              + " like).")
  @Nullable Task task;

  @Override
  public DataSettings settings() {
    return super.settings().withVertexData(new VertexData(features, labels, task));
  }
}
