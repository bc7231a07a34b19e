package dev.gossamer.partition.coarsen;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.random.Philox;
import dev.gossamer.partition.level.Chunks;
import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.SparseSums;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Size-constrained label propagation (Meyerhenke, Sanders and Schulz 2014): each vertex in turn
/// joins the cluster with room for it that it has the heaviest edges to, in several rounds.
///
/// Remaining single vertices (leaves whose hub's cluster is full) are grouped by the cluster that
/// they would have joined (two-hop, LaSalle et al. 2015), and isolated vertices with each other.
///
/// The vertices of a chunk decide concurrently, and then move if there is still room ([Chunks]).
public final class Clustering {
  private static final int STREAM = 0x434c5553;
  private static final int ROUNDS = 3;
  private static final int BLOCKS_AT_ONCE = 16;

  private final LevelGraph graph;
  private final long[] caps;
  private final Philox random;
  private final Chunks chunks;
  private final int @Nullable [] part;
  private final int[] cluster;
  private final int[] wanted;
  private final long[][] loads;
  private final SparseSums[] sums;
  private int moved;

  private Clustering(
      LevelGraph graph, long[] caps, int @Nullable [] part, long seed, Workers workers) {
    this.graph = graph;
    this.part = part;
    this.caps = caps;
    chunks = new Chunks(graph.vertices(), BLOCKS_AT_ONCE, workers);
    wanted = new int[chunks.slots()];
    random = Philox.keyed(seed, STREAM, graph.vertices());
    cluster = new int[graph.vertices()];
    loads = new long[graph.constraints()][graph.vertices()];
    sums = new SparseSums[workers.threads()];
    Arrays.setAll(sums, i -> new SparseSums());
    Arrays.setAll(cluster, v -> v);
    for (int c = 0; c < loads.length; c++) {
      for (int v = 0; v < cluster.length; v++) {
        loads[c][v] = graph.load(c, v);
      }
    }
  }

  /// {@return the cluster of each vertex, identified by one of its vertices}
  ///
  /// @param graph the level
  /// @param caps maximum load of a cluster for each balanced quantity
  /// @param part if not null, no cluster has vertices of two parts
  /// @param seed of all draws
  /// @param workers threads to use
  public static int[] of(
      LevelGraph graph, long[] caps, int @Nullable [] part, long seed, Workers workers) {
    Clustering clustering = new Clustering(graph, caps, part, seed, workers);
    for (int round = 0; round < ROUNDS; round++) {
      if (clustering.round(round) < graph.vertices() / 50) {
        break;
      }
    }
    clustering.joinLeftovers();
    return clustering.cluster;
  }

  private int round(int round) {
    moved = 0;
    chunks.round(
        random.order(chunks.blocks(), round),
        () -> {},
        (v, slot, worker) -> wanted[slot] = heaviest(v, sums[worker]),
        (v, slot) -> carryOut(v, wanted[slot]));
    return moved;
  }

  private int heaviest(int v, SparseSums ratings) {
    ratings.clear(graph.degree(v));
    long end = graph.start(v + 1);
    for (long e = graph.start(v); e < end; e++) {
      int u = graph.neighbour(e);
      if (together(v, u)) {
        ratings.add(cluster[u], graph.weight(e, v, u));
      }
    }
    int own = cluster[v];
    int best = own;
    long most = 0;
    long tie = 0;
    for (int i = 0; i < ratings.size(); i++) {
      int to = ratings.key(i);
      long rating = ratings.sum(i);
      if (rating < most || (to != own && !fits(v, to))) {
        continue;
      }
      long hash = (to ^ v * 0x9E3779B97F4A7C15L) * 0xD6E8FEB86659FD93L;
      if (rating > most || hash > tie) {
        most = rating;
        best = to;
        tie = hash;
      }
    }
    return best;
  }

  private boolean together(int v, int u) {
    return part == null || part[v] == part[u];
  }

  private boolean fits(int v, int to) {
    for (int c = 0; c < loads.length; c++) {
      if (loads[c][to] + graph.load(c, v) > caps[c]) {
        return false;
      }
    }
    return true;
  }

  private void carryOut(int v, int to) {
    if (to != cluster[v] && !isEmpty(to) && fits(v, to)) {
      move(v, to);
      moved++;
    }
  }

  private boolean isEmpty(int to) {
    for (long[] load : loads) {
      if (load[to] > 0) {
        return false;
      }
    }
    return true;
  }

  private void move(int v, int to) {
    for (int c = 0; c < loads.length; c++) {
      loads[c][cluster[v]] -= graph.load(c, v);
      loads[c][to] += graph.load(c, v);
    }
    cluster[v] = to;
  }

  /// A vertex alone in its cluster joins the last one that wanted the same cluster, if there is
  /// room.
  private void joinLeftovers() {
    int n = graph.vertices();
    int[] members = new int[n];
    for (int v = 0; v < n; v++) {
      members[cluster[v]]++;
    }
    int[] host = new int[n + 1];
    Arrays.fill(host, -1);
    SparseSums ratings = sums[0];
    for (int v = 0; v < n; v++) {
      if (members[cluster[v]] != 1) {
        continue;
      }
      int liked = favourite(v, ratings);
      int to = host[liked];
      if (to >= 0 && together(v, to) && fits(v, cluster[to])) {
        move(v, cluster[to]);
      } else {
        host[liked] = v;
      }
    }
  }

  /// The cluster of the heaviest edges whether or not it has room; `n` for an isolated vertex.
  private int favourite(int v, SparseSums ratings) {
    ratings.clear(graph.degree(v));
    for (long e = graph.start(v); e < graph.start(v + 1); e++) {
      int u = graph.neighbour(e);
      if (together(v, u)) {
        ratings.add(cluster[u], graph.weight(e, v, u));
      }
    }
    int best = graph.vertices();
    long most = -1;
    for (int i = 0; i < ratings.size(); i++) {
      if (ratings.sum(i) > most) {
        most = ratings.sum(i);
        best = ratings.key(i);
      }
    }
    return best;
  }
}
