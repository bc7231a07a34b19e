package dev.gossamer.benchmarks;

import dev.gossamer.pruned.ModelSettings;
import dev.gossamer.pruned.PrunedTraining;
import dev.gossamer.pruned.PruningSettings;
import dev.gossamer.pruned.corpus.Corpora;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.ReadingProgress;
import dev.gossamer.pruned.corpus.Tokens;
import dev.gossamer.pruned.pipeline.BatchSettings;
import dev.gossamer.pruned.pipeline.IterationRecord;
import dev.gossamer.pruned.pipeline.IterationSettings;
import dev.gossamer.pruned.pipeline.Pruning.Criterion;
import dev.gossamer.pruned.pipeline.StagePhase;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.pipeline.StorageSettings;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Whole iterations of one network: all of its parameters, and what is left after pruning, by dense
/// products, by sparse ones, and by whichever is faster for each matrix, or what is left after
/// units have been removed. In turns, an iteration each.
@Command(name = "pruned", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class PrunedComparison implements Callable<Integer> {
  @Option(names = "--data", required = true, description = "text or images")
  private Path data = Path.of(".");

  @Option(names = "--tokens", description = "bytes, bpe or bpe:N")
  private String tokens = "bytes";

  @Option(names = "--model", description = "network")
  private String model = "gpt-small";

  @Option(names = "--width", description = "channels of a text model")
  private @Nullable Integer width;

  @Option(names = "--layers", description = "layers of a text model")
  private @Nullable Integer layers;

  @Option(names = "--length", description = "tokens of a window")
  private @Nullable Integer length;

  @Option(names = "--batch", description = "samples of an iteration, all in one microbatch")
  private int batch = 1;

  @Option(names = "--sparsity", split = ",", description = "shares that are pruned")
  private double[] sparsities = {0.8, 0.9};

  @Option(names = "--compute", split = ",", description = "products of the pruned network")
  private Products[] products = Products.values();

  @Option(
      names = "--remove",
      split = ",",
      description = "criteria by which units are removed instead: channels, heads and so on")
  private Criterion[] removed = {};

  @Option(names = "--threads", description = "size of the team of threads")
  private int threads = 1;

  @Option(names = "--warmup", description = "iterations of each side before the timed ones")
  private int warmUp = 8;

  @Option(names = "--iterations", description = "timed iterations of each side; the median counts")
  private int timed = 9;

  @Option(
      names = "--cpu-time",
      description =
          "count the processor time of the team instead of the clock's, divided by the"
              + " threads: for a machine that others use too")
  private boolean cpuTime;

  /// A network that is trained, an iteration when its turn has come.
  private final class Side {
    final String name;
    final PrunedTraining training;
    final Semaphore turn = new Semaphore(0);
    final Semaphore done = new Semaphore(0);
    final double[] seconds = new double[warmUp + timed];
    final Map<StagePhase, double[]> phases = new EnumMap<>(StagePhase.class);
    private long begin;

    Side(String name, PrunedTraining training) {
      this.name = name;
      this.training =
          training.onPlan(plan -> turn.acquireUninterruptibly()).onIteration(this::hear);
    }

    private void hear(IterationRecord iteration) {
      long end = now();
      int i = iteration.number() - 1;
      // The first iteration begins in another place than the others, and is not timed.
      seconds[i] = (end - begin) * 1e-9 / threads;
      iteration
          .result()
          .times()
          .phases()
          .forEach(
              (phase, s) -> phases.computeIfAbsent(phase, p -> new double[warmUp + timed])[i] = s);
      done.release();
      turn.acquireUninterruptibly();
      begin = now();
    }

    private double median() {
      return TeamTimer.median(Arrays.copyOfRange(seconds, warmUp, warmUp + timed));
    }

    private double median(StagePhase phase) {
      double[] all = phases.getOrDefault(phase, new double[warmUp + timed]);
      return TeamTimer.median(Arrays.copyOfRange(all, warmUp, warmUp + timed));
    }
  }

  private long now() {
    return cpuTime ? TeamTimer.processorTime() : System.nanoTime() * threads;
  }

  public static void main(String[] arguments) {
    System.exit(
        new CommandLine(new PrunedComparison())
            .setCaseInsensitiveEnumValuesAllowed(true)
            .execute(arguments));
  }

  @Override
  public Integer call() throws Exception {
    ModelSettings settings =
        ModelSettings.named(model).withWidth(width).withLayers(layers).withLength(length);
    int window = length == null ? 128 : length;
    try (Corpus corpus = Corpora.open(data, Tokens.parse(tokens), window, ReadingProgress.SILENT)) {
      PrunedTraining base =
          PrunedTraining.on(corpus)
              .model(settings)
              .iterations(
                  IterationSettings.DEFAULT
                      .withIterations(warmUp + timed)
                      .withEvaluateEvery(warmUp + timed)
                      .withEvaluateSamples(1))
              .batches(BatchSettings.DEFAULT.withBatch(batch).withMicrobatch(batch))
              .threads(threads);
      List<Side> sides = new ArrayList<>();
      sides.add(new Side("all kept", base.prune(new PruningSettings.Never())));
      for (double sparsity : sparsities) {
        for (Products each : products) {
          sides.add(
              new Side(
                  "%s %.2f".formatted(each.toString().toLowerCase(Locale.ROOT), sparsity),
                  base.prune(new PruningSettings.OneShot(0))
                      .sparsity(sparsity)
                      .storage(StorageSettings.DEFAULT.withProducts(each))));
        }
        for (Criterion each : removed) {
          sides.add(
              new Side(
                  "%s %.2f".formatted(each.toString().toLowerCase(Locale.ROOT), sparsity),
                  base.pruning(
                      PruningSettings.DEFAULT
                          .withWhen(new PruningSettings.OneShot(0))
                          .withSparsity(sparsity)
                          .withCriterion(each))));
        }
      }
      run(sides);
      print(sides, System.out);
    }
    return 0;
  }

  private void run(List<Side> sides) throws Exception {
    try (ExecutorService pool = Executors.newFixedThreadPool(sides.size())) {
      List<Future<?>> ends = new ArrayList<>();
      for (Side side : sides) {
        ends.add(pool.submit(() -> side.training.train()));
      }
      for (int i = 0; i < warmUp + timed; i++) {
        for (Side side : sides) {
          side.turn.release();
          side.done.acquire();
        }
      }
      // The last iteration's report waits for its turn, too.
      sides.forEach(side -> side.turn.release());
      for (Future<?> end : ends) {
        end.get();
      }
    }
  }

  private void print(List<Side> sides, PrintStream out) {
    out.print(Machine.here().text());
    out.printf(
        "%n%-16s %10s %7s %10s %10s %10s%n",
        "", "iteration", "ratio", "forward", "backward", "update");
    double first = sides.getFirst().median();
    for (Side side : sides) {
      out.printf(
          "%-16s %8.2fms %7.2f %8.2fms %8.2fms %8.2fms%n",
          side.name,
          side.median() * 1e3,
          first / side.median(),
          side.median(StagePhase.FORWARD) * 1e3,
          (side.median(StagePhase.BACKWARD) + side.median(StagePhase.COMPRESSION)) * 1e3,
          side.median(StagePhase.UPDATE) * 1e3);
    }
  }
}
