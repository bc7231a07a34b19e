package dev.gossamer.cli.endurance;

import dev.gossamer.cli.Cli;
import dev.gossamer.cli.Folders;
import dev.gossamer.cli.terminal.Failures;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.JMException;
import javax.management.ObjectName;

/// Trains in all modes, again and again in one virtual machine, and measures after each lap what
/// the process holds. What was enough in the first third of the laps must be enough in the last.
///
/// A figure's bound is what it was at most in the first third and a margin ([#FIGURES]); its least
/// value in the last third must not be above, as a leak shows in each sample and noise in some. On
/// a busy machine laps take longer, and so does the compiler: thirds are counted in laps.
///
/// Arguments: a folder, and for how many seconds. Needs `-XX:NativeMemoryTracking=summary`.
public final class Soak {
  /// What the process holds.
  ///
  /// @param resident bytes
  /// @param heap bytes that a collection leaves
  /// @param offHeap bytes of arenas
  /// @param segments allocations of arenas
  /// @param mappings of files
  private record Sample(
      double seconds,
      long resident,
      long heap,
      long offHeap,
      long segments,
      long mappings,
      long descriptors,
      long threads) {}

  /// A figure of a sample.
  ///
  /// @param settles whether the virtual machine's own share of it takes laps to settle
  /// @param share margin as a share of the first value
  /// @param more margin besides
  private record Figure(
      String name,
      ToLongFunction<Sample> value,
      boolean settles,
      long unit,
      double share,
      long more) {
    long bound(long first) {
      return first + Math.round(share * (double) first) + more;
    }
  }

  private static final long MIB = 1 << 20;

  /// Laps after which compiled code and the heap have found their size.
  private static final int SETTLED = 12;

  /// The compiler's memory and the allocator's pools still settle after a third of the laps.
  private static final List<Figure> FIGURES =
      List.of(
          new Figure("resident MiB", Sample::resident, true, MIB, 0.10, 32 * MIB),
          new Figure("live heap MiB", Sample::heap, true, MIB, 0.10, 4 * MIB),
          new Figure("off-heap MiB", Sample::offHeap, false, MIB, 0, 2 * MIB),
          new Figure("segments", Sample::segments, false, 1, 0, 64),
          new Figure("mapped files", Sample::mappings, false, 1, 0, 2),
          new Figure("descriptors", Sample::descriptors, false, 1, 0, 2),
          new Figure("threads", Sample::threads, false, 1, 0, 2));

  private static final String GRAPH =
      "train --data DATA --hidden 8 --epochs 3 -q --runs OUT --split 40/30/30 ";

  private static final String MINIBATCH = GRAPH + "--mode minibatch --model sage --batch 60 ";

  private static final String PRUNED =
      "prune train --data TEXT --model gpt-tiny --layers 2 --width 16 --heads 2 --length 8 --batch 4"
          + " --microbatch 1 --iterations 4 --evaluate-samples 4 -q --runs OUT ";

  /// A lap; `RUN` is the folder of the last training.
  private static final List<String> LAP =
      List.of(
          "dataset build sbm -q --vertices 400 --degree 6 --classes 3 --features 8 --out DATA",
          GRAPH,
          GRAPH + "--model sage --checkpoint-every 1 --patience 2",
          "train --resume RUN --epochs 5 -q",
          GRAPH + "--model gat --heads 2 --attention-dropout 0.3 --input-projection",
          GRAPH + "--model gin --layers 3 --norm batch --residual --feed-forward",
          GRAPH
              + "--model sage --layers 3 --jumping max --activation prelu --edge-dropout 0.2 --ranks 2",
          GRAPH + "--model rgcn --bases 2 --ranks 2",
          GRAPH + "--model rsage --ranks 2",
          GRAPH + "--model appnp --layers 2",
          GRAPH + "--model sign --hops 3 --ranks 2",
          GRAPH + "--mode minibatch --model sgc --batch 60",
          GRAPH + "--model mlp --optimizer sgd --schedule cosine",
          GRAPH + "--ranks 2 --wire bf16 --trace=1",
          GRAPH.replace("--split 40/30/30", "--task links --link-split 60/20/20 --decoder bilinear")
              + "--ranks 2",
          GRAPH.replace("--split 40/30/30", "--task links --link-split 60/20/20 --decoder mlp")
              + "--mode minibatch --model sage --batch 200 --ranks 2",
          "evaluate RUN --heuristics --ranks 2 -q",
          "recommend RUN --top 3 --out OUT/recommended.parquet -q",
          GRAPH + "--ranks 4 --replication 2 --exchange oblivious --overlap off --placement random",
          GRAPH + "--ranks 3 --model gat --link 1us,0.1ns",
          "evaluate RUN -q",
          "calibrate RUN -q",
          "predict RUN --out OUT/p -q --embeddings",
          "report RUN --evaluate --charts OUT/charts -q",
          "predict RUN --out OUT/q -q --ranks 2",
          MINIBATCH + "--fanout 3,2",
          "predict RUN --out OUT/r -q --fanout 3",
          MINIBATCH + "--sampler ladies --layer-sizes 40 --overlap off",
          MINIBATCH + "--ranks 2 --graph partitioned --feature-cache 2k",
          MINIBATCH + "--ranks 2 --remote historical --push-limit 50",
          "partition --data DATA --parts 4 --out OUT/parts -q",
          "partition --data DATA --report OUT/parts -q",
          "dataset convert --data DATA --out OUT/copy -q",
          "bench exchange --data DATA --parts 2,4 --features 4 -q",
          PRUNED + "--prune one-shot --prune-at 2",
          "prune evaluate RUN --samples 4 -q",
          "prune generate RUN --count 5",
          "prune inspect RUN",
          "prune export RUN --format mask --out OUT/mask",
          PRUNED
              + "--prune early-bird --mask-every 1 --mask-window 2 --ranks 4 --inter 2 --precision bf16",
          PRUNED
              + "--prune gradual --prune-at 1 --prune-until 3 --compute sparse --checkpoint-every 2",
          "prune train --resume RUN --iterations 6 -q");

  /// What fails has to give back what it took as well, with this status.
  private static final Map<String, Integer> FAILING =
      Map.of(
          GRAPH + "--lr 1e30 --optimizer sgd --epochs 20 --ranks 2",
          Failures.DIVERGED,
          GRAPH + "--ranks 2 --placement TEXT",
          2,
          GRAPH + "--memory 1m",
          2,
          "dataset info -q --data DATA --format cora",
          2,
          "predict RUN --data TEXT --out OUT/none -q",
          2);

  private final Path folder;
  private final Map<String, Integer> ended = new LinkedHashMap<>();
  private int trainings;
  private Path run = Path.of("");

  private Soak(Path folder) {
    this.folder = folder;
  }

  /// Runs laps.
  ///
  /// @param arguments folder and laps
  public static void main(String[] arguments) throws IOException {
    boolean sound = new Soak(Path.of(arguments[0])).run(Integer.parseInt(arguments[1]));
    System.exit(sound ? 0 : 1);
  }

  private boolean run(int laps) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(
        folder.resolve("text.txt"), "what survives is kept, and kept again\n".repeat(200));
    long start = System.nanoTime();
    List<Sample> samples = new ArrayList<>();
    while (samples.size() < laps) {
      lap();
      samples.add(sample((System.nanoTime() - start) / 1e9));
    }
    return report(samples);
  }

  private void lap() throws IOException {
    Path out = folder.resolve("out");
    Folders.delete(out);
    Files.createDirectories(out);
    for (String command : LAP) {
      command(command, 0);
    }
    FAILING.forEach(this::command);
  }

  private void command(String command, int status) {
    String[] words =
        Arrays.stream(command.strip().split("\\s+"))
            .map(word ->
                word.replaceFirst("^DATA$", folder.resolve("data").toString())
                    .replaceFirst("^TEXT$", folder.resolve("text.txt").toString())
                    .replaceFirst("^RUN$", run.toString())
                    .replaceFirst("^OUT", folder.resolve("out").toString()))
            .toArray(String[]::new);
    Cli cli = Cli.run(words);
    if (cli.status() != status) {
      throw new IllegalStateException(
          "expected status %d, found %d: %s%n%s"
              .formatted(status, cli.status(), String.join(" ", words), cli.err()));
    }
    ended.merge(words[0] + " " + status, 1, Integer::sum);
    if (command.contains("train ")) {
      trainings++;
      if (status == 0 && !command.contains("--resume")) {
        run = newest();
      }
    }
  }

  private Path newest() {
    try (Stream<Path> runs = Files.list(folder.resolve("out"))) {
      return runs.filter(path -> Files.exists(path.resolve("config.yaml")))
          .max((a, b) -> Long.compare(a.toFile().lastModified(), b.toFile().lastModified()))
          .orElseThrow();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private Sample sample(double seconds) throws IOException {
    System.gc();
    long[] other = offHeap();
    return new Sample(
        seconds,
        Memory.resident(),
        Memory.heap(),
        other[0],
        other[1],
        mappings(),
        descriptors(),
        ManagementFactory.getThreadMXBean().getThreadCount());
  }

  /// Bytes and number of what foreign memory has allocated, which the virtual machine counts as
  /// `Other`.
  private static long[] offHeap() {
    try {
      String summary =
          (String)
              ManagementFactory.getPlatformMBeanServer()
                  .invoke(
                      new ObjectName("com.sun.management:type=DiagnosticCommand"),
                      "vmNativeMemory",
                      new Object[] {new String[] {"summary", "scale=B"}},
                      new String[] {String[].class.getName()});
      Matcher found =
          Pattern.compile(" Other \\([^\\n]*\\n\\s*\\(malloc=([0-9]+) [^#]*#([0-9]+)")
              .matcher(summary);
      if (!found.find()) {
        throw new IllegalStateException("no tracking of native memory: " + summary);
      }
      return new long[] {Long.parseLong(found.group(1)), Long.parseLong(found.group(2))};
    } catch (JMException e) {
      throw new IllegalStateException(e);
    }
  }

  private long mappings() throws IOException {
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      return maps.filter(line -> line.contains(folder.toString())).count();
    }
  }

  private static long descriptors() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.count();
    }
  }

  private boolean report(List<Sample> samples) {
    int third = Math.ceilDiv(samples.size(), 3);
    System.out.printf(
        "%-14s %12s %12s %12s %12s%n", "soak", "first third", "bound", "last third", "at the end");
    boolean sound = true;
    for (Figure figure : FIGURES) {
      long first = samples.stream().limit(third).mapToLong(figure.value()).max().orElseThrow();
      long last =
          samples.stream()
              .skip(samples.size() - third)
              .mapToLong(figure.value())
              .min()
              .orElseThrow();
      boolean judged = !figure.settles() || samples.size() >= SETTLED;
      boolean grown = judged && last > figure.bound(first);
      sound &= !grown;
      System.out.printf(
          Locale.ROOT,
          "%-14s %12.1f %12.1f %12.1f %12.1f%s%n",
          figure.name(),
          (double) first / figure.unit(),
          (double) figure.bound(first) / figure.unit(),
          (double) last / figure.unit(),
          (double) figure.value().applyAsLong(samples.getLast()) / figure.unit(),
          grown ? "  grows" : judged ? "" : "  (not judged before lap " + SETTLED + ")");
    }
    System.out.printf(
        Locale.ROOT,
        "%,d trainings in %d laps, %.0f s; commands by status %s%n",
        trainings,
        samples.size(),
        samples.getLast().seconds(),
        ended);
    return sound;
  }
}
