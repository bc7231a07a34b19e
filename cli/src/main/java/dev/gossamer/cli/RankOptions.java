package dev.gossamer.cli;

import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.comm.Link;
import dev.gossamer.comm.MpiOptions;
import dev.gossamer.comm.MpiRanks;
import dev.gossamer.comm.RankBody;
import dev.gossamer.comm.ThreadOptions;
import dev.gossamer.comm.ThreadRanks;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.matrix.kernel.RowFormat;
import dev.gossamer.plan.SystemCores;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of training over several ranks: threads of this process, or the processes that a launcher
/// such as `mpirun` has started.
final class RankOptions {
  /// Where vertices are if no flag says so.
  private static final String USUAL_PLACEMENT = "gvb";

  @Option(
      names = "--ranks",
      paramLabel = "P",
      defaultValue = "1",
      description =
          "Ranks, as threads of this process (default: ${DEFAULT-VALUE}). mpirun needs no flag.")
  int ranks = 1;

  @Option(
      names = "--exchange",
      paramLabel = "KIND",
      defaultValue = "sparsity-aware",
      description =
          "Which rows travel: sparsity-aware (those that are needed) or oblivious (all)"
              + " (default: ${DEFAULT-VALUE}).")
  Kind exchange = Kind.SPARSITY_AWARE;

  @Option(
      names = "--wire",
      paramLabel = "FORMAT",
      defaultValue = "float32",
      description =
          "What rows are while they travel: float32, or bf16 in half the bytes, rounded; sums stay float32"
              + " (default: ${DEFAULT-VALUE}).")
  RowFormat wire = RowFormat.FLOAT32;

  @Option(
      names = "--replication",
      paramLabel = "C",
      defaultValue = "1",
      description =
          "Ranks that hold each block of rows; C and C*C divide the ranks (default: ${DEFAULT-VALUE}).")
  int replication = 1;

  @Option(
      names = "--overlap",
      paramLabel = "on|off",
      defaultValue = "on",
      description =
          "Multiply while rows travel; with minibatches, draw and fetch the next ones meanwhile"
              + " (default: ${DEFAULT-VALUE}).")
  String overlap = "on";

  @Option(
      names = "--placement",
      paramLabel = "WHERE",
      description =
          "Which rank owns which vertex: "
              + Placing.CHOICES
              + ". Given to minibatches, each rank trains on batches of its own vertices (default: gvb, and block for"
              + " minibatches that fetch).")
  private @Nullable String placement;

  @Option(
      names = "--link",
      paramLabel = "ALPHA,BETA",
      description =
          "Imitate a network between ranks that are threads: seconds a message and a byte, as 30us,0.8ns.")
  @Nullable String link;

  @Option(
      names = "--timeout",
      paramLabel = "SECONDS",
      defaultValue = "1800",
      description =
          "A rank that waits longer in one operation ends the run (default: ${DEFAULT-VALUE}).")
  int timeout = 1800;

  @Option(
      names = "--mpi-library",
      paramLabel = "LIBRARY",
      description = "MPI library to load under mpirun, by name or path (default: found by name).")
  @Nullable String mpiLibrary;

  private final LaunchEnvironment environment = LaunchEnvironment.detect(System.getenv());

  boolean underLauncher() {
    return environment.isParallel();
  }

  /// Ranks of the run, wherever they run.
  int size() {
    if (ranks < 1) {
      throw new InvalidInputException("--ranks: expected at least 1, found " + ranks);
    }
    if (underLauncher() && ranks != 1) {
      throw new InvalidInputException(
          "--ranks: expected none under a launcher that has started %d processes, found %d"
              .formatted(environment.size(), ranks));
    }
    return underLauncher() ? environment.size() : ranks;
  }

  /// Processes of the run on this machine.
  int processesHere() {
    return environment.here();
  }

  /// Whether this process prints and writes: it runs rank 0.
  boolean isFirstProcess() {
    return !underLauncher() || environment.rank() == 0;
  }

  ExchangeStrategy strategy() {
    if (!overlap.equals("on") && !overlap.equals("off")) {
      throw new InvalidInputException("--overlap: expected on or off, found " + overlap);
    }
    int size = size();
    if (replication < 1 || size % replication != 0 || size % (replication * replication) != 0) {
      throw new InvalidInputException(
          "--replication: expected C with C and C*C dividing %d ranks, found %d"
              .formatted(size, replication));
    }
    return new ExchangeStrategy(exchange, replication, overlap.equals("on"), wire);
  }

  /// @throws InvalidInputException if a flag is given that only full-graph training reads
  void requireMinibatch() {
    if (exchange != Kind.SPARSITY_AWARE) {
      throw new InvalidInputException(
          "--exchange: minibatches fetch what they need; expected sparsity-aware, found "
              + Choice.name(exchange));
    }
  }

  /// Whether a flag says which rank owns which vertex.
  boolean isPlaced() {
    return placement != null;
  }

  /// Which rank owns which vertex.
  String placement() {
    return placement == null ? USUAL_PLACEMENT : placement;
  }

  /// @throws InvalidInputException if rows travel in a way that layers which look at edges cannot
  ///   use: they need all rows of a target's neighbours at once
  void requireEdges() {
    if (exchange != Kind.SPARSITY_AWARE) {
      throw new InvalidInputException(
          "--exchange: gat needs the rows of all neighbours at once; expected sparsity-aware, found "
              + Choice.name(exchange));
    }
    if (replication != 1) {
      throw new InvalidInputException(
          "--replication: gat needs the rows of all neighbours at once; expected 1, found "
              + replication);
    }
  }

  ThreadOptions threadOptions() {
    if (timeout < 1) {
      throw new InvalidInputException("--timeout: expected at least 1, found " + timeout);
    }
    try {
      return new ThreadOptions(Duration.ofSeconds(timeout), link == null ? null : Link.parse(link));
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("--link: " + e.getMessage(), e);
    }
  }

  /// Runs the body on every rank of this process.
  void run(ThreadOptions threadOptions, RankBody body) {
    if (underLauncher()) {
      // More ranks than cores, and a rank that waits inside a call of MPI keeps the core that the
      // one it waits for needs.
      boolean crowded = environment.here() > SystemCores.online();
      MpiOptions options =
          MpiOptions.DEFAULT.withTimeout(threadOptions.timeout()).withOneThreadAtATime(crowded);
      MpiRanks.run(
          environment, mpiLibrary == null ? options : options.withLibrary(mpiLibrary), body);
    } else {
      ThreadRanks.run(size(), threadOptions, body);
    }
  }
}
