package dev.gossamer.gnn.sampling.matrices;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.PeerBlocks;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Draws neighbours on the owners of rows: of a hub's row, which may be longer than the rest of a
/// batch, only the drawn neighbours are sent. Draws are counter-based, so that an owner draws the
/// same neighbours as the requesting rank would.
final class OwnerDraws {
  /// Numbers of a request: the vertex, and the first two of its place.
  private static final int REQUEST = 3;

  private final Communicator column;
  private final RowDistribution distribution;
  private final CsrMatrix own;

  /// @param own rows of this rank's block; borrowed
  OwnerDraws(Communicator column, RowDistribution distribution, CsrMatrix own) {
    this.column = column;
    this.distribution = distribution;
    this.own = own;
  }

  /// Draws neighbours. Collective: one all-to-all each for the numbers of requests, the requests
  /// and the neighbours.
  ///
  /// @param asking numbers of some of the vertices, each of which has more than `s` neighbours
  /// @return `s` neighbours of one vertex after another
  int[] draw(int[] vertices, int[] asking, int s, Draws draws, NeighbourPlaces places) {
    int ranks = column.size();
    int[] owners = Arrays.stream(asking).map(i -> distribution.owner(vertices[i])).toArray();
    long[] counts = new long[ranks];
    for (int owner : owners) {
      counts[owner]++;
    }
    int[] next = new int[ranks];
    for (int rank = 1; rank < ranks; rank++) {
      next[rank] = next[rank - 1] + (int) counts[rank - 1];
    }
    int[] at = new int[asking.length];
    int[] requests = new int[REQUEST * asking.length];
    for (int k = 0; k < asking.length; k++) {
      int i = asking[k];
      at[k] = next[owners[k]]++;
      requests[REQUEST * at[k]] = vertices[i];
      requests[REQUEST * at[k] + 1] = places.first(i);
      requests[REQUEST * at[k] + 2] = places.second(i);
    }
    try (Arena working = Arena.ofShared()) {
      long[] wanted = counts(working, counts);
      int[] asked = requests(working, requests, counts, wanted);
      int[] drawn = drawn(asked, s, draws, places.third());
      long bytes = (long) s * Integer.BYTES;
      MemorySegment come = working.allocate(ValueLayout.JAVA_INT, (long) s * asking.length);
      column.allToAllV(
          working.allocateFrom(ValueLayout.JAVA_INT, drawn),
          PeerBlocks.packedRows(wanted, bytes),
          come,
          PeerBlocks.packedRows(counts, bytes));
      int[] columns = new int[Math.multiplyExact(s, at.length)];
      for (int k = 0; k < at.length; k++) {
        long from = (long) at[k] * s * Integer.BYTES;
        MemorySegment.copy(come, ValueLayout.JAVA_INT, from, columns, k * s, s);
      }
      return columns;
    }
  }

  /// How many requests others have for this rank.
  private long[] counts(Arena working, long[] mine) {
    MemorySegment theirs = working.allocate(ValueLayout.JAVA_LONG, column.size());
    column.allToAll(working.allocateFrom(ValueLayout.JAVA_LONG, mine), theirs);
    return theirs.toArray(ValueLayout.JAVA_LONG);
  }

  /// The requests that others have for this rank.
  private int[] requests(Arena working, int[] mine, long[] counts, long[] wanted) {
    long bytes = (long) REQUEST * Integer.BYTES;
    MemorySegment theirs =
        working.allocate(ValueLayout.JAVA_INT, REQUEST * Arrays.stream(wanted).sum());
    column.allToAllV(
        working.allocateFrom(ValueLayout.JAVA_INT, mine),
        PeerBlocks.packedRows(counts, bytes),
        theirs,
        PeerBlocks.packedRows(wanted, bytes));
    return theirs.toArray(ValueLayout.JAVA_INT);
  }

  private int[] drawn(int[] requests, int s, Draws draws, int third) {
    int begin = distribution.begin(column.rank());
    int[] drawn = new int[requests.length / REQUEST * s];
    for (int k = 0; k < requests.length / REQUEST; k++) {
      int row = requests[REQUEST * k] - begin;
      draws.at(requests[REQUEST * k + 1], requests[REQUEST * k + 2], third);
      InverseTransform.uniform((int) own.rowLength(row), s, draws, drawn, k * s);
      for (int j = k * s; j < (k + 1) * s; j++) {
        drawn[j] = own.column(own.rowPointer(row) + drawn[j]);
      }
    }
    return drawn;
  }
}
