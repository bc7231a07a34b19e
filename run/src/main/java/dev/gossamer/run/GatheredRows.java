package dev.gossamer.run;

import dev.gossamer.comm.Communicator;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/// Gathers the rows of a distributed matrix.
public final class GatheredRows {
  private static final int NUMBERS = 1;
  private static final int ROWS = 2;

  private GatheredRows() {}

  /// Sends all rows to the first rank. Collective.
  ///
  /// @param world all ranks
  /// @param ids number of each row of this rank in the whole matrix; distinct over all ranks
  /// @param rows this rank's; borrowed
  /// @param total rows of the whole matrix
  /// @return on the first rank the whole matrix, with zeros in rows that no rank has; on other
  ///   ranks an empty one; freed when it is no longer reachable
  public static DenseMatrix onFirst(Communicator world, int[] ids, DenseMatrix rows, long total) {
    try (Arena arena = Arena.ofShared()) {
      List<Long> counts = Team.of(world, arena).byRank(world.rank(), world.size(), ids.length);
      if (world.rank() != 0) {
        send(world, arena, ids, rows);
        return DenseMatrix.allocate(Arena.ofAuto(), 0, rows.cols());
      }
      DenseMatrix all = DenseMatrix.allocate(Arena.ofAuto(), total, rows.cols());
      place(ids, rows, all);
      for (int peer = 1; peer < world.size(); peer++) {
        receive(world, peer, Math.toIntExact(counts.get(peer)), all);
      }
      return all;
    }
  }

  private static void send(Communicator world, Arena arena, int[] ids, DenseMatrix rows) {
    MemorySegment numbers = arena.allocate((long) ids.length * Integer.BYTES, Integer.BYTES);
    MemorySegment.copy(ids, 0, numbers, ValueLayout.JAVA_INT, 0, ids.length);
    world.send(0, NUMBERS, numbers);
    world.send(0, ROWS, rows.rows(0, ids.length).data());
  }

  private static void receive(Communicator world, int peer, int count, DenseMatrix all) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment numbers = arena.allocate((long) count * Integer.BYTES, Integer.BYTES);
      world.receive(peer, NUMBERS, numbers);
      DenseMatrix rows = DenseMatrix.allocate(arena, count, all.cols());
      world.receive(peer, ROWS, rows.data());
      place(numbers.toArray(ValueLayout.JAVA_INT), rows, all);
    }
  }

  private static void place(int[] ids, DenseMatrix rows, DenseMatrix all) {
    for (int i = 0; i < ids.length; i++) {
      all.rows(ids[i], ids[i] + 1L).copyFrom(rows.rows(i, i + 1L));
    }
  }
}
