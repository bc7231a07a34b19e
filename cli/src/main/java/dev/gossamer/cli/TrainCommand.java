package dev.gossamer.cli;

import dev.gossamer.comm.ThreadOptions;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.Placement;
import dev.gossamer.fullgraph.FullGraphTrainer;
import dev.gossamer.fullgraph.NetworkPlan;
import dev.gossamer.fullgraph.RankPlan;
import dev.gossamer.fullgraph.RankTraining;
import dev.gossamer.graph.Dataset;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.matrix.kernel.Matmul;
import dev.gossamer.matrix.trace.Timeline;
import dev.gossamer.network.NetworkSettings;
import dev.gossamer.nn.Kernels;
import dev.gossamer.nn.Phase;
import dev.gossamer.nn.PhaseClock;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.plan.MemoryEstimate;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.EpochTrainer;
import dev.gossamer.run.LoopSettings;
import dev.gossamer.run.RankLog;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.TrainingLoop;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "train",
    description = "Train a network on a graph.",
    sortOptions = false,
    showDefaultValues = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer train",
      "      a graph convolutional network on the class-reference graph of the running JDK",
      "  gossamer train --model mlp",
      "      the same without the graph: what the graph is worth",
      "  gossamer train --data cora/ --config config/cora.yaml --seed 3",
      "      a Planetoid folder with the settings of Kipf and Welling",
      "  gossamer train --data my-graph/ --layers 3 --hidden 128 --schedule cosine --epochs 300",
      "  gossamer train --ranks 4 --placement random",
      "      four ranks as threads; mpirun -np 4 gossamer train ... runs them as processes",
      "  gossamer train --ranks 4 --link 30us,0.8ns --trace",
      "      the same over an imitated network; trace.json shows what travelled behind which kernel",
      "  gossamer train --resume runs/20260131-101500-jdk-classes",
      "      continue an interrupted run to the bits of an uninterrupted one",
    })
final class TrainCommand implements Callable<Integer> {
  static final int INTERRUPTED = 130;

  @Spec CommandSpec spec;
  @Mixin CommonOptions common = new CommonOptions();
  @Mixin DataOptions data = new DataOptions();
  @Mixin NetworkOptions network = new NetworkOptions();
  @Mixin OptimizerOptions optimizer = new OptimizerOptions();
  @Mixin ComputeOptions compute = new ComputeOptions();
  @Mixin RankOptions ranks = new RankOptions();

  @Option(
      names = "--epochs",
      paramLabel = "N",
      defaultValue = "150",
      description = "Epochs at most (default: ${DEFAULT-VALUE}).")
  int epochs;

  @Option(
      names = "--patience",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Stop after this many epochs without a better validation accuracy; 0 for never (default: ${DEFAULT-VALUE}).")
  int patience;

  @Option(
      names = "--evaluate-every",
      paramLabel = "N",
      defaultValue = "1",
      description = "Epochs between two evaluations (default: ${DEFAULT-VALUE}).")
  int evaluateEvery;

  @Option(
      names = "--checkpoint-every",
      paramLabel = "N",
      defaultValue = "50",
      description =
          "Epochs between two checkpoints; 0 for none but when interrupted (default: ${DEFAULT-VALUE}).")
  int checkpointEvery;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Seed of weights and dropout; the same seed gives the same bits (default: ${DEFAULT-VALUE}).")
  long seed;

  @Option(
      names = "--runs",
      paramLabel = "FOLDER",
      defaultValue = "runs",
      description = "Where the run's folder is made (default: ${DEFAULT-VALUE}).")
  Path runs = Path.of("runs");

  @Option(
      names = "--trace",
      paramLabel = "K",
      arity = "0..1",
      defaultValue = "0",
      fallbackValue = "5",
      description =
          "Write trace.json into the run's folder: what each rank computed and sent when, in the first K epochs"
              + " (${FALLBACK-VALUE} without a number; default: none). Opens in ui.perfetto.dev or chrome://tracing.")
  int trace;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "YAML file with flags as keys (hidden: 64); flags on the command line win.")
  @Nullable Path config;

  @Option(
      names = "--resume",
      paramLabel = "RUN",
      description = "Continue the run in this folder from its checkpoint, with its settings.")
  @Nullable Path resume;

  /// What a run trains, on however many ranks.
  ///
  /// @param threads of each rank
  private record Job(
      Dataset dataset,
      NetworkSettings settings,
      OptimizerRule rule,
      LoopSettings loop,
      Matmul matmul,
      int threads) {}

  @Override
  public Integer call() {
    OptimizerRule rule = optimizer.rule();
    NetworkSettings settings = network.settings(optimizer.decayFirstLayerOnly());
    LoopSettings loop = loopSettings();
    Matmul matmul = compute.chosenMatmul();
    long limit = compute.memoryLimit(ranks.processesHere());
    int size = ranks.size();
    int threads =
        ranks.underLauncher()
            ? compute.threads(ranks.processesHere())
            : Math.max(1, compute.threads(1) / size);
    ExchangeStrategy strategy = ranks.strategy();
    ThreadOptions threadOptions = ranks.threadOptions();
    requireTraceable();
    Placing.requireKnown(ranks.placement);
    try (Dataset dataset = data.open(common)) {
      DataOptions.requireTrainable(dataset);
      Job job = new Job(dataset, settings, rule, loop, matmul, threads);
      if (size == 1) {
        return trainAlone(job, limit);
      }
      Share share = ranks.isFirstProcess() ? share(job, strategy, size, limit) : null;
      return trainOverRanks(job, strategy, share, threadOptions);
    }
  }

  private int trainAlone(Job job, long limit) {
    MemoryEstimate memory =
        fitting(
            job,
            limit,
            settings ->
                NetworkPlan.of(job.dataset(), settings)
                    .memory(job.dataset(), settings, job.rule(), job.threads()));
    NetworkPlan plan = NetworkPlan.of(job.dataset(), job.settings());
    RunFolder folder = runFolder(job.dataset());
    TrainReport report =
        new TrainReport(job.dataset(), job.settings(), plan, null, memory, folder, seed, common);
    report.begin(spec.commandLine().getErr());
    RankLog log = RankLog.alone(Timeline.ofEpochs(trace));
    try (Workers workers = new Workers(job.threads());
        FullGraphTrainer trainer =
            new FullGraphTrainer(
                job.dataset(),
                job.settings(),
                plan,
                job.rule(),
                seed,
                kernels(workers, job.matmul(), log))) {
      return train(job.loop(), trainer, folder, report, log, true, records -> null);
    }
  }

  /// How a job is divided among ranks, and what each needs: decided by the first process, while the
  /// others wait for it to join.
  private record Share(RankPlan plan, Placing placing, MemoryEstimate memory) {}

  private Share share(Job job, ExchangeStrategy strategy, int size, long limit) {
    Placing placing =
        Placing.of(
            ranks.placement,
            job.dataset(),
            strategy.blocks(size),
            seed,
            new Placing.Means(compute.threads(1), limit, common, spec.commandLine().getErr()));
    RankPlan plan = RankPlan.of(job.dataset(), placing.placement(), strategy);
    MemoryEstimate memory =
        fitting(
            job,
            limit,
            settings ->
                ranks.underLauncher()
                    ? plan.memoryOfProcess(settings, job.rule(), job.threads())
                    : plan.memoryOfThreads(settings, job.rule(), job.threads()));
    return new Share(plan, placing, memory);
  }

  /// @param share null on all processes but the first
  private int trainOverRanks(
      Job job, ExchangeStrategy strategy, @Nullable Share share, ThreadOptions threadOptions) {
    RunFolder folder = runFolder(job.dataset());
    TrainReport report = report(job, share, folder);
    if (share != null) {
      report.begin(spec.commandLine().getErr());
    }
    AtomicInteger status = new AtomicInteger();
    ranks.run(
        threadOptions,
        world -> {
          boolean first = world.rank() == 0;
          Placement known = share == null ? null : share.plan().placement();
          Placement placement =
              ranks.underLauncher() || known == null
                  ? Placement.broadcast(
                      world, known, job.dataset().vertices(), strategy.blocks(world.size()))
                  : known;
          RankLog log = RankLog.of(world, Timeline.ofEpochs(trace), !ranks.underLauncher());
          try (Workers workers = new Workers(job.threads());
              RankTraining training =
                  new RankTraining(
                      world,
                      job.dataset(),
                      placement,
                      strategy,
                      job.settings(),
                      job.rule(),
                      seed,
                      kernels(workers, job.matmul(), log))) {
            int result =
                train(
                    job.loop(),
                    training,
                    folder,
                    report,
                    log,
                    first,
                    records -> rankReport(training, share, records));
            if (first) {
              status.set(result);
            }
          }
        });
    return status.get();
  }

  private TrainReport report(Job job, @Nullable Share share, RunFolder folder) {
    NetworkSettings settings = job.settings();
    RankPlan plan = share == null ? null : share.plan();
    NetworkPlan network =
        plan == null
            ? NetworkPlan.of(job.dataset(), settings)
            : plan.network(plan.fullestRank(settings), settings);
    MemoryEstimate memory = share == null ? MemoryEstimate.builder().build() : share.memory();
    return new TrainReport(job.dataset(), settings, network, plan, memory, folder, seed, common);
  }

  /// What the ranks sent. Collective.
  private @Nullable RankReport rankReport(
      RankTraining training, @Nullable Share share, List<EpochRecord> records) {
    List<Long> bytes = training.bytesByRank();
    List<Long> messages = training.messagesByRank();
    Partitioning made = share == null ? null : share.placing().partitioning();
    double exchangeSeconds = TrainReport.median(records, Phase.EXCHANGE);
    return share == null
        ? null
        : new RankReport(
            share.plan(),
            made == null ? null : Payback.of(made, share.plan(), exchangeSeconds),
            bytes,
            messages,
            ranks.underLauncher() ? null : ranks.link);
  }

  /// The folder of this run; under a launcher only the first process makes or writes one.
  private RunFolder runFolder(Dataset dataset) {
    if (resume != null) {
      return RunFolder.open(resume);
    }
    if (!ranks.isFirstProcess()) {
      return new RunFolder(runs);
    }
    RunFolder folder = RunFolder.create(runs, dataset.name());
    data.makeAbsolute();
    ConfigFile.write(folder.config(), spec);
    return folder;
  }

  private int train(
      LoopSettings loop,
      EpochTrainer trainer,
      RunFolder folder,
      TrainReport report,
      RankLog log,
      boolean first,
      Function<List<EpochRecord>, @Nullable RankReport> rankReport) {
    List<EpochRecord> records = new ArrayList<>();
    CountDownLatch finished = new CountDownLatch(1);
    try {
      TrainingLoop.Result result;
      try (ProgressLine progress =
          new ProgressLine("training", "epochs", epochs, common.quiet || !first)) {
        TrainingLoop run =
            new TrainingLoop(
                loop,
                trainer,
                folder,
                first,
                record -> {
                  records.add(record);
                  log.epoch(record.epoch(), trainer.sent());
                  progress.update(record.epoch(), message(record));
                });
        stopWhenTold(run, finished);
        result = run.run();
      }
      RankReport traffic = rankReport.apply(records);
      log.write(folder);
      if (!first) {
        return 0;
      }
      if (result.interrupted()) {
        spec.commandLine()
            .getErr()
            .printf(
                "gossamer: interrupted after epoch %d; continue with: gossamer train --resume %s%n",
                result.epochs(), folder.path());
        return INTERRUPTED;
      }
      ModelFile.write(folder, trainer.state(), report.dataset());
      report.end(spec.commandLine().getOut(), records, result, traffic);
      return 0;
    } finally {
      finished.countDown();
    }
  }

  private static Kernels kernels(Workers workers, Matmul matmul, RankLog log) {
    return new Kernels(workers, matmul, new PhaseClock(log.timeline()));
  }

  private void requireTraceable() {
    if (trace < 0) {
      throw new InvalidInputException("--trace: expected at least 0 epochs, found " + trace);
    }
  }

  /// When the process is told to end, lets the epoch finish and the checkpoint be written first.
  private static void stopWhenTold(TrainingLoop run, CountDownLatch finished) {
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .name("stop")
                .unstarted(() -> {
                  run.requestStop();
                  try {
                    finished.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                }));
  }

  private static String message(EpochRecord record) {
    return record.evaluation() == null
        ? String.format(Locale.ROOT, "loss %.4f", record.loss())
        : String.format(
            Locale.ROOT,
            "loss %.4f  validation %.4f",
            record.loss(),
            record.evaluation().validation().accuracy());
  }

  private LoopSettings loopSettings() {
    try {
      return new LoopSettings(
          epochs, patience, evaluateEvery, checkpointEvery, optimizer.learningRate(epochs));
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("--" + e.getMessage(), e);
    }
  }

  /// The memory of a job, which must be within a limit.
  private static MemoryEstimate fitting(
      Job job, long limit, Function<NetworkSettings, MemoryEstimate> estimate) {
    NetworkSettings settings = job.settings();
    int widest = settings.hidden().stream().mapToInt(Integer::intValue).max().orElse(1);
    MemoryEstimate memory = estimate.apply(settings);
    memory.requireFits(
        limit, "--hidden", widest, width -> estimate.apply(settings.withHidden(width)));
    return memory;
  }
}
