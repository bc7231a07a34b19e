package dev.gossamer.partition.coarsen;

import dev.gossamer.base.Resources;
import dev.gossamer.base.Workers;
import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.SparseSums;
import java.util.Arrays;

/// A coarser graph: clusters become vertices; loads, sizes and the weights of parallel edges are
/// added, and edges within clusters are removed.
///
/// @param graph the coarser graph, to be closed
/// @param coarse the coarse vertex of each vertex
public record Contraction(LevelGraph graph, Mapping coarse) {
  private static final int BLOCK = 256;

  /// The mapping from the vertices of a level to those of the next.
  ///
  /// Wraps a borrowed array.
  public static final class Mapping {
    private final int[] coarse;

    private Mapping(int[] coarse) {
      this.coarse = coarse;
    }

    /// {@return the coarse vertex of a vertex}
    ///
    /// @param v a vertex
    public int of(int v) {
      return coarse[v];
    }

    /// {@return the parts of the coarser vertices, whose members must all be in one part}
    ///
    /// @param part the part of each vertex
    /// @param coarser number of vertices of the coarser level
    public int[] lift(int[] part, int coarser) {
      int[] lifted = new int[coarser];
      for (int v = 0; v < coarse.length; v++) {
        lifted[coarse[v]] = part[v];
      }
      return lifted;
    }

    /// {@return the parts of the finer vertices, given those of the coarser ones}
    ///
    /// @param part the part of each vertex
    public int[] project(int[] part) {
      int[] finer = new int[coarse.length];
      Arrays.setAll(finer, v -> part[coarse[v]]);
      return finer;
    }
  }

  /// {@return the coarser level whose vertices are the clusters of a level}
  ///
  /// @param fine the level below
  /// @param cluster the cluster of each vertex, identified by a vertex; overwritten by the mapping
  /// @param workers threads to use
  public static Contraction of(LevelGraph fine, int[] cluster, Workers workers) {
    int n = fine.vertices();
    int[] members = new int[n];
    int[] firsts = new int[n + 1];
    int coarseVertices = renumber(cluster, members, firsts);
    int[][] loads = new int[fine.constraints()][coarseVertices];
    int[] sizes = new int[coarseVertices];
    for (int v = 0; v < n; v++) {
      sizes[cluster[v]] += fine.size(v);
      for (int c = 0; c < loads.length; c++) {
        loads[c][cluster[v]] += fine.load(c, v);
      }
    }
    Rows rows = new Rows(fine, cluster, members, firsts, workers.threads());
    int tasks = Math.ceilDiv(coarseVertices, BLOCK);
    long[] starts = new long[coarseVertices + 1];
    workers.run(
        tasks,
        (task, worker) -> {
          for (int i = task * BLOCK; i < Math.min(coarseVertices, (task + 1) * BLOCK); i++) {
            starts[i + 1] = rows.of(i, worker).size();
          }
        });
    Arrays.parallelPrefix(starts, Long::sum);
    return Resources.handedOver(
        LevelGraph.allocate(starts, loads, sizes),
        graph -> {
          workers.run(
              tasks,
              (task, worker) -> {
                for (int i = task * BLOCK; i < Math.min(coarseVertices, (task + 1) * BLOCK); i++) {
                  SparseSums row = rows.of(i, worker);
                  for (int j = 0; j < row.size(); j++) {
                    graph.set(starts[i] + j, row.key(j), row.sum(j));
                  }
                }
              });
          return new Contraction(graph, new Mapping(cluster));
        });
  }

  /// Numbers the clusters in ascending order of their names and lists the members of each.
  private static int renumber(int[] cluster, int[] members, int[] firsts) {
    int n = cluster.length;
    int[] number = new int[n];
    for (int v = 0; v < n; v++) {
      number[cluster[v]] = 1;
    }
    int count = 0;
    for (int v = 0; v < n; v++) {
      number[v] = number[v] == 0 ? -1 : count++;
    }
    for (int v = 0; v < n; v++) {
      cluster[v] = number[cluster[v]];
      firsts[cluster[v] + 1]++;
    }
    for (int i = 0; i < count; i++) {
      firsts[i + 1] += firsts[i];
      number[i] = firsts[i];
    }
    for (int v = 0; v < n; v++) {
      members[number[cluster[v]]++] = v;
    }
    return count;
  }

  private static final class Rows {
    private final LevelGraph fine;
    private final int[] coarse;
    private final int[] members;
    private final int[] firsts;
    private final SparseSums[] sums;

    private Rows(LevelGraph fine, int[] coarse, int[] members, int[] firsts, int threads) {
      this.fine = fine;
      this.coarse = coarse;
      this.members = members;
      this.firsts = firsts;
      sums = new SparseSums[threads];
      Arrays.setAll(sums, i -> new SparseSums());
    }

    private SparseSums of(int i, int worker) {
      SparseSums row = sums[worker];
      long most = 0;
      for (int m = firsts[i]; m < firsts[i + 1]; m++) {
        most += fine.degree(members[m]);
      }
      row.clear((int) Math.min(most, coarse.length));
      for (int m = firsts[i]; m < firsts[i + 1]; m++) {
        int v = members[m];
        long end = fine.start(v + 1);
        for (long e = fine.start(v); e < end; e++) {
          int u = fine.neighbour(e);
          if (coarse[u] != i) {
            row.add(coarse[u], fine.weight(e, v, u));
          }
        }
      }
      return row;
    }
  }
}
