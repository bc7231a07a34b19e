package dev.gossamer.spark.ranks;

import java.io.IOException;
import java.io.Serial;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.util.LongAccumulator;
import org.apache.spark.util.SerializableConfiguration;
import org.apache.spark.util.Utils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractFunction1;

/// A task of a barrier stage: brings the data to its host, if it is the first there, starts the
/// process of its rank, and ends when that has ended.
final class RankTask extends AbstractFunction1<Iterator<Integer>, Iterator<String>>
    implements Serializable {
  @Serial private static final long serialVersionUID = 1;
  private static final Logger LOG = LoggerFactory.getLogger(RankTask.class);

  /// Nanoseconds between two looks at files to copy.
  private static final long COPY_EVERY = 1_000_000_000L;

  /// Begins what a process asks of all ranks.
  private static final String ASKS = "asks ";

  /// Begins how a process has ended.
  private static final String ENDS = "ends ";

  private final StageJob job;
  private final SerializableConfiguration hadoop;
  private final LongAccumulator epochs;

  /// @param job what is to be done
  /// @param hadoop settings of file systems
  /// @param epochs number of those that are done in this attempt
  RankTask(StageJob job, SerializableConfiguration hadoop, LongAccumulator epochs) {
    this.job = job;
    this.hadoop = hadoop;
    this.epochs = epochs;
  }

  @Override
  public Iterator<String> apply(Iterator<Integer> rows) {
    try {
      return CollectionConverters.asScala(
          List.of(new Attempt(BarrierTaskContext.get()).run().json()).iterator());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("cancelled", e);
    }
  }

  /// One attempt at the stage, on one rank.
  private final class Attempt {
    private final BarrierTaskContext context;
    private final int rank;
    private final String host;

    /// First rank of the host.
    private final int leader;

    private final int ranksHere;

    Attempt(BarrierTaskContext context) {
      this.context = context;
      rank = context.partitionId();
      List<String> hosts =
          Arrays.stream(context.getTaskInfos()).map(info -> hostOf(info.address())).toList();
      host = hosts.get(rank);
      leader = hosts.indexOf(host);
      ranksHere = (int) hosts.stream().filter(host::equals).count();
    }

    Outcome run() throws InterruptedException {
      HostFolder own =
          leader == rank
              ? HostFolder.create(Path.of(Utils.getLocalDir(SparkEnv.get().conf())))
              : null;
      try {
        Ready ready = own == null ? ready("", "") : prepared(own);
        List<Ready> all = Arrays.stream(context.allGather(ready.line())).map(Ready::of).toList();
        for (Ready each : all) {
          if (each.isRefusal()) {
            return refused(each.told());
          }
        }
        requireSame(all);
        OptionalLong memory = memory(all);
        if (memory.isPresent() && memory.getAsLong() == 0) {
          return refused(
              "%s: expected room for the processes of ranks beside the executor, found none; set it to what a rank needs times the ranks of an executor, plus what Spark grants without it"
                  .formatted(MemoryShare.SETTING));
        }
        Outcome outcome = trained(Path.of(all.get(leader).told()), memory);
        return memory.isPresent() && outcome.message().startsWith("memory: ")
            ? refused(
                "%s; %s grants ranks what they may use"
                    .formatted(outcome.message(), MemoryShare.SETTING))
            : outcome;
      } finally {
        if (own != null) {
          own.delete();
        }
      }
    }

    private Outcome refused(String message) {
      return new Outcome(Outcome.BAD_INPUT, "", message);
    }

    private Ready ready(String checkpoint, String told) {
      return new Ready(SparkEnv.get().executorId(), checkpoint, told);
    }

    private Ready prepared(HostFolder own) throws InterruptedException {
      Configuration conf = hadoop.value();
      for (String input : job.inputs()) {
        org.apache.hadoop.fs.Path from = new org.apache.hadoop.fs.Path(input);
        if (!own.fetch(from, from.getName(), conf)) {
          throw new IllegalStateException(
              input + ": expected what the driver wrote, found nothing");
        }
      }
      own.fetch(new org.apache.hadoop.fs.Path(job.home(), job.kept()), job.kept(), conf);
      String checkpoint = own.checkpoint(job.kept());
      RankChild.End end;
      try (RankChild child = RankChild.start(job.prepare(), Map.of(), own.path())) {
        end = child.await(context::allGather, context::isInterrupted, () -> {});
      }
      end.output().forEach(line -> LOG.info("{}", line));
      if (end.status() == Outcome.BAD_INPUT) {
        return ready(checkpoint, end.problem());
      }
      if (end.status() != 0) {
        throw new IllegalStateException(host + ": " + end.problem());
      }
      return ready(checkpoint, own.path().toString());
    }

    private Outcome trained(Path folder, OptionalLong memory) throws InterruptedException {
      boolean begun = Files.exists(folder.resolve(job.kept()).resolve(StageJob.SETTINGS));
      List<String> command = new ArrayList<>(begun ? job.resuming() : job.command());
      command.add("--threads=" + context.cpus());
      memory.ifPresent(bytes -> command.add("--memory=" + bytes));
      Map<String, String> environment =
          Map.of(
              RankProcess.RANK, Integer.toString(rank),
              RankProcess.RANKS, Integer.toString(context.numPartitions()),
              RankProcess.RANKS_HERE, Integer.toString(ranksHere),
              RankProcess.HOST, host,
              RankProcess.ENCRYPTED, Boolean.toString(isEncrypted(SparkEnv.get().conf())));
      KeptFiles kept = rank == 0 ? kept(folder) : null;
      RankChild.End end;
      try (RankChild child = RankChild.start(command, environment, folder)) {
        end =
            child.await(
                this::asked,
                context::isInterrupted,
                kept == null
                    ? () -> {}
                    : new Copying(kept, folder.resolve(job.kept()).resolve(StageJob.METRICS)));
      } catch (OthersEndedException e) {
        return decided(e.lines);
      }
      // The next attempt may be fetching the copy.
      if (kept != null && Outcome.isFinal(end.status()) && !context.isInterrupted()) {
        kept.update();
      }
      return decided(end);
    }

    private KeptFiles kept(Path folder) {
      KeptFiles kept =
          new KeptFiles(
              folder.resolve(job.kept()),
              new org.apache.hadoop.fs.Path(job.home(), job.kept()),
              hadoop.value());
      kept.seen();
      return kept;
    }

    /// Gathers what the processes of all ranks ask for; but one may have ended instead.
    private String[] asked(String own) {
      String[] all = context.allGather(ASKS + own);
      if (Arrays.stream(all).anyMatch(line -> line.startsWith(ENDS))) {
        throw new OthersEndedException(all);
      }
      return Arrays.stream(all).map(line -> line.substring(ASKS.length())).toArray(String[]::new);
    }

    private Outcome decided(RankChild.End end) {
      if (end.isSilent()) {
        // Others may wait for it to connect: Spark ends them when this task fails.
        throw new IllegalStateException("rank %d: %s".formatted(rank, end.problem()));
      }
      Outcome outcome = decided(context.allGather(ENDS + end.status() + " " + end.message()));
      return outcome.isDone() && rank == 0
          ? new Outcome(0, String.join("\n", end.output()), "")
          : outcome;
    }

    /// All ranks come to the same conclusion: bad input and a training that came to nothing end the
    /// job, anything else that failed the attempt.
    private Outcome decided(String[] all) {
      String failed = "";
      for (int r = 0; r < all.length; r++) {
        if (!all[r].startsWith(ENDS)) {
          continue;
        }
        String end = all[r].substring(ENDS.length());
        int status = Integer.parseInt(end.substring(0, end.indexOf(' ')));
        if (status != 0 && Outcome.isFinal(status)) {
          return new Outcome(status, "", after(end));
        }
        if (status != 0 && failed.isEmpty()) {
          failed = "rank %d: %s".formatted(r, after(end));
        }
      }
      if (failed.isEmpty() && Arrays.stream(all).anyMatch(line -> line.startsWith(ASKS))) {
        failed = "some ranks had ended when others asked for their addresses";
      }
      if (!failed.isEmpty()) {
        throw new IllegalStateException(failed);
      }
      return new Outcome(0, "", "");
    }

    private OptionalLong memory(List<Ready> all) {
      String executor = all.get(rank).executor();
      int here = (int) all.stream().filter(each -> each.executor().equals(executor)).count();
      return MemoryShare.of(SparkEnv.get().conf(), here);
    }
  }

  /// What a rank tells the others before they start, in one line.
  ///
  /// @param executor its name
  /// @param checkpoint of the first rank of a host, what the host resumes from; see
  ///   [HostFolder#checkpoint]
  /// @param told of the first rank of a host, the folder of the host or what is wrong with the
  ///   input; else empty
  record Ready(String executor, String checkpoint, String told) {
    static Ready of(String line) {
      String[] words = line.split(" ", 3);
      return new Ready(words[0], words[1], words[2]);
    }

    String line() {
      return executor + " " + checkpoint + " " + told;
    }

    boolean isRefusal() {
      return !told.isEmpty() && told.charAt(0) != '/';
    }
  }

  /// Fails this attempt if a rank of the last one, which had not ended yet, has replaced the
  /// checkpoint while hosts copied it: the next attempt may find it at rest.
  static void requireSame(List<Ready> all) {
    long different =
        all.stream().map(Ready::checkpoint).filter(each -> !each.isEmpty()).distinct().count();
    if (different > 1) {
      throw new IllegalStateException(
          "hosts: expected one checkpoint to resume from, found %d; the last attempt was still writing"
              .formatted(different));
    }
  }

  /// Whether the application encrypts what its processes say to each other; lines of the stage then
  /// are encrypted, too.
  static boolean isEncrypted(SparkConf conf) {
    return conf.getBoolean("spark.network.crypto.enabled", false)
        || conf.getBoolean("spark.ssl.rpc.enabled", conf.getBoolean("spark.ssl.enabled", false));
  }

  /// What follows the first blank.
  private static String after(String line) {
    return line.substring(line.indexOf(' ') + 1);
  }

  /// Processes of other ranks have ended before all had told their addresses.
  private static final class OthersEndedException extends RuntimeException {
    @Serial private static final long serialVersionUID = 1;
    private final transient String[] lines;

    OthersEndedException(String[] lines) {
      super("a rank has ended before all were connected");
      this.lines = lines;
    }
  }

  /// `host:port`, or `[address]:port`.
  private static String hostOf(String address) {
    String host = address.substring(0, address.lastIndexOf(':'));
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  /// Copies what has changed, and counts epochs, once a second.
  private final class Copying implements Runnable {
    private final KeptFiles files;
    private final Path metrics;
    private long last = System.nanoTime();

    /// @param files to copy
    /// @param metrics a line per epoch
    Copying(KeptFiles files, Path metrics) {
      this.files = files;
      this.metrics = metrics;
    }

    @Override
    public void run() {
      if (System.nanoTime() - last > COPY_EVERY) {
        files.update();
        count();
        last = System.nanoTime();
      }
    }

    private void count() {
      if (!Files.exists(metrics)) {
        return;
      }
      try (Stream<String> lines = Files.lines(metrics)) {
        epochs.setValue(lines.count());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
