package dev.gossamer.cli;

import dev.gossamer.comm.ThreadOptions;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.fullgraph.FullGraphTrainer;
import dev.gossamer.gnn.fullgraph.NetworkPlan;
import dev.gossamer.gnn.fullgraph.RankPlan;
import dev.gossamer.gnn.fullgraph.RankTraining;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.trace.Timeline;
import dev.gossamer.nn.Phase;
import dev.gossamer.run.EpochRecord;
import dev.gossamer.run.RankLog;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.memory.BufferPlan;
import dev.gossamer.run.memory.MemoryEstimate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// `train` with one step an epoch over all vertices.
final class FullGraphMode implements TrainCommand.Mode {
  private final TrainCommand command;
  private final RankOptions ranks;
  private final ExchangeStrategy strategy;
  private final ThreadOptions threadOptions;

  /// @throws dev.gossamer.matrix.io.InvalidInputException if flags do not go together
  FullGraphMode(TrainCommand command, NetworkSettings network) {
    this.command = command;
    ranks = command.ranks;
    command.sampling.requireNone();
    command.historical.requireFullGraph();
    strategy = ranks.strategy();
    if (network.seesEdges()) {
      ranks.requireEdges();
    }
    threadOptions = ranks.threadOptions();
    Placing.requireKnown(ranks.placement());
  }

  @Override
  public int run(TrainCommand.Job job) {
    if (ranks.size() == 1) {
      return trainAlone(job);
    }
    return trainOverRanks(job, ranks.isFirstProcess() ? share(job) : null);
  }

  private int trainAlone(TrainCommand.Job job) {
    MemoryEstimate memory =
        fitting(
            job,
            settings ->
                NetworkPlan.of(job.dataset(), settings)
                    .memory(job.dataset(), settings, job.rule(), job.threads()));
    NetworkPlan plan = NetworkPlan.of(job.dataset(), job.settings());
    RunFolder folder = command.runFolder(job.dataset());
    TrainReport report = report(job, plan, List.of(buffers(plan)), memory, folder);
    report.begin(command.err());
    RankLog log = RankLog.alone(Timeline.ofEpochs(command.trace));
    try (Workers workers = new Workers(job.threads());
        FullGraphTrainer trainer =
            new FullGraphTrainer(
                job.dataset(),
                job.settings(),
                plan,
                job.rule(),
                command.seed,
                TrainCommand.kernels(workers, job.matmul(), log))) {
      return command.train(job.loop(), trainer, folder, report, log, true, records -> null);
    }
  }

  /// How a job is divided among ranks, and what each needs: decided by the first process, while the
  /// others wait for it to join.
  private record Share(RankPlan plan, Placing placing, MemoryEstimate memory) {}

  private Share share(TrainCommand.Job job) {
    Placing placing =
        Placing.of(
            ranks.placement(),
            job.dataset(),
            strategy.blocks(ranks.size()),
            command.seed,
            v -> false,
            new Placing.Means(
                command.compute.threads(1), job.limit(), command.common, command.err()));
    RankPlan plan = RankPlan.of(job.dataset(), placing.placement(), strategy);
    MemoryEstimate memory =
        fitting(
            job,
            settings ->
                ranks.underLauncher()
                    ? plan.memoryOfProcess(settings, job.rule(), job.threads())
                    : plan.memoryOfThreads(settings, job.rule(), job.threads()));
    return new Share(plan, placing, memory);
  }

  /// @param share null on all processes but the first
  private int trainOverRanks(TrainCommand.Job job, @Nullable Share share) {
    RunFolder folder = command.runFolder(job.dataset());
    TrainReport report = report(job, share, folder);
    if (share != null) {
      report.begin(command.err());
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
          RankLog log = RankLog.of(world, Timeline.ofEpochs(command.trace), !ranks.underLauncher());
          try (Workers workers = new Workers(job.threads());
              RankTraining training =
                  new RankTraining(
                      world,
                      job.dataset(),
                      placement,
                      strategy,
                      job.settings(),
                      job.rule(),
                      command.seed,
                      TrainCommand.kernels(workers, job.matmul(), log))) {
            int result =
                command.train(
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

  private TrainReport report(TrainCommand.Job job, @Nullable Share share, RunFolder folder) {
    NetworkSettings settings = job.settings();
    if (share == null) {
      NetworkPlan plan = NetworkPlan.of(job.dataset(), settings);
      return report(job, plan, List.of(), MemoryEstimate.builder().build(), folder);
    }
    RankPlan ranked = share.plan();
    int fullest = ranked.fullestRank(settings);
    NetworkPlan plan = ranked.network(fullest, settings);
    BufferPlan exchange = ranked.exchangeBuffers(fullest, settings);
    List<String> lines = new ArrayList<>(List.of(buffers(plan)));
    lines.add(
        "         and %s, on the rank with most"
            .formatted(TrainReport.listed(exchange, "for rows of others")));
    lines.add(
        String.format(
            Locale.ROOT,
            "balance  the fullest of %d block rows has %.2f times the average nonzeros, the fullest tile %.2f times",
            ranked.placement().distribution().blocks(),
            ranked.balance().fullestRow(),
            ranked.balance().fullestTile()));
    return report(job, plan, lines, share.memory(), folder);
  }

  private TrainReport report(
      TrainCommand.Job job,
      NetworkPlan plan,
      List<String> lines,
      MemoryEstimate memory,
      RunFolder folder) {
    return new TrainReport(
        job.dataset(),
        job.settings(),
        plan.network(),
        plan.buffers(),
        lines,
        memory,
        folder,
        command.seed,
        command.common);
  }

  private static String buffers(NetworkPlan plan) {
    return "buffers  " + TrainReport.listed(plan.buffers(), "of one row a vertex");
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

  /// The memory of a job, which must be within its limit.
  private static MemoryEstimate fitting(
      TrainCommand.Job job, Function<NetworkSettings, MemoryEstimate> estimate) {
    NetworkSettings settings = job.settings();
    int widest = settings.hidden().stream().mapToInt(Integer::intValue).max().orElse(1);
    MemoryEstimate memory = estimate.apply(settings);
    memory.requireFits(
        job.limit(), "--hidden", widest, width -> estimate.apply(settings.withHidden(width)));
    return memory;
  }
}
