package dev.gossamer.exchange;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.Propagation;
import dev.gossamer.graph.PropagationRows;
import dev.gossamer.matrix.random.Philox;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Assigns vertices to owners: a symmetric permutation of the vertices after which every owner has
/// a contiguous block (SA, section 5).
///
/// The permutation is stable: by part first, by old id within a part. Immutable; two ints per
/// vertex.
public final class Placement {
  /// The stream of random numbers that only placements draw from.
  private static final int STREAM = 0x504c4143;

  private final int[] newIds;
  private final int[] oldIds;
  private final RowDistribution distribution;
  private final boolean identity;

  private Placement(int[] newIds, int[] oldIds, RowDistribution distribution) {
    this(newIds, oldIds, distribution, false);
  }

  private Placement(int[] newIds, int[] oldIds, RowDistribution distribution, boolean identity) {
    this.identity = identity;
    this.newIds = newIds;
    this.oldIds = oldIds;
    this.distribution = distribution;
  }

  /// {@return the placement that keeps the order of vertices, divided into even blocks}
  ///
  /// @param vertices number of vertices
  /// @param blocks number of blocks
  /// @throws IllegalArgumentException if there are no blocks or the number of vertices is negative
  public static Placement block(int vertices, int blocks) {
    RowDistribution distribution = RowDistribution.even(vertices, blocks);
    int[] identity = identity(vertices);
    return new Placement(identity, identity, distribution, true);
  }

  /// {@return a random permutation divided into even blocks} It balances the entries of the tiles
  /// (MG, section 5.2), but every rank needs almost every row.
  ///
  /// @param vertices number of vertices
  /// @param blocks number of blocks
  /// @param seed the same seed gives the same permutation for any number of blocks
  /// @throws IllegalArgumentException if there are no blocks or the number of vertices is negative
  public static Placement random(int vertices, int blocks, long seed) {
    RowDistribution distribution = RowDistribution.even(vertices, blocks);
    int[] oldIds = identity(vertices);
    Philox.keyed(seed, STREAM, 0).shuffle(oldIds);
    return new Placement(inverse(oldIds), oldIds, distribution);
  }

  /// {@return the placement of a partition}
  ///
  /// @param part the part of each vertex, `0..parts-1`; parts may be empty
  /// @param parts number of parts
  /// @throws IllegalArgumentException if a part is out of range or there are none
  public static Placement of(int[] part, int parts) {
    int[] counts = new int[Math.max(0, parts)];
    for (int v = 0; v < part.length; v++) {
      if (part[v] < 0 || part[v] >= parts) {
        throw new IllegalArgumentException(
            "placement: vertex %d is in part %d; expected a part in 0..%d"
                .formatted(v, part[v], parts - 1));
      }
      counts[part[v]]++;
    }
    RowDistribution distribution = RowDistribution.ofCounts(counts);
    int[] next = new int[parts];
    for (int i = 0; i < parts; i++) {
      next[i] = distribution.begin(i);
    }
    int[] newIds = new int[part.length];
    for (int v = 0; v < part.length; v++) {
      newIds[v] = next[part[v]]++;
    }
    return new Placement(newIds, inverse(newIds), distribution);
  }

  /// {@return the first rank's placement, on all ranks} Collective.
  ///
  /// @param world all ranks
  /// @param placement on rank 0; nothing elsewhere
  /// @param vertices number of vertices, the same on all ranks
  /// @param blocks number of blocks
  public static Placement broadcast(
      Communicator world, @Nullable Placement placement, int vertices, int blocks) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment ids = arena.allocate(ValueLayout.JAVA_INT, (long) vertices + blocks);
      if (placement != null) {
        MemorySegment.copy(placement.oldIds, 0, ids, ValueLayout.JAVA_INT, 0, vertices);
        for (int i = 0; i < blocks; i++) {
          ids.setAtIndex(
              ValueLayout.JAVA_INT, (long) vertices + i, placement.distribution.count(i));
        }
      }
      world.broadcast(0, ids);
      int[] all = ids.toArray(ValueLayout.JAVA_INT);
      int[] oldIds = Arrays.copyOf(all, vertices);
      RowDistribution counts =
          RowDistribution.ofCounts(Arrays.copyOfRange(all, vertices, vertices + blocks));
      return isIdentity(oldIds)
          ? new Placement(oldIds, oldIds, counts, true)
          : new Placement(inverse(oldIds), oldIds, counts);
    }
  }

  /// {@return the blocks of new ids}
  public RowDistribution distribution() {
    return distribution;
  }

  /// {@return whether the order of vertices is unchanged}
  public boolean keepsOrder() {
    return identity;
  }

  /// {@return the id of a vertex after the permutation}
  ///
  /// @param oldId id in the data set
  public int newId(int oldId) {
    return newIds[oldId];
  }

  /// {@return the id in the data set of a vertex of the permuted graph: outputs use these ids}
  ///
  /// @param newId id in the permuted graph
  public int oldId(int newId) {
    return oldIds[newId];
  }

  /// {@return [#oldId] of vertices} Borrowed if the order of vertices is unchanged.
  ///
  /// @param vertices ids in the permuted graph
  public int[] oldIds(int[] vertices) {
    return identity ? vertices : Arrays.stream(vertices).map(v -> oldIds[v]).toArray();
  }

  /// {@return the block of each vertex, by the data set's ids}
  public int[] owners() {
    int[] owners = new int[oldIds.length];
    for (int i = 0; i < distribution.blocks(); i++) {
      for (int row = distribution.begin(i); row < distribution.end(i); row++) {
        owners[oldIds[row]] = i;
      }
    }
    return owners;
  }

  /// {@return the data set's ids of the vertices of block `i`, in the block's order}
  ///
  /// @param i number of a block
  public int[] members(int i) {
    return Arrays.copyOfRange(oldIds, distribution.begin(i), distribution.end(i));
  }

  /// {@return the rows of `Â` and `Â^T` of all vertices, with new ids}
  ///
  /// @param arena owner of the new memory; if the order of vertices is unchanged, the graph is
  ///   borrowed where [Propagation#all] borrows it
  /// @param propagation `Â` and `Â^T`, by the data set's ids
  public PropagationRows allRows(Arena arena, Propagation propagation) {
    return identity ? propagation.all(arena) : propagation.rows(arena, oldIds.clone(), newIds);
  }

  /// {@return the features of the vertices of block `i`, in the block's order} They are copied,
  /// unless the block is contiguous in the data set.
  ///
  /// @param arena owner of the copy
  /// @param x of all vertices, by the data set's ids
  /// @param i number of a block
  /// @param workers threads that share the work
  public Features blockFeatures(Arena arena, Features x, int i, Workers workers) {
    int[] members = members(i);
    int begin = members.length == 0 ? 0 : members[0];
    return isRange(members)
        ? x.rows(arena, begin, begin + members.length)
        : x.selected(arena, members, workers);
  }

  private static boolean isIdentity(int[] ids) {
    return isRange(ids) && (ids.length == 0 || ids[0] == 0);
  }

  private static boolean isRange(int[] members) {
    for (int i = 1; i < members.length; i++) {
      if (members[i] != members[i - 1] + 1) {
        return false;
      }
    }
    return true;
  }

  /// {@return the rows of `Â` and `Â^T` of owner `i`, with new column ids}
  ///
  /// @param arena owner of the new memory
  /// @param propagation `Â` and `Â^T`, by the data set's ids
  /// @param i number of a block
  /// @throws IllegalArgumentException if the graph has another number of vertices
  public PropagationRows blockRows(Arena arena, Propagation propagation, int i) {
    return propagation.rows(arena, members(i), newIds);
  }

  private static int[] identity(int n) {
    int[] ids = new int[n];
    Arrays.setAll(ids, v -> v);
    return ids;
  }

  private static int[] inverse(int[] ids) {
    int[] inverse = new int[ids.length];
    for (int v = 0; v < ids.length; v++) {
      inverse[ids[v]] = v;
    }
    return inverse;
  }
}
