package dev.gossamer.partition.level;

/// The loads of the parts and their limits.
public final class PartLoads {
  private final int parts;
  private final long[][] caps;
  private final long[][] loads;
  private final double[] scale;
  private final long[][] limits;

  /// Creates empty parts.
  ///
  /// @param caps maximum load of each part, for each balanced quantity
  public PartLoads(long[][] caps) {
    this.caps = caps;
    parts = caps[0].length;
    loads = new long[caps.length][parts];
    scale = new double[caps.length];
    limits = new long[caps.length][];
    for (int c = 0; c < caps.length; c++) {
      double sum = 0;
      for (long cap : caps[c]) {
        sum += Math.max(1, cap);
      }
      scale[c] = parts / sum;
      limits[c] = caps[c].clone();
    }
  }

  /// {@return the caps of equal parts: `(1 + epsilon)` times the average rounded down, and at least
  /// the average rounded up}
  ///
  /// @param total load of all vertices
  /// @param parts number of parts
  /// @param epsilon excess of a part over the average, as a fraction
  public static long[] equalCaps(long total, int parts, double epsilon) {
    long[] caps = new long[parts];
    double cap = Math.floor((1 + epsilon) * (double) total / parts);
    java.util.Arrays.fill(caps, Math.max((long) cap, Math.ceilDiv(total, parts)));
    return caps;
  }

  /// {@return the number of parts}
  public int parts() {
    return parts;
  }

  /// Recomputes the loads.
  ///
  /// @param graph the level
  /// @param part the part of each vertex
  public void reset(LevelGraph graph, int[] part) {
    for (int c = 0; c < loads.length; c++) {
      java.util.Arrays.fill(loads[c], 0);
      for (int v = 0; v < part.length; v++) {
        loads[c][part[v]] += graph.load(c, v);
      }
    }
  }

  /// Changes the limits of loads; 0 for the caps. A search that may pass through unbalanced
  /// partitions finds better ones; balancing below the caps leaves room for later moves.
  ///
  /// @param slack if positive, the excess over a cap as a fraction of it; if negative, the fraction
  ///   of the distance from a cap down to the average load
  public void slack(double slack) {
    for (int c = 0; c < caps.length; c++) {
      double average = 0;
      for (long load : loads[c]) {
        average += (double) load / parts;
      }
      for (int p = 0; p < parts; p++) {
        double room = slack >= 0 ? caps[c][p] : Math.max(0, caps[c][p] - Math.ceil(average));
        limits[c][p] = caps[c][p] + (long) Math.min(slack * room, 1e18);
      }
    }
  }

  /// {@return whether part `b` has room for vertex `v` within all limits}
  ///
  /// @param graph the level
  /// @param v a vertex
  /// @param b its new part
  public boolean fits(LevelGraph graph, int v, int b) {
    for (int c = 0; c < loads.length; c++) {
      if (loads[c][b] + graph.load(c, v) > limits[c][b]) {
        return false;
      }
    }
    return true;
  }

  /// {@return whether part `p` stays within its limits in all loads that grow by `sign` times
  /// `added`}
  ///
  /// @param p a part
  /// @param added a load for each balanced quantity
  /// @param sign 1 to add it, -1 to subtract it
  public boolean fits(int p, long[] added, int sign) {
    for (int c = 0; c < loads.length; c++) {
      long more = sign * added[c];
      if (more > 0 && loads[c][p] + more > limits[c][p]) {
        return false;
      }
    }
    return true;
  }

  /// {@return the overload of part `p` after adding `sign` times `added`}
  ///
  /// @param p a part
  /// @param added a load for each balanced quantity
  /// @param sign 1 to add it, -1 to subtract it
  public double overload(int p, long[] added, int sign) {
    double over = 0;
    for (int c = 0; c < loads.length; c++) {
      over += Math.max(0, loads[c][p] + sign * added[c] - limits[c][p]) * scale[c];
    }
    return over;
  }

  /// Moves the loads of a vertex from one part to another.
  ///
  /// @param graph the level
  /// @param v a vertex
  /// @param a the current part of the vertex
  /// @param b its new part
  public void move(LevelGraph graph, int v, int a, int b) {
    for (int c = 0; c < loads.length; c++) {
      loads[c][a] -= graph.load(c, v);
      loads[c][b] += graph.load(c, v);
    }
  }

  /// {@return the excess of a part over its limits, relative to the limits, summed over the
  /// balanced quantities}
  ///
  /// @param p a part
  public double overload(int p) {
    double over = 0;
    for (int c = 0; c < loads.length; c++) {
      over += Math.max(0, loads[c][p] - limits[c][p]) * scale[c];
    }
    return over;
  }

  /// {@return the sum of [#overload] over the parts; 0 if all limits are kept}
  public double overload() {
    double over = 0;
    for (int p = 0; p < parts; p++) {
      over += overload(p);
    }
    return over;
  }

  /// {@return the decrease of the overload if `v` moves from `a` to `b`}
  ///
  /// @param graph the level
  /// @param v a vertex
  /// @param a the current part of the vertex
  /// @param b its new part
  public double relief(LevelGraph graph, int v, int a, int b) {
    return leaving(graph, v, a) - joining(graph, v, b);
  }

  /// {@return the decrease of the overload of part `a` without vertex `v`}
  ///
  /// @param graph the level
  /// @param v a vertex
  /// @param a the current part of the vertex
  public double leaving(LevelGraph graph, int v, int a) {
    double relief = 0;
    for (int c = 0; c < loads.length; c++) {
      long over = loads[c][a] - limits[c][a];
      if (over > 0) {
        relief += Math.min(over, graph.load(c, v)) * scale[c];
      }
    }
    return relief;
  }

  /// {@return the increase of the overload of part `b` with vertex `v`}
  ///
  /// @param graph the level
  /// @param v a vertex
  /// @param b its new part
  public double joining(LevelGraph graph, int v, int b) {
    double burden = 0;
    for (int c = 0; c < loads.length; c++) {
      long w = graph.load(c, v);
      long over = loads[c][b] + w - limits[c][b];
      if (over > 0) {
        burden += Math.min(over, w) * scale[c];
      }
    }
    return burden;
  }

  /// {@return the maximum load of a part, relative to the caps}
  ///
  /// @param p a part
  public double fullness(int p) {
    double most = 0;
    for (int c = 0; c < loads.length; c++) {
      most = Math.max(most, (double) loads[c][p] / Math.max(1, limits[c][p]));
    }
    return most;
  }

  /// {@return the load of a part}
  ///
  /// @param c a balanced quantity
  /// @param p a part
  public long load(int c, int p) {
    return loads[c][p];
  }

  /// {@return the maximum load of a part}
  ///
  /// @param c a balanced quantity
  /// @param p a part
  public long cap(int c, int p) {
    return caps[c][p];
  }
}
