package dev.gossamer.benchmarks;

import dev.gossamer.pruned.ModelSettings;
import dev.gossamer.pruned.PrunedResult;
import dev.gossamer.pruned.PrunedTraining;
import dev.gossamer.pruned.PruningSettings;
import dev.gossamer.pruned.RunPlan;
import dev.gossamer.pruned.corpus.Corpora;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.ReadingProgress;
import dev.gossamer.pruned.corpus.Tokens;
import dev.gossamer.pruned.pipeline.BatchSettings;
import dev.gossamer.pruned.pipeline.IterationRecord;
import dev.gossamer.pruned.pipeline.IterationSettings;
import dev.gossamer.pruned.pipeline.StagePhase;
import dev.gossamer.pruned.pipeline.StateSettings.Products;
import dev.gossamer.pruned.pipeline.StorageSettings;
import dev.gossamer.pruned.prune.Criterion;
import dev.gossamer.pruned.prune.Pruning;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Whole iterations of one network: all of its parameters, and what is left after pruning, by dense
/// products, by sparse ones, and by whichever is faster for each matrix, or what is left after
/// units have been removed; and beside them, if it is there, PyTorch. In turns, an iteration each.
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

  @Option(names = "--length", description = "tokens of a window of a text; 128 if it is not given")
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

  @Option(
      names = "--blocks",
      split = ",",
      arity = "1",
      description =
          "what is pruned: whole blocks (true), single elements (false), or both in turns")
  private boolean[] inBlocks = {false};

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

  @Option(
      names = "--torch",
      description =
          "Python with PyTorch, which trains the whole network in turns, too; none leaves it out")
  private String torch = "none";

  /// A network that is trained, an iteration when its turn has come.
  private abstract class Side {
    final String name;
    final double[] seconds = new double[warmUp + timed];
    final Map<StagePhase, double[]> phases = new EnumMap<>(StagePhase.class);

    Side(String name) {
      this.name = name;
    }

    /// Trains for an iteration and sets its seconds.
    abstract void iterate(int iteration) throws InterruptedException, ExecutionException;

    double median() {
      return TeamTimer.median(Arrays.copyOfRange(seconds, warmUp, warmUp + timed));
    }

    double median(StagePhase phase) {
      double[] all = phases.getOrDefault(phase, new double[warmUp + timed]);
      return TeamTimer.median(Arrays.copyOfRange(all, warmUp, warmUp + timed));
    }

    /// Ends the training.
    abstract void end() throws InterruptedException, ExecutionException;
  }

  /// One of ours, in a thread of its own, which ends with the program if another side fails.
  private final class Ours extends Side {
    private final Semaphore turn = new Semaphore(0);
    private final Semaphore done = new Semaphore(0);
    private final AtomicReference<@Nullable RunPlan> plan = new AtomicReference<>();
    private final FutureTask<PrunedResult> trained;
    private long begin;

    Ours(String name, PrunedTraining training) {
      super(name);
      PrunedTraining heard =
          training
              .onPlan(made -> {
                plan.set(made);
                done.release();
                turn.acquireUninterruptibly();
              })
              .onIteration(this::hear);
      trained =
          new FutureTask<>(heard::train) {
            // A hang is reported with its cause.
            @Override
            protected void done() {
              done.release();
            }
          };
      Thread.ofPlatform().daemon().start(trained);
    }

    private void hear(IterationRecord iteration) {
      long now = now();
      int i = iteration.number() - 1;
      // The first iteration begins in another place than the others, and is not timed.
      seconds[i] = (now - begin) * 1e-9 / threads;
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

    /// What it trains, once it knows.
    RunPlan plan() throws InterruptedException, ExecutionException {
      await();
      return Objects.requireNonNull(plan.get());
    }

    @Override
    void iterate(int iteration) throws InterruptedException, ExecutionException {
      turn.release();
      await();
    }

    private void await() throws InterruptedException, ExecutionException {
      done.acquire();
      if (trained.isDone()) {
        trained.get();
      }
    }

    @Override
    void end() throws InterruptedException, ExecutionException {
      // The last iteration's report waits for its turn, too.
      turn.release();
      trained.get();
    }
  }

  /// The whole network in PyTorch.
  private final class Torch extends Side {
    private static final long REST_MILLIS = 100;

    private final TorchIterations iterations;

    Torch(RunPlan plan, boolean bfloat16) throws IOException {
      super(bfloat16 ? "PyTorch bf16" : "PyTorch fp32");
      iterations =
          new TorchIterations(
              plan.architecture(), batch, new TorchIterations.Setting(torch, threads, bfloat16));
      long ours = plan.network().layout().count();
      if (iterations.parameters() != ours) {
        throw new IllegalStateException(
            "expected %d parameters, found %d in PyTorch".formatted(ours, iterations.parameters()));
      }
    }

    @Override
    void iterate(int iteration) throws InterruptedException {
      TorchIterations.Seconds both = iterations.iterate();
      seconds[iteration] = cpuTime ? both.processor() / threads : both.clock();
      // Its threads wait for work actively for a while, which is not to slow down the next side.
      Thread.sleep(REST_MILLIS);
    }

    @Override
    void end() {
      iterations.close();
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
      List<Ours> ours = networks(base);
      List<Side> sides = new ArrayList<>(ours);
      RunPlan plan = ours.getFirst().plan();
      for (Ours other : ours.subList(1, ours.size())) {
        other.plan();
      }
      if (!torch.equals("none")) {
        sides.add(new Torch(plan, false));
        sides.add(new Torch(plan, true));
      }
      for (int i = 0; i < warmUp + timed; i++) {
        for (Side side : sides) {
          side.iterate(i);
        }
      }
      for (Side side : sides) {
        side.end();
      }
      print(sides, System.out);
    }
    return 0;
  }

  private List<Ours> networks(PrunedTraining base) {
    List<Ours> networks = new ArrayList<>();
    networks.add(new Ours("all kept", base.prune(new Pruning.Never())));
    for (double sparsity : sparsities) {
      PruningSettings atOnce =
          PruningSettings.DEFAULT.withWhen(new Pruning.OneShot(0)).withSparsity(sparsity);
      for (Products each : products) {
        StorageSettings storage = StorageSettings.DEFAULT.withProducts(each);
        for (boolean blocks : inBlocks) {
          networks.add(
              new Ours(
                  "%s%s %.2f".formatted(lower(each), blocks ? " blocks" : "", sparsity),
                  base.pruning(
                          atOnce.withCriterion(blocks ? Criterion.BLOCKS : Criterion.PER_LAYER))
                      .storage(storage)));
        }
      }
      for (Criterion each : removed) {
        networks.add(
            new Ours(
                "%s %.2f".formatted(lower(each), sparsity),
                base.pruning(atOnce.withCriterion(each))));
      }
    }
    return networks;
  }

  private static String lower(Enum<?> constant) {
    return constant.toString().toLowerCase(Locale.ROOT);
  }

  private void print(List<Side> sides, PrintStream out) {
    out.print(Machine.here().text());
    out.printf(
        "%n%-16s %10s %7s %10s %10s %10s%n",
        "", "iteration", "ratio", "forward", "backward", "update");
    double first = sides.getFirst().median();
    for (Side side : sides) {
      out.printf("%-16s %8.2fms %7.2f", side.name, side.median() * 1e3, first / side.median());
      if (!side.phases.isEmpty()) {
        out.printf(
            " %8.2fms %8.2fms %8.2fms",
            side.median(StagePhase.FORWARD) * 1e3,
            (side.median(StagePhase.BACKWARD) + side.median(StagePhase.COMPRESSION)) * 1e3,
            side.median(StagePhase.UPDATE) * 1e3);
      }
      out.println();
    }
  }
}
