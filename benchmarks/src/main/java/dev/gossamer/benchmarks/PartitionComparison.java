package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.format.Datasets;
import dev.gossamer.graph.generate.Bter;
import dev.gossamer.graph.generate.DegreeDistribution;
import dev.gossamer.graph.generate.Generator;
import dev.gossamer.graph.generate.Grid;
import dev.gossamer.graph.generate.Planted;
import dev.gossamer.graph.generate.Rmat;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.partition.Balance;
import dev.gossamer.partition.Partition;
import dev.gossamer.partition.PartitionQuality;
import dev.gossamer.partition.PartitionRequest;
import dev.gossamer.partition.Partitioner;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Our partitioners beside METIS' program `gpmetis`, on the same graphs under the same balance
/// constraints: what the partitions are worth, seconds, and peak memory (of ours, how far the
/// process grew; what the heap held already is not seen).
@Command(name = "partition", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class PartitionComparison implements Callable<Integer> {
  @Option(
      names = "--graphs",
      split = ",",
      description =
          "rmat:SCALE, bter:VERTICES, grid:SIDE, or files and folders below the data folder")
  private List<String> graphs =
      List.of(
          "rmat:18",
          "bter:100000",
          "cnr-2000/cnr-2000.metis.graph.gz",
          "fb100-cornell5/Cornell5.mat",
          "tolokers/tolokers.npz",
          "facebook-large",
          "usa-road-ny/USA-road-d.NY.gr.gz",
          "small-graphs/4elt.graph",
          "small-graphs/delaunay_n15.graph",
          "grid:1000");

  @Option(names = "--data", description = "folder of the real graphs; those not there are left out")
  private Path data = Path.of("../shared/data");

  @Option(names = "--parts", split = ",", description = "k")
  private int[] parts = {4, 16, 64, 256};

  @Option(names = "--partitioners", split = ",", description = "ours")
  private List<String> partitioners = List.of("edge-cut", "volume", "gvb");

  @Option(
      names = "--constraints",
      split = ",",
      description = "1: vertices within 3 %%; 2: and nonzeros within 5 %%")
  private int[] constraints = {2, 1};

  @Option(names = "--threads", description = "of ours; gpmetis has one")
  private int threads = 1;

  @Option(names = "--seed", description = "of the generators and partitioners")
  private long seed = 1;

  @Option(names = "--limit", description = "seconds that gpmetis may take")
  private int limit = 600;

  private static final Pattern SECONDS = Pattern.compile("Partitioning:\\s+([0-9.]+) sec");
  private static final Pattern MEGABYTES = Pattern.compile("Max memory used:\\s+([0-9.]+) MB");

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new PartitionComparison()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    System.out.printf(
        "%-12s %4s %2s %-12s %10s %9s %9s %9s %10s %7s %7s %8s %7s%n",
        "graph",
        "k",
        "c",
        "partitioner",
        "volume",
        "max send",
        "max recv",
        "average",
        "cut",
        "vertex",
        "nonzero",
        "seconds",
        "MB");
    for (String name : graphs) {
      try (Arena arena = Arena.ofShared()) {
        CsrMatrix graph = graph(arena, name);
        if (graph == null) {
          System.out.printf("%s: not in %s%n", name, data);
          continue;
        }
        for (int k : parts) {
          for (int c : constraints) {
            compare(name.replaceFirst(".*/", "").replaceFirst("\\..*", ""), graph, k, c);
          }
        }
      }
    }
    return 0;
  }

  private Planted plain(int classes) {
    return Planted.DEFAULT.withClasses(classes).withFeatures(0).withSeed(seed);
  }

  private @Nullable CsrMatrix graph(Arena arena, String name) {
    String[] generated = name.split(":", 2);
    if (generated.length == 2) {
      int size = Integer.parseInt(generated[1]);
      Generator generator =
          switch (generated[0]) {
            case "rmat" -> Rmat.of(1 << size).withInside(0).withPlanted(plain(1));
            case "bter" ->
                Bter.of(DegreeDistribution.powerLaw(size, 2.1, 2, size / 20))
                    .withClustering(new Bter.Clustering(0.9, 0.02))
                    .withPlanted(plain(16));
            case "grid" -> Grid.of(size, size).withPlanted(plain(4));
            default -> throw new IllegalArgumentException("--graphs: found " + name);
          };
      return CsrBuilder.undirected(generator.vertices()).build(arena, generator.edges());
    }
    Path path = data.resolve(name);
    if (!Files.exists(path)) {
      return null;
    }
    try (GraphData dataset = Datasets.open(path)) {
      CsrMatrix a = dataset.adjacency();
      return CsrBuilder.undirected(a.cols())
          .build(
              arena,
              sink -> {
                for (int v = 0; v < a.cols(); v++) {
                  for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
                    if (a.column(e) > v || dataset.info().directed()) {
                      sink.arc(v, a.column(e), 1f);
                    }
                  }
                }
              });
    }
  }

  private void compare(String name, CsrMatrix graph, int k, int constraintCount)
      throws IOException, InterruptedException {
    Balance balance =
        constraintCount == 2 ? new Balance(0.03, 0.05, Balance.FREE) : Balance.ofVertices(0.03);
    PartitionRequest request = PartitionRequest.of(graph, k, seed).withBalance(balance);
    for (String objective : List.of("vol", "cut")) {
      gpmetis(name, request, constraintCount, objective);
    }
    for (String partitioner : partitioners) {
      try (Workers workers = new Workers(threads)) {
        System.gc();
        long before = status("VmRSS");
        Files.writeString(Path.of("/proc/self/clear_refs"), "5");
        long begin = System.nanoTime();
        Partition partition =
            Partitioner.named(partitioner).partition(request, workers, Progress.SILENT);
        double seconds = (double) (System.nanoTime() - begin) * 1e-9;
        double megabytes = (double) (status("VmHWM") - before) / 1024;
        print(name, constraintCount, partitioner, request, partition, seconds, megabytes);
      }
    }
  }

  /// Kilobytes.
  private static long status(String line) throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(text -> text.startsWith(line + ":"))
        .mapToLong(text -> Long.parseLong(text.replaceAll("[^0-9]", "")))
        .findFirst()
        .orElse(0);
  }

  private void gpmetis(String name, PartitionRequest request, int constraintCount, String objective)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("gossamer-partition");
    Path file = folder.resolve("graph");
    Path result = folder.resolve("graph.part." + request.parts());
    Path log = folder.resolve("log");
    try {
      write(file, request.adjacency(), constraintCount);
      List<String> command = new ArrayList<>(List.of("gpmetis", "-objtype=" + objective));
      command.add(constraintCount == 2 ? "-ubvec=1.03 1.05" : "-ufactor=30");
      command.addAll(List.of("-seed=" + seed, file.toString(), Integer.toString(request.parts())));
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      if (!process.waitFor(limit, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
        System.out.printf(
            "%s %d gpmetis-%s: more than %d s%n", name, request.parts(), objective, limit);
        return;
      }
      Partition partition = Partition.read(result, request.vertices(), request.parts());
      String text = Files.readString(log);
      print(
          name,
          constraintCount,
          "gpmetis-" + objective,
          request,
          partition,
          number(SECONDS, text),
          number(MEGABYTES, text));
    } finally {
      for (Path path : List.of(file, result, log)) {
        Files.deleteIfExists(path);
      }
      Files.delete(folder);
    }
  }

  private static double number(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? Double.parseDouble(matcher.group(1)) : Double.NaN;
  }

  private static void write(Path file, CsrMatrix graph, int constraintCount) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      out.write(
          "%d %d%s%n"
              .formatted(graph.rows(), graph.nnz() / 2, constraintCount == 2 ? " 010 2" : ""));
      StringBuilder line = new StringBuilder();
      for (int v = 0; v < graph.cols(); v++) {
        line.setLength(0);
        if (constraintCount == 2) {
          line.append("1 ").append(graph.rowLength(v)).append(' ');
        }
        for (int u : graph.rowColumns(v)) {
          line.append(u + 1).append(' ');
        }
        out.write(line.append('\n').toString());
      }
    }
  }

  private static void print(
      String name,
      int constraintCount,
      String partitioner,
      PartitionRequest request,
      Partition partition,
      double seconds,
      double megabytes) {
    PartitionQuality q = PartitionQuality.of(request, partition);
    System.out.printf(
        Locale.ROOT,
        "%-12s %4d %2d %-12s %10d %9d %9d %9.0f %10d %7.3f %7.3f %8.2f %7.0f%n",
        name,
        request.parts(),
        constraintCount,
        partitioner,
        q.totalVolume(),
        q.maxSend(),
        q.maxReceive(),
        q.averageSend(),
        q.edgeCut(),
        q.vertexImbalance(),
        q.nonzeroImbalance(),
        seconds,
        megabytes);
  }
}
