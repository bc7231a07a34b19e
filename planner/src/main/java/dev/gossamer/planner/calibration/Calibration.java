package dev.gossamer.planner.calibration;

import com.sun.management.OperatingSystemMXBean;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.Sha256;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.FirstRankText;
import dev.gossamer.comm.GatheredBytes;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.cache.CacheListener;
import dev.gossamer.graph.cache.DatasetCache;
import dev.gossamer.planner.Cluster;
import dev.gossamer.planner.ClusterFile;
import dev.gossamer.planner.MeasuredRates;
import dev.gossamer.run.memory.SystemCores;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/// The measured rates of a machine or a cluster.
///
/// @param cluster used by plans; its links are those of exchanges
/// @param inside messages between ranks of a node
/// @param between messages between ranks of two nodes; empty for a single node
public record Calibration(Cluster cluster, LinkTimes inside, Optional<LinkTimes> between) {
  private static final Path HOST = Path.of("/proc/sys/kernel/hostname");
  private static final Path PROCESSOR = Path.of("/proc/cpuinfo");

  /// More ranks than these say nothing new about messages between threads.
  private static final int MOST_RANKS = 8;

  /// Checks the rates.
  ///
  /// @throws IllegalArgumentException if the rates of the cluster are not [MeasuredRates]
  public Calibration {
    if (!(cluster.rates() instanceof MeasuredRates)) {
      throw new IllegalArgumentException(
          "rates: expected measured ones, found " + cluster.rates().getClass().getName());
    }
  }

  /// {@return the measured rates of the cores}
  public MeasuredRates rates() {
    return (MeasuredRates) cluster.rates();
  }

  /// Measures this machine, whose ranks are threads.
  ///
  /// @param effort how much is measured
  /// @param progress notified of the progress
  /// @return one node with one rank per core
  public static Calibration ofMachine(Effort effort, Progress progress) {
    int cores = SystemCores.share(1);
    MeasuredRates rates =
        new KernelTimes(ThreadRanks.alone(), effort, progress).rates(cores, cores);
    AtomicReference<LinkTimes> times = new AtomicReference<>();
    ThreadRanks.run(
        Math.clamp(cores, 2, MOST_RANKS),
        ranks -> {
          LinkTimes mine = LinkTimes.measured(ranks, effort);
          if (ranks.rank() == 0) {
            times.set(mine);
          }
        });
    LinkTimes inside = Objects.requireNonNull(times.get());
    return new Calibration(
        new Cluster(1, cores, cores, memory(), inside.exchange(), inside.exchange(), rates),
        inside,
        Optional.empty());
  }

  /// Measures the nodes of a run. Collective: the ranks of a node measure together.
  ///
  /// @param ranks all ranks that a launcher has started
  /// @param effort how much is measured
  /// @param progress notified of the progress of the rank's node
  /// @return the cluster, on each rank with the rates of its node
  /// @throws InvalidInputException if one node has more ranks than another
  public static Calibration ofRanks(Communicator ranks, Effort effort, Progress progress) {
    return ofRanks(ranks, host(), effort, progress);
  }

  /// @param host name of the node that this rank is on
  static Calibration ofRanks(Communicator ranks, String host, Effort effort, Progress progress) {
    List<String> hosts = hosts(ranks, host);
    List<String> nodes = hosts.stream().distinct().toList();
    int here = Collections.frequency(hosts, host);
    requireEven(hosts, nodes, here);
    int number = Collections.frequency(hosts.subList(0, ranks.rank()), host);
    try (Communicator node = ranks.split(nodes.indexOf(host), ranks.rank());
        Communicator across = ranks.split(number, ranks.rank())) {
      int threads = SystemCores.share(here);
      int cores = Math.min(SystemCores.online(), here * threads);
      MeasuredRates rates = new KernelTimes(node, effort, progress).rates(cores, threads);
      Optional<LinkTimes> between =
          nodes.size() == 1 ? Optional.empty() : Optional.of(LinkTimes.measured(across, effort));
      LinkTimes inside =
          here == 1 && between.isPresent() ? between.get() : LinkTimes.measured(node, effort);
      return new Calibration(
          new Cluster(
              nodes.size(),
              here,
              cores,
              memory(),
              inside.exchange(),
              between.orElse(inside).exchange(),
              rates),
          inside,
          between);
    }
  }

  private static List<String> hosts(Communicator ranks, String host) {
    List<String> gathered = new ArrayList<>();
    for (byte[] name : GatheredBytes.onFirst(ranks, host.getBytes(StandardCharsets.UTF_8))) {
      gathered.add(new String(name, StandardCharsets.UTF_8));
    }
    return List.of(FirstRankText.onAll(ranks, String.join("\n", gathered)).split("\n", -1));
  }

  private static void requireEven(List<String> hosts, List<String> nodes, int here) {
    for (String node : nodes) {
      int there = Collections.frequency(hosts, node);
      if (there != here) {
        throw new InvalidInputException(
            "calibration: expected as many ranks on each node, found %d on one and %d on %s; start the same number on each"
                .formatted(here, there, node));
      }
    }
  }

  /// Returns the rates of this machine from the user's cache, or measures and caches them, which
  /// takes about two seconds. Processes that call this at the same time wait for the one that
  /// measures, so that their work does not slow it down.
  ///
  /// @param listener notified of the progress of measuring, and if the result could not be cached
  /// @return one node with one rank per core
  public static Cluster kept(CacheListener listener) {
    return kept(keptFile(), listener);
  }

  /// Does the same for a process of a launcher, which may be bound to some of the cores. Only
  /// processes that may use the whole machine measure it.
  ///
  /// @param listener notified of the progress of measuring, and if the result could not be cached
  /// @return empty if this process is bound, and nothing was cached before
  public static Optional<Cluster> keptForLaunched(CacheListener listener) {
    Path whole = keptFile(SystemCores.online());
    Path seen = keptFile();
    Optional<Cluster> known =
        known(whole, CacheListener.SILENT).or(() -> known(seen, CacheListener.SILENT));
    return known.isEmpty() && whole.equals(seen) ? Optional.of(kept(seen, listener)) : known;
  }

  static Cluster kept(Path file, CacheListener listener) {
    return known(file, CacheListener.SILENT).orElseGet(() -> knownOrMeasured(file, listener));
  }

  private static synchronized Cluster knownOrMeasured(Path file, CacheListener listener) {
    try (FileChannel gate = gate(file)) {
      gate.lock();
      return known(file, listener).orElseGet(() -> measured(file, listener));
    } catch (IOException e) {
      // Nor can anything be kept there.
      return measured(file, listener);
    }
  }

  private static FileChannel gate(Path file) throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    return FileChannel.open(
        file.resolveSibling(file.getFileName() + ".lock"),
        StandardOpenOption.CREATE,
        StandardOpenOption.WRITE,
        StandardOpenOption.DELETE_ON_CLOSE);
  }

  private static Optional<Cluster> known(Path file, CacheListener listener) {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(read(file));
    } catch (InvalidInputException e) {
      listener.damaged(file, String.valueOf(e.getMessage()));
      return Optional.empty();
    }
  }

  private static Cluster measured(Path file, CacheListener listener) {
    Cluster measured = ofMachine(Effort.QUICK, listener).cluster();
    try {
      ClusterFile.write(file, measured);
    } catch (InvalidInputException e) {
      listener.notKept("the calibration", String.valueOf(e.getMessage()));
      return measured;
    }
    // The numbers of the next time, which are rounded.
    return read(file);
  }

  private static Cluster read(Path file) {
    return ClusterFile.read(
        file,
        () -> {
          throw new InvalidInputException(file + ": rates: expected a value, found none");
        });
  }

  /// {@return the file of the calibration of this machine: in the user's cache, under a name
  /// derived from its processor, cores, memory and Java virtual machine}
  public static Path keptFile() {
    return keptFile(SystemCores.share(1));
  }

  private static Path keptFile(int cores) {
    List<String> machine =
        List.of(
            System.getProperty("os.arch"),
            processor(),
            Integer.toString(cores),
            Long.toString(memory()),
            Runtime.version().toString());
    byte[] digest =
        Sha256.digest().digest(String.join("\n", machine).getBytes(StandardCharsets.UTF_8));
    return DatasetCache.ofUser()
        .folder()
        .resolve("calibration-%s.yaml".formatted(HexFormat.of().formatHex(digest, 0, 8)));
  }

  private static String processor() {
    if (!Files.isReadable(PROCESSOR)) {
      return "";
    }
    try (Stream<String> lines = Files.lines(PROCESSOR)) {
      return lines.filter(line -> line.startsWith("model name")).findFirst().orElse("");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Returns the memory of this machine, or of the control group of this process, in bytes, rounded
  /// to whole MiB.
  static long memory() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return system.getTotalMemorySize() >> 20 << 20;
  }

  private static String host() {
    try {
      return Files.isReadable(HOST)
          ? Files.readString(HOST).strip()
          : InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return String.valueOf(e.getMessage());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
