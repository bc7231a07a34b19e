package dev.gossamer.gnn.historical;

import dev.gossamer.matrix.CsrMatrix;
import java.util.Arrays;
import java.util.BitSet;

/// One rank's part of the graph (MB, section 3.1): its own vertices, called **solid**, with all
/// their edges, and the remote ends of cut edges, called **halo**. Halo vertices have neither edges
/// nor features here.
///
/// A vertex has an original id, the same on all ranks (MB's `VID_o`; vertices are numbered so that
/// those of a rank are consecutive), an id in the partition (`VID_p`: solid ones from 0, then halo
/// ones, each in the order of original ids) and an id in each of its batches (`VID_b`, its number
/// among the sources of a block). Memory: 4 bytes per halo vertex.
public final class HaloPartition {
  private final int begin;
  private final int end;
  private final int[] halos;

  /// Finds the halo of some rows.
  ///
  /// @param begin first solid vertex
  /// @param rows of the solid vertices, with columns for all vertices; read only here
  public HaloPartition(int begin, CsrMatrix rows) {
    this.begin = begin;
    end = Math.toIntExact(begin + rows.rows());
    BitSet remote = new BitSet(rows.cols());
    for (long e = 0; e < rows.nnz(); e++) {
      remote.set(rows.column(e));
    }
    remote.clear(begin, end);
    halos = remote.stream().toArray();
  }

  /// {@return number of solid vertices}
  public int solids() {
    return end - begin;
  }

  /// {@return original ids of the halo vertices, ascending; borrowed}
  public int[] halos() {
    return halos;
  }

  /// {@return whether a vertex is this rank's own}
  ///
  /// @param original id in the whole graph
  public boolean isSolid(int original) {
    return original >= begin && original < end;
  }

  /// {@return `VID_p` of a vertex} Cost: `O(log halos)` for a halo vertex.
  ///
  /// @param original id in the whole graph
  /// @throws IllegalArgumentException if the vertex is not in the partition
  public int partitionId(int original) {
    if (isSolid(original)) {
      return original - begin;
    }
    int found = Arrays.binarySearch(halos, original);
    if (found < 0) {
      throw new IllegalArgumentException(
          "partition: vertex %d is neither solid (%d to %d) nor a neighbour of a solid vertex"
              .formatted(original, begin, end - 1));
    }
    return solids() + found;
  }

  /// {@return `VID_o` of a vertex}
  ///
  /// @param partitionId id in the partition
  public int originalId(int partitionId) {
    return partitionId < solids() ? begin + partitionId : halos[partitionId - solids()];
  }
}
