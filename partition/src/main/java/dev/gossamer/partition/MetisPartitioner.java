package dev.gossamer.partition;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.partition.level.Symmetric;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/// `METIS_PartGraphKway` of an installed libmetis 5 with 32-bit indices (Karypis and Kumar 1998),
/// through the foreign-function interface. For comparison only.
///
/// Constraints of the request become METIS' vertex weights and `ubvec`; METIS may violate them.
/// Uses one thread.
///
/// @param objective edge cut or total volume
public record MetisPartitioner(Objective objective) implements Partitioner {
  private static final String LIBRARY = "libmetis.so.5";
  private static final int OPTIONS = 40;
  private static final int OPTION_OBJECTIVE = 1;
  private static final int OPTION_SEED = 8;
  private static final int OPTION_NUMBERING = 17;
  private static final int OBJECTIVE_VOLUME = 1;
  private static final int OK = 1;

  /// Checks the objective.
  ///
  /// @throws InvalidSettingException if METIS does not support the objective
  public MetisPartitioner {
    if (objective != Objective.EDGE_CUT && objective != Objective.VOLUME) {
      throw new InvalidSettingException(
          "{objective}: expected EDGE_CUT or VOLUME, which METIS knows, found " + objective);
    }
  }

  @Override
  public String name() {
    return objective == Objective.VOLUME ? "metis-volume" : "metis";
  }

  @Override
  public String description() {
    return objective.description() + ", by libmetis if it is installed";
  }

  /// @throws InvalidInputException if libmetis is not installed, the graph has more than `2^31 - 1`
  ///   nonzeros, or METIS reports an error
  @Override
  public Partition partition(PartitionRequest request, Workers workers, Progress progress) {
    progress.at(name(), 0, 1);
    int n = request.vertices();
    int k = request.parts();
    if (n == 0 || k == 1) {
      return Partition.of(new int[n], k);
    }
    try (Arena arena = Arena.ofShared()) {
      MethodHandle kway = library(arena);
      CsrMatrix graph = Symmetric.of(arena, request.adjacency());
      int[] part = call(arena, kway, graph, request);
      progress.at(name(), 1, 1);
      return Partition.of(part, k);
    }
  }

  private static MethodHandle library(Arena arena) {
    try {
      FunctionDescriptor kway =
          FunctionDescriptor.of(
              JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS,
              ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
      return Linker.nativeLinker()
          .downcallHandle(
              SymbolLookup.libraryLookup(LIBRARY, arena).findOrThrow("METIS_PartGraphKway"), kway);
    } catch (IllegalArgumentException | java.util.NoSuchElementException e) {
      throw new InvalidInputException(
          "partitioner metis: expected an installed %s, found none; install it (Debian: libmetis5)"
                  .formatted(LIBRARY)
              + " or use gvb",
          e);
    }
  }

  private int[] call(Arena arena, MethodHandle kway, CsrMatrix graph, PartitionRequest request) {
    int n = request.vertices();
    MetisConstraints constraints = MetisConstraints.of(arena, graph, request);
    MemorySegment options = arena.allocate(JAVA_INT, OPTIONS);
    for (int i = 0; i < OPTIONS; i++) {
      options.setAtIndex(JAVA_INT, i, -1);
    }
    options.setAtIndex(
        JAVA_INT, OPTION_OBJECTIVE, objective == Objective.VOLUME ? OBJECTIVE_VOLUME : 0);
    options.setAtIndex(JAVA_INT, OPTION_SEED, (int) request.seed() & Integer.MAX_VALUE);
    options.setAtIndex(JAVA_INT, OPTION_NUMBERING, 0);
    MemorySegment part = arena.allocate(JAVA_INT, n);
    MemorySegment none = MemorySegment.NULL;
    try {
      int status =
          (int)
              kway.invokeExact(
                  arena.allocateFrom(JAVA_INT, n),
                  arena.allocateFrom(JAVA_INT, constraints.count()),
                  MetisConstraints.rowPointers(arena, graph),
                  graph.columns(),
                  constraints.weights(),
                  none,
                  none,
                  arena.allocateFrom(JAVA_INT, request.parts()),
                  none,
                  constraints.imbalances(),
                  options,
                  arena.allocate(JAVA_INT),
                  part);
      if (status != OK) {
        throw new InvalidInputException(
            "partitioner %s: METIS_PartGraphKway: expected status 1, found %d"
                .formatted(name(), status));
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
    return part.toArray(JAVA_INT);
  }

  /// Estimates the memory of METIS 5.1 with two constraints: its graph, a copy of it and the
  /// coarser levels, each with edge weights.
  @Override
  public long bytes(long vertices, long nonzeros, int parts, int threads) {
    return 60 * vertices + 24 * nonzeros;
  }
}
