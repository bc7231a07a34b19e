package dev.gossamer.benchmarks;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.stream.Collectors.joining;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Element;
import dev.gossamer.comm.FirstRankText;
import dev.gossamer.comm.GatheredBytes;
import dev.gossamer.comm.PeerBlocks;
import dev.gossamer.comm.RankBody;
import dev.gossamer.comm.Reduction;
import dev.gossamer.comm.mpi.MpiRanks;
import dev.gossamer.comm.net.Gathering;
import dev.gossamer.comm.net.NetOptions;
import dev.gossamer.comm.net.NetRanks;
import dev.gossamer.comm.threads.ThreadRanks;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// The communicator beside C: `mpi_pingpong.c`, compiled by each MPI that is installed and loaded
/// into the same ranks, takes turns with the same operations of Java; medians of [#SAMPLES] turns.
/// The same for ranks that are connected by our own sockets, in the clear and encrypted, beside C
/// under Open MPI over TCP. And ranks that are threads beside plain copies of as many bytes by one
/// thread per processor.
///
/// Without arguments runs everything. It starts itself again as the ranks, with `rank LIBRARY
/// messages|collectives mpi|sockets|encrypted`.
final class CommComparison {
  private static final int SAMPLES = 31;
  private static final int WARM_UPS = 60;
  private static final int BIG = 16 << 20;
  private static final int RANKS = 4;

  private CommComparison() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    if (arguments.length == 4 && arguments[0].equals("rank")) {
      MpiRanks.run(world -> {
        if (arguments[3].equals("mpi")) {
          measureRank(world, arguments[1], arguments[2]);
        } else {
          NetOptions options =
              arguments[3].equals("encrypted")
                  ? NetOptions.DEFAULT.withEncryption()
                  : NetOptions.DEFAULT;
          connected(world, options, sockets -> measureRank(sockets, arguments[1], arguments[2]));
        }
      });
      return;
    }
    System.out.print(Machine.here().text());
    threads();
    for (String flavour : List.of("openmpi", "mpich")) {
      mpi(flavour);
    }
  }

  /// Connects ranks that MPI has started by sockets of their own.
  private static void connected(Communicator world, NetOptions options, RankBody body) {
    Gathering gathering =
        line -> {
          List<byte[]> lines = GatheredBytes.onFirst(world, line.getBytes(US_ASCII));
          String all =
              lines.stream().map(each -> new String(each, US_ASCII)).collect(joining("\n"));
          return FirstRankText.onAll(world, all).lines().toList();
        };
    NetRanks.run(world.rank(), world.size(), gathering, options, body);
  }

  /// One side of a comparison: does `rounds` rounds and returns their seconds on this rank.
  @FunctionalInterface
  private interface Side {
    double run(int rounds) throws Throwable;
  }

  /// Lets both sides take turns and prints, on rank 0, medians of `scale seconds / round`.
  private static void compare(
      Communicator world, String name, double scale, int rounds, Side c, Side java)
      throws Throwable {
    double[] cTimes = new double[SAMPLES];
    double[] javaTimes = new double[SAMPLES];
    c.run(rounds);
    // The compilers have no core of their own while ranks wait for messages.
    for (int i = 0; i < WARM_UPS; i++) {
      java.run(rounds);
      Thread.sleep(5);
    }
    for (int i = 0; i < SAMPLES; i++) {
      for (int turn = 0; turn < 2; turn++) {
        world.barrier();
        if ((turn + i) % 2 == 0) {
          cTimes[i] = c.run(rounds) / rounds;
        } else {
          javaTimes[i] = java.run(rounds) / rounds;
        }
      }
    }
    if (world.rank() == 0) {
      double cTime = median(cTimes);
      double javaTime = median(javaTimes);
      System.out.printf(
          Locale.ROOT,
          "%-36s C %8.3f   Java %8.3f   Java/C %.3f   (fastest turns: %.3f)%n",
          name,
          scale * cTime,
          scale * javaTime,
          javaTime / cTime,
          least(javaTimes) / least(cTimes));
    }
  }

  private static double median(double[] times) {
    double[] sorted = times.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static double least(double[] times) {
    return Arrays.stream(times).min().orElseThrow();
  }

  private static double seconds(long since) {
    return (System.nanoTime() - since) * 1e-9;
  }

  private static void measureRank(Communicator world, String library, String what)
      throws Exception {
    try (Arena arena = Arena.ofShared()) {
      SymbolLookup symbols = SymbolLookup.libraryLookup(Path.of(library), arena);
      if (what.equals("messages")) {
        messages(world, symbols, arena, 8, 5000, "one-way latency of 8 bytes, us", 0.5e6);
        messages(world, symbols, arena, BIG, 5, "one-way time of 16 MiB, ms", 0.5e3);
      } else {
        allToAll(world, symbols, arena);
        allReduce(world, symbols, arena);
      }
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static MethodHandle function(SymbolLookup symbols, String name, int pointers) {
    ValueLayout[] types = new ValueLayout[pointers + 2];
    Arrays.fill(types, ValueLayout.JAVA_INT);
    Arrays.fill(types, 0, pointers, ValueLayout.ADDRESS);
    return Linker.nativeLinker()
        .downcallHandle(
            symbols.findOrThrow(name), FunctionDescriptor.of(ValueLayout.JAVA_DOUBLE, types));
  }

  private static void messages(
      Communicator world,
      SymbolLookup symbols,
      Arena arena,
      int bytes,
      int rounds,
      String name,
      double scale)
      throws Throwable {
    MethodHandle c = function(symbols, "c_pingpong", 1);
    MemorySegment buffer = arena.allocate(bytes, 64);
    compare(
        world,
        name,
        scale,
        rounds,
        n -> (double) c.invokeExact(buffer, bytes, n),
        n -> {
          long begin = System.nanoTime();
          for (int i = 0; i < n; i++) {
            if (world.rank() == 0) {
              world.send(1, 0, buffer);
              world.receive(1, 0, buffer);
            } else {
              world.receive(0, 0, buffer);
              world.send(0, 0, buffer);
            }
          }
          return seconds(begin);
        });
  }

  private static void allToAll(Communicator world, SymbolLookup symbols, Arena arena)
      throws Throwable {
    MethodHandle c = function(symbols, "c_alltoallv", 2);
    int block = BIG / world.size();
    MemorySegment send = arena.allocate(BIG, 64);
    MemorySegment receive = arena.allocate(BIG, 64);
    PeerBlocks blocks = PeerBlocks.uniform(world.size(), block);
    compare(
        world,
        "all-to-all-v of 16 MiB, %d ranks, ms".formatted(world.size()),
        1e3,
        2,
        n -> (double) c.invokeExact(send, receive, block, n),
        n -> {
          long begin = System.nanoTime();
          for (int i = 0; i < n; i++) {
            world.allToAllV(send, blocks, receive, blocks);
          }
          return seconds(begin);
        });
  }

  private static void allReduce(Communicator world, SymbolLookup symbols, Arena arena)
      throws Throwable {
    MethodHandle c = function(symbols, "c_allreduce", 1);
    MemorySegment buffer = arena.allocate(BIG, 64);
    compare(
        world,
        "all-reduce of 16 MiB, %d ranks, ms".formatted(world.size()),
        1e3,
        2,
        n -> (double) c.invokeExact(buffer, BIG / Float.BYTES, n),
        n -> {
          long begin = System.nanoTime();
          for (int i = 0; i < n; i++) {
            world.allReduce(buffer, Element.FLOAT, Reduction.SUM);
          }
          return seconds(begin);
        });
  }

  private static void mpi(String flavour) throws IOException, InterruptedException {
    if (!isInstalled("mpicc." + flavour) || !isInstalled("mpirun." + flavour)) {
      System.out.printf("%s: not installed%n", flavour);
      return;
    }
    Path folder = Files.createTempDirectory("gossamer-comm");
    Path source = folder.resolve("mpi_pingpong.c");
    Path library = folder.resolve("libmpi_pingpong.so");
    try {
      try (InputStream text = CommComparison.class.getResourceAsStream("mpi_pingpong.c")) {
        if (text == null) {
          throw new IOException("mpi_pingpong.c is not on the class path");
        }
        Files.copy(text, source);
      }
      execute(
          List.of(
              "mpicc." + flavour,
              "-O3",
              "-shared",
              "-fPIC",
              "-o",
              library.toString(),
              source.toString()));
      System.out.println(flavour);
      execute(ranks(flavour, 2, library, "messages", "mpi"));
      execute(ranks(flavour, RANKS, library, "collectives", "mpi"));
      if (flavour.equals("openmpi")) {
        for (String way : List.of("sockets", "encrypted")) {
          System.out.printf("%s beside openmpi over TCP%n", way);
          execute(ranks(flavour, 2, library, "messages", way));
          execute(ranks(flavour, RANKS, library, "collectives", way));
        }
      }
    } finally {
      Files.deleteIfExists(source);
      Files.deleteIfExists(library);
      Files.delete(folder);
    }
  }

  private static List<String> ranks(
      String flavour, int size, Path library, String what, String way) {
    List<String> command = new ArrayList<>(List.of("mpirun." + flavour));
    if (flavour.equals("openmpi")) {
      command.addAll(List.of("--allow-run-as-root", "--oversubscribe"));
    }
    if (!way.equals("mpi")) {
      command.addAll(List.of("--mca", "pml", "ob1", "--mca", "btl", "self,tcp"));
    }
    command.addAll(List.of("-np", Integer.toString(size)));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
    command.add("-Dslf4j.internal.verbosity=ERROR");
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(CommComparison.class.getName(), "rank", library.toString(), what, way));
    return command;
  }

  private static void execute(List<String> command) throws IOException, InterruptedException {
    int status = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (status != 0) {
      throw new IOException(command.getFirst() + " ended with status " + status);
    }
  }

  private static boolean isInstalled(String program) {
    return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .anyMatch(place -> new File(place, program).canExecute());
  }

  /// The exchange of ranks that are threads beside copies of the same blocks without any exchange.
  private static void threads() {
    int copiers = Math.min(RANKS, Runtime.getRuntime().availableProcessors());
    double[] copies = new double[SAMPLES];
    double[] exchanges = new double[SAMPLES];
    double[] reductions = new double[SAMPLES];
    try (Arena arena = Arena.ofShared()) {
      MemorySegment from = arena.allocate((long) RANKS * BIG, 64);
      MemorySegment to = arena.allocate((long) RANKS * BIG, 64);
      for (int i = -3; i < SAMPLES; i++) {
        double copy = inRanks(copiers, world -> copyShare(world, from, to));
        double exchange = inRanks(RANKS, world -> exchange(world, from, to));
        double reduction =
            inRanks(
                RANKS, world -> world.allReduce(mine(world, from), Element.FLOAT, Reduction.SUM));
        if (i >= 0) {
          copies[i] = copy;
          exchanges[i] = exchange;
          reductions[i] = reduction;
        }
      }
    }
    double bytes = (double) RANKS * BIG;
    System.out.printf(
        Locale.ROOT,
        "threads%nplain copies, %d threads                GB/s %7.2f%n"
            + "all-to-all-v of 16 MiB, %d ranks         GB/s %7.2f   of plain copies %.3f%n"
            + "all-reduce of 16 MiB, %d ranks             ms %7.2f%n",
        copiers,
        bytes / median(copies) * 1e-9,
        RANKS,
        bytes / median(exchanges) * 1e-9,
        median(copies) / median(exchanges),
        RANKS,
        median(reductions) * 1e3);
  }

  private static void copyShare(Communicator world, MemorySegment from, MemorySegment to) {
    long share = from.byteSize() / world.size();
    MemorySegment.copy(from, world.rank() * share, to, world.rank() * share, share);
  }

  private static MemorySegment mine(Communicator world, MemorySegment all) {
    return all.asSlice((long) world.rank() * BIG, BIG);
  }

  private static void exchange(Communicator world, MemorySegment from, MemorySegment to) {
    PeerBlocks blocks = PeerBlocks.uniform(world.size(), BIG / world.size());
    world.allToAllV(mine(world, from), blocks, mine(world, to), blocks);
  }

  @FunctionalInterface
  private interface Step {
    void run(Communicator world);
  }

  /// Seconds of a step, from a barrier to a barrier, as the first rank sees them.
  private static double inRanks(int size, Step step) {
    double[] time = new double[1];
    int rounds = 5;
    ThreadRanks.run(
        size,
        world -> {
          world.barrier();
          long begin = System.nanoTime();
          for (int i = 0; i < rounds; i++) {
            step.run(world);
          }
          world.barrier();
          if (world.rank() == 0) {
            time[0] = seconds(begin) / rounds;
          }
        });
    return time[0];
  }
}
