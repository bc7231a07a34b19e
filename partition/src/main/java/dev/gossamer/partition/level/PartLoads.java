package dev.gossamer.partition.level;

/// The loads of the parts and how much each may carry.
public final class PartLoads {
  private final int parts;
  private final long[][] caps;
  private final long[][] loads;
  private final double[] scale;
  private final long[][] limits;

  /// Parts that are empty.
  ///
  /// @param caps for each balanced quantity the most load of each part
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
  /// @param epsilon how far above the average a part may be
  public static long[] equalCaps(long total, int parts, double epsilon) {
    long[] caps = new long[parts];
    double cap = Math.floor((1 + epsilon) * (double) total / parts);
    java.util.Arrays.fill(caps, Math.max((long) cap, Math.ceilDiv(total, parts)));
    return caps;
  }

  /// {@return number of parts}
  public int parts() {
    return parts;
  }

  /// Counts from the start.
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

  /// Moves the limits that loads are held against from here on: 0 are the caps. A search that may
  /// pass through unbalanced partitions finds better ones; balancing a little too well leaves room
  /// for moves afterwards.
  ///
  /// @param slack if positive, the share of a cap above it; if negative, the share of the way from
  ///   a cap down to the average load
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

  /// {@return whether part `b` can take vertex `v` within all limits}
  ///
  /// @param graph the level
  /// @param v a vertex
  /// @param b the part that it would be in
  public boolean fits(LevelGraph graph, int v, int b) {
    for (int c = 0; c < loads.length; c++) {
      if (loads[c][b] + graph.load(c, v) > limits[c][b]) {
        return false;
      }
    }
    return true;
  }

  /// {@return whether no load of part `p` that would grow by `sign` times `added` would be above
  /// its limit}
  ///
  /// @param p a part
  /// @param added for each balanced quantity a load
  /// @param sign 1 to add it, -1 to take it away
  public boolean fits(int p, long[] added, int sign) {
    for (int c = 0; c < loads.length; c++) {
      long more = sign * added[c];
      if (more > 0 && loads[c][p] + more > limits[c][p]) {
        return false;
      }
    }
    return true;
  }

  /// {@return the overload that part `p` would have with `sign` times `added` more}
  ///
  /// @param p a part
  /// @param added for each balanced quantity a load
  /// @param sign 1 to add it, -1 to take it away
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
  /// @param a the part that the vertex is in
  /// @param b the part that it would be in
  public void move(LevelGraph graph, int v, int a, int b) {
    for (int c = 0; c < loads.length; c++) {
      loads[c][a] -= graph.load(c, v);
      loads[c][b] += graph.load(c, v);
    }
  }

  /// {@return how far a part is above its limits, in limits, summed over the balanced quantities}
  ///
  /// @param p a part
  public double overload(int p) {
    double over = 0;
    for (int c = 0; c < loads.length; c++) {
      over += Math.max(0, loads[c][p] - limits[c][p]) * scale[c];
    }
    return over;
  }

  /// {@return sum of [#overload] over the parts; 0 if all limits are kept}
  public double overload() {
    double over = 0;
    for (int p = 0; p < parts; p++) {
      over += overload(p);
    }
    return over;
  }

  /// {@return by how much moving `v` from `a` to `b` lowers the overload}
  ///
  /// @param graph the level
  /// @param v a vertex
  /// @param a the part that the vertex is in
  /// @param b the part that it would be in
  public double relief(LevelGraph graph, int v, int a, int b) {
    return leaving(graph, v, a) - joining(graph, v, b);
  }

  /// {@return by how much the overload of part `a` falls without vertex `v`}
  ///
  /// @param graph the level
  /// @param v a vertex
  /// @param a the part that the vertex is in
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

  /// {@return by how much the overload of part `b` grows with vertex `v`}
  ///
  /// @param graph the level
  /// @param v a vertex
  /// @param b the part that it would be in
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

  /// {@return the fullest of the loads of a part, in caps}
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

  /// {@return the most load of a part}
  ///
  /// @param c a balanced quantity
  /// @param p a part
  public long cap(int c, int p) {
    return caps[c][p];
  }
}
