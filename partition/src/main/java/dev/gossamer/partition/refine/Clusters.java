package dev.gossamer.partition.refine;

import dev.gossamer.partition.level.LevelGraph;
import java.util.Arrays;

/// Clusters of vertices, each within one part: their members, their loads, and which of them each
/// part has. Three ints per vertex, and for each cluster two ints and a long per load.
final class Clusters {
  private final int[] part;
  private final int[] first;
  private final int[] members;
  private final long[][] loads;
  private final long[] outside;
  private final int[] place;
  private final int[][] ofPart;
  private final int[] inPart;

  private Clusters(LevelGraph graph, int[] part, int k, int[] cluster, int count) {
    this.part = part;
    first = firsts(cluster, count);
    members = new int[cluster.length];
    loads = new long[graph.constraints()][count];
    outside = new long[count];
    int[] next = first.clone();
    for (int v = 0; v < cluster.length; v++) {
      int c = cluster[v];
      members[next[c]++] = v;
      for (int q = 0; q < loads.length; q++) {
        loads[q][c] += graph.load(q, v);
      }
      for (long e = graph.start(v); e < graph.start(v + 1); e++) {
        outside[c] += part[graph.neighbour(e)] == part[v] ? 0 : 1;
      }
    }
    place = new int[count];
    inPart = new int[k];
    ofPart = new int[k][16];
    for (int c = 0; c < count; c++) {
      enter(c, part(c));
    }
  }

  /// Returns the clusters of a level, divided at part boundaries.
  static Clusters of(Gains gains, ClusterLevel level) {
    int k = gains.loads().parts();
    int[] split = level.cluster().clone();
    int pieces = split(split, level.count(), gains.part, k);
    return new Clusters(gains.graph, gains.part, k, split, pieces);
  }

  private static int[] firsts(int[] cluster, int count) {
    int[] first = new int[count + 1];
    for (int c : cluster) {
      first[c + 1]++;
    }
    Arrays.parallelPrefix(first, Integer::sum);
    return first;
  }

  /// Renames clusters so that none lies in two parts; returns their number.
  private static int split(int[] cluster, int count, int[] part, int k) {
    int[] next = firsts(cluster, count);
    int[] sorted = new int[cluster.length];
    for (int v = 0; v < cluster.length; v++) {
      sorted[next[cluster[v]]++] = v;
    }
    int[] name = new int[k];
    int[] named = new int[k];
    Arrays.fill(named, -1);
    int pieces = 0;
    for (int v : sorted) {
      int c = cluster[v];
      int p = part[v];
      if (named[p] != c) {
        named[p] = c;
        name[p] = pieces++;
      }
      cluster[v] = name[p];
    }
    return pieces;
  }

  int count() {
    return place.length;
  }

  /// The part that all members are in.
  int part(int c) {
    return part[members[first[c]]];
  }

  /// Number of clusters in a part.
  int inPart(int p) {
    return inPart[p];
  }

  /// The `i`-th cluster of a part.
  int ofPart(int p, int i) {
    return ofPart[p][i];
  }

  long load(int q, int c) {
    return loads[q][c];
  }

  /// Arcs to other parts for each member, as it was at the start.
  double openness(int c) {
    return (double) outside[c] / (first[c + 1] - first[c]);
  }

  void gather(ClusterMove move, int c) {
    move.gather(members, first[c], first[c + 1]);
  }

  /// Moves all members of a cluster.
  void move(Gains gains, int c, int to) {
    leave(c, part(c));
    for (int i = first[c]; i < first[c + 1]; i++) {
      gains.apply(members[i], to);
    }
    enter(c, to);
  }

  private void enter(int c, int p) {
    if (inPart[p] == ofPart[p].length) {
      ofPart[p] = Arrays.copyOf(ofPart[p], 2 * inPart[p]);
    }
    place[c] = inPart[p];
    ofPart[p][inPart[p]++] = c;
  }

  private void leave(int c, int p) {
    int last = ofPart[p][--inPart[p]];
    ofPart[p][place[c]] = last;
    place[last] = place[c];
  }
}
