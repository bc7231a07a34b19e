package dev.gossamer.partition.refine;

import dev.gossamer.partition.level.LevelGraph;
import java.util.Arrays;

/// The exact effect of moving a cluster of vertices from its part `a` to `b`, without moving it.
/// With `m(u)` arcs from `u` into the cluster, and the counts `c` and parts `N` of [VolumeGains]:
///
/// - a neighbour `u` outside, in part `p`, sends its row to `a` no more if `p != a` and `c(u, a) =
///   m(u)`, and to `b` from now on if `p != b` and `c(u, b) = 0`;
/// - a member `v` is no longer sent by `a` to `N(v) - a`, but by `b` to `N(v) - b`, and to `a` if
///   `c(v, a) > m(v)`.
///
/// [#gather] costs the cluster's arcs, [#target] its members and distinct neighbours. Two ints a
/// vertex.
final class ClusterMove {
  private final VolumeGains gains;
  private final LevelGraph graph;
  private final int[] arcsToCluster;
  private final int[] neighbours;
  private final long[] arcs;
  private final long[] leftSend;
  private final long[] leftReceive;
  private final long[] send;
  private final long[] receive;
  private int[] members = {};
  private int first;
  private int last;
  private int outside;
  private int from;
  private long sentByMembers;
  private long sentBack;

  ClusterMove(VolumeGains gains) {
    this.gains = gains;
    graph = gains.graph();
    int k = gains.loads().parts();
    arcsToCluster = new int[graph.vertices()];
    neighbours = new int[graph.vertices()];
    arcs = new long[k];
    leftSend = new long[k];
    leftReceive = new long[k];
    send = new long[k];
    receive = new long[k];
  }

  /// Arcs from the cluster into each part.
  long[] arcs() {
    return arcs;
  }

  /// Returns the increase of the rows that each part sends.
  long[] send() {
    return send;
  }

  /// Returns the increase of the rows that each part receives.
  long[] receive() {
    return receive;
  }

  /// Gathers the arcs of a cluster that is in one part.
  ///
  /// @param members of clusters, of which `first..last-1` are of this one; borrowed
  void gather(int[] members, int first, int last) {
    this.members = members;
    this.first = first;
    this.last = last;
    from = gains.part[members[first]];
    Arrays.fill(arcs, 0);
    int count = 0;
    for (int i = first; i < last; i++) {
      int v = members[i];
      long end = graph.start(v + 1);
      for (long e = graph.start(v); e < end; e++) {
        int u = graph.neighbour(e);
        arcs[gains.part[u]]++;
        if (arcsToCluster[u]++ == 0) {
          neighbours[count++] = u;
        }
      }
    }
    leave(count);
  }

  /// What leaving `a` changes, whatever the target. Of the neighbours only those outside stay.
  private void leave(int count) {
    Arrays.fill(leftSend, 0);
    Arrays.fill(leftReceive, 0);
    sentByMembers = 0;
    sentBack = 0;
    for (int i = first; i < last; i++) {
      int v = members[i];
      int own = gains.count(v, from);
      sentByMembers += (long) graph.size(v) * (gains.partsAround(v) - (own > 0 ? 1 : 0));
      sentBack += own > arcsToCluster[v] ? graph.size(v) : 0;
      arcsToCluster[v] = 0;
    }
    outside = 0;
    for (int i = 0; i < count; i++) {
      int u = neighbours[i];
      int into = arcsToCluster[u];
      arcsToCluster[u] = 0;
      if (into == 0) {
        continue;
      }
      neighbours[outside++] = u;
      int p = gains.part[u];
      if (p != from && gains.count(u, from) == into) {
        leftSend[p] -= graph.size(u);
        leftReceive[from] -= graph.size(u);
      }
    }
    leftSend[from] -= sentByMembers;
    leftReceive[from] += sentBack;
  }

  /// Computes [#send] and [#receive] for a move to another part.
  void target(int to) {
    System.arraycopy(leftSend, 0, send, 0, send.length);
    System.arraycopy(leftReceive, 0, receive, 0, receive.length);
    for (int i = 0; i < outside; i++) {
      int u = neighbours[i];
      int p = gains.part[u];
      if (p != to && gains.count(u, to) == 0) {
        send[p] += graph.size(u);
        receive[to] += graph.size(u);
      }
    }
    long spared = 0;
    for (int i = first; i < last; i++) {
      spared += gains.count(members[i], to) > 0 ? graph.size(members[i]) : 0;
    }
    send[to] += sentByMembers - spared + sentBack;
    receive[to] -= spared;
  }
}
