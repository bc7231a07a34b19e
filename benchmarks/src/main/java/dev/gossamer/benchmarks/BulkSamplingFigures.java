package dev.gossamer.benchmarks;

import dev.gossamer.Dataset;
import dev.gossamer.GraphTraining;
import dev.gossamer.TrainingFacts;
import dev.gossamer.TrainingFacts.Sampled;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.minibatch.MinibatchSettings.GraphPlace;
import dev.gossamer.gnn.minibatch.MinibatchSettings.Overlap;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.SamplingSeconds;
import java.io.PrintStream;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// MBS, figures 4, 6 and 7, measured here with ranks as threads: what sampling, fetching and
/// propagation take of an epoch, and probabilities, SAMPLE, EXTRACT and communication of sampling.
@Command(
    name = "mbs",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = "MBS, figures 4, 6 and 7: breakdowns of minibatches, measured here.")
final class BulkSamplingFigures implements Callable<Integer> {
  @Option(names = "--graphs", split = ",", description = "mg-products, mg-protein, mg-papers")
  private List<String> graphs = List.of("mg-products", "mg-protein");

  @Option(names = "--scale", description = "one of this number of vertices is kept")
  private int scale = 128;

  @Option(names = "--ranks", split = ",", description = "p, as threads")
  private List<Integer> ranks = List.of(1, 4);

  @Option(names = "--batch", description = "vertices of a batch")
  private int batch = 1024;

  @Option(names = "--fanouts", split = ",", description = "of GraphSAGE, from the batch outwards")
  private int[] fanouts = {15, 10, 5};

  @Option(names = "--layer-size", description = "s of LADIES, whose batches are as large")
  private int layerSize = 512;

  @Option(names = "--hidden", description = "width of the hidden layers")
  private int hidden = 256;

  @Option(names = "--epochs", description = "of a training")
  private int epochs = 3;

  @Override
  public Integer call() {
    PrintStream out = System.out;
    out.print(Machine.here().text());
    for (String name : graphs) {
      PaperGraph graph = PaperGraph.named(name).withScale(scale);
      try (Dataset dataset = graph.build()) {
        out.printf("%n### %s%n%n%s%n%n", graph.name(), graph.text(dataset));
        out.println(
            "| sampler | graph | p | sample s | fetch s | propagate s | probability | SAMPLE | EXTRACT | communication |");
        out.println("|---|---|---|---|---|---|---|---|---|---|");
        for (Sampler sampler : samplers()) {
          for (GraphPlace place : GraphPlace.values()) {
            for (int p : ranks) {
              if (p > 1 || place == GraphPlace.REPLICATED) {
                row(out, dataset, sampler, place, p);
              }
            }
          }
        }
      }
    }
    return 0;
  }

  private List<Sampler> samplers() {
    return List.of(Sampler.sage(fanouts), Sampler.ladies(layerSize, layerSize));
  }

  private void row(PrintStream out, Dataset dataset, Sampler sampler, GraphPlace place, int p) {
    boolean ladies = sampler.name().equals("ladies");
    int layers = ladies ? 2 : fanouts.length;
    MinibatchSettings settings =
        MinibatchSettings.of(sampler)
            .withBatchSize(ladies ? layerSize : batch)
            .withAutomaticBulk()
            .withOverlap(Overlap.OFF)
            .withGraph(place);
    int[] widths = Collections.nCopies(layers - 1, hidden).stream().mapToInt(w -> w).toArray();
    TrainingFacts measured =
        GraphTraining.on(dataset)
            .sage(widths)
            .ranks(p)
            .minibatches(settings)
            .epochs(epochs)
            .train()
            .facts();
    if (!(measured instanceof Sampled facts)) {
      throw new IllegalStateException("expected what minibatches did, found " + measured);
    }
    SamplingSeconds drawing = facts.drawing();
    double all =
        drawing.probability() + drawing.sampling() + drawing.extraction() + drawing.communication();
    out.printf(
        Locale.ROOT,
        "| %s | %s | %d | %.3f | %.3f | %.3f | %.0f %% | %.0f %% | %.0f %% | %.0f %% |%n",
        sampler.name(),
        place.name().toLowerCase(Locale.ROOT),
        p,
        facts.seconds().sample(),
        facts.seconds().fetch(),
        facts.seconds().propagate(),
        100 * drawing.probability() / all,
        100 * drawing.sampling() / all,
        100 * drawing.extraction() / all,
        100 * drawing.communication() / all);
    out.flush();
  }
}
