package dev.gossamer.cli.data;

import dev.gossamer.DataSettings;
import dev.gossamer.LinkSettings;
import dev.gossamer.VertexData;
import dev.gossamer.cli.terminal.ReadWith;
import dev.gossamer.graph.LinkSplit;
import dev.gossamer.graph.LinkTask;
import dev.gossamer.graph.Negatives;
import dev.gossamer.graph.Task;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of the data set of a command that reads features and labels, which others may replace.
public final class VertexDataOptions extends DataOptions {
  @Option(
      names = "--features",
      paramLabel = "X",
      description =
          "Features in place of the data set's own: FILE.npy, random:WIDTH, degree, or several of them with commas; or identity:"
              + " a vector of each vertex is learned.")
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
          "What is predicted: ${COMPLETION-CANDIDATES}. Regression is of numbers; links are edges that are held out"
              + " (default: what the labels look like).")
  @Nullable Task task;

  @ReadWith("--task links")
  @Option(
      names = "--link-split",
      paramLabel = "T/V/S",
      defaultValue = "85/5/10",
      description =
          "Shares of the edges for training, validation and test; the last two are removed from the graph (default:"
              + " ${DEFAULT-VALUE}).")
  String linkSplit = LinkSettings.DEFAULT.linkSplit();

  @ReadWith("--task links")
  @Option(
      names = "--link-split-by",
      paramLabel = "HOW",
      defaultValue = "random",
      description =
          "What decides the part of an edge: ${COMPLETION-CANDIDATES}. By time, the latest edges are tested, and the latest of"
              + " the others are for validation (default: ${DEFAULT-VALUE}).")
  LinkSplit.By linkSplitBy = LinkSettings.DEFAULT.linkSplitBy();

  @ReadWith("--task links")
  @Option(
      names = "--supervised",
      paramLabel = "SHARE",
      defaultValue = "0.0",
      description =
          "Share of the training edges that the loss is over and that are not in the graph; 0: the loss is over all"
              + " training edges, and all are in the graph (default: ${DEFAULT-VALUE}).")
  double supervised;

  @ReadWith("--task links")
  @Option(
      names = "--embedding",
      paramLabel = "WIDTH",
      defaultValue = "" + LinkTask.DEFAULT_WIDTH,
      description =
          "Width of the vectors by which vertices are compared (default: ${DEFAULT-VALUE}).")
  int embedding;

  @ReadWith("--task links")
  @Option(
      names = "--negatives",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Pairs without an edge that each training edge is compared with, others in each epoch (default:"
              + " ${DEFAULT-VALUE}).")
  int negatives;

  @ReadWith("--task links")
  @Option(
      names = "--negatives-by",
      paramLabel = "HOW",
      defaultValue = "uniform",
      description =
          "How vertices of these pairs are drawn: ${COMPLETION-CANDIDATES}, the number of their edges (default:"
              + " ${DEFAULT-VALUE}).")
  Negatives.By negativesBy = Negatives.By.UNIFORM;

  @ReadWith("--task links")
  @Option(
      names = "--candidates",
      paramLabel = "N",
      defaultValue = "100",
      description =
          "Pairs without an edge that each held-out edge is ranked among (default: ${DEFAULT-VALUE}).")
  int candidates;

  @ReadWith("--task links")
  @Option(
      names = "--candidate-set",
      paramLabel = "SET",
      defaultValue = "own",
      description =
          "Which pairs these are: ${COMPLETION-CANDIDATES}. Own: each edge has pairs that share a vertex with it; shared: all"
              + " edges are ranked among the same pairs, for hits@20, 50 and 100 (default: ${DEFAULT-VALUE}).")
  LinkTask.CandidateSet candidateSet = LinkSettings.DEFAULT.candidateSet();

  @Override
  public DataSettings settings() {
    LinkSettings links =
        task == Task.LINKS
            ? new LinkSettings(
                linkSplit,
                linkSplitBy,
                supervised,
                embedding,
                negatives,
                negativesBy,
                candidates,
                candidateSet)
            : null;
    return super.settings().withVertexData(new VertexData(features, labels, task, links));
  }
}
