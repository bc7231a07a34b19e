package dev.gossamer.cli;

import dev.gossamer.comm.ThreadOptions;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.minibatch.MinibatchPlan;
import dev.gossamer.gnn.minibatch.MinibatchSettings;
import dev.gossamer.gnn.minibatch.MinibatchTrainer;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.trace.Timeline;
import dev.gossamer.nn.Kernels;
import dev.gossamer.run.RankLog;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// `train` on sampled minibatches.
final class MinibatchMode implements TrainCommand.Mode {
  private final TrainCommand command;
  private final RankOptions ranks;
  private final ThreadOptions threadOptions;
  private final MinibatchSettings flags;

  /// @throws dev.gossamer.matrix.io.InvalidInputException if flags do not go together
  MinibatchMode(TrainCommand command, NetworkSettings network) {
    this.command = command;
    ranks = command.ranks;
    flags = command.sampling.settings(network, ranks, command.historical);
    if (flags.ownBatches()) {
      Placing.requireKnown(ranks.placement());
    }
    threadOptions = ranks.threadOptions();
  }

  @Override
  public int run(TrainCommand.Job job) {
    command.sampling.requireMeans(job.settings(), job.dataset());
    MinibatchPlan plan = MinibatchPlan.of(job.dataset(), job.settings(), ranks.size());
    int here = ranks.underLauncher() ? 1 : ranks.size();
    MinibatchSettings settings =
        command.sampling.choosesBulk() && flags.historical() == null
            ? flags.withBulk(plan.largestBulk(flags, job.rule(), job.threads(), here, job.limit()))
            : flags;
    MemoryEstimate memory = plan.memory(settings, job.rule(), job.threads(), here);
    memory.requireFits(
        job.limit(),
        "--batch",
        settings.batchSize(),
        size -> plan.memory(settings.withBatchSize(size), job.rule(), job.threads(), here));
    RunFolder folder = command.runFolder(job.dataset());
    TrainReport report = report(job, plan, settings, memory, folder);
    if (ranks.isFirstProcess()) {
      report.begin(command.err());
    }
    return ranks.size() == 1
        ? trainAlone(job, plan, settings, folder, report)
        : trainOverRanks(job, plan, settings, folder, report);
  }

  /// Where the vertices are: decided by the first process, while the others wait for it to join.
  private @Nullable Placing placing(TrainCommand.Job job) {
    GraphData dataset = job.dataset();
    if (!ranks.isFirstProcess()) {
      return null;
    }
    return Placing.of(
        flags.ownBatches() ? ranks.placement() : "block",
        dataset,
        blocks(),
        command.seed,
        v -> dataset.isLabelled(v, Split.TRAIN),
        new Placing.Means(command.compute.threads(1), job.limit(), command.common, command.err()));
  }

  private int blocks() {
    return ranks.size() / flags.replication();
  }

  private TrainReport report(
      TrainCommand.Job job,
      MinibatchPlan plan,
      MinibatchSettings settings,
      MemoryEstimate memory,
      RunFolder folder) {
    BufferPlan buffers = plan.buffers(settings);
    String lines =
        "buffers  " + TrainReport.listed(buffers, "of one row a sampled vertex, at most");
    return new TrainReport(
        job.dataset(),
        job.settings(),
        plan.network(),
        buffers,
        List.of(lines),
        memory,
        folder,
        command.seed,
        command.common);
  }

  private int trainAlone(
      TrainCommand.Job job,
      MinibatchPlan plan,
      MinibatchSettings settings,
      RunFolder folder,
      TrainReport report) {
    RankLog log = RankLog.alone(Timeline.ofEpochs(command.trace));
    try (Workers workers = new Workers(job.threads());
        MinibatchTrainer trainer =
            new MinibatchTrainer(
                plan,
                settings,
                job.rule(),
                command.seed,
                TrainCommand.kernels(workers, job.matmul(), log))) {
      return train(job, trainer, folder, report, log, true, null);
    }
  }

  private int trainOverRanks(
      TrainCommand.Job job,
      MinibatchPlan plan,
      MinibatchSettings settings,
      RunFolder folder,
      TrainReport report) {
    Placing placing = placing(job);
    Placement known = placing == null ? null : placing.placement();
    Partitioning made = placing == null ? null : placing.partitioning();
    AtomicInteger status = new AtomicInteger();
    ranks.run(
        threadOptions,
        world -> {
          Placement placement =
              ranks.underLauncher() || known == null
                  ? Placement.broadcast(world, known, job.dataset().vertices(), blocks())
                  : known;
          RankLog log = RankLog.of(world, Timeline.ofEpochs(command.trace), !ranks.underLauncher());
          try (Workers workers = new Workers(job.threads())) {
            Kernels kernels = TrainCommand.kernels(workers, job.matmul(), log);
            try (MinibatchTrainer trainer =
                new MinibatchTrainer(
                    world, plan, placement, settings, job.rule(), command.seed, kernels)) {
              boolean first = world.rank() == 0;
              int result = train(job, trainer, folder, report, log, first, made);
              if (first) {
                status.set(result);
              }
            }
          }
        });
    return status.get();
  }

  private int train(
      TrainCommand.Job job,
      MinibatchTrainer trainer,
      RunFolder folder,
      TrainReport report,
      RankLog log,
      boolean first,
      @Nullable Partitioning made) {
    return command.train(
        job.loop(),
        trainer,
        folder,
        report,
        log,
        first,
        records -> MinibatchReport.of(trainer, records, made));
  }
}
