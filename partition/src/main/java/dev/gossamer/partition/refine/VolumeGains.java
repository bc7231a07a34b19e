package dev.gossamer.partition.refine;

import dev.gossamer.base.memory.Memory;
import dev.gossamer.partition.level.LevelGraph;
import dev.gossamer.partition.level.PartLoads;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/// Gains of the volume. The rows of `u` that part `p = part(u)` sends to each other part `q` among
/// its neighbours cost `size(u) price(p, q)`, with `price(p, q) = sendPrice(p) + receivePrice(q)`;
/// with equal prices, the sum is the total volume; higher prices of the busiest senders and
/// receivers reduce the maximum.
///
/// Let `c(u, p)` be the number of neighbours of `u` in part `p` and `N(u)` the parts with `c(u, p)
/// > 0`. Moving `v` from `a` to `b` gains
///
/// `sum over neighbours u, p = part(u): + size(u) price(p, a) if p != a and c(u, a) = 1` ` -
/// size(u) price(p, b) if p != b and c(u, b) = 0` `+ size(v) (sum over q in N(v) - a of price(a, q)
/// - sum over q in N(v) - b of price(b, q))`
///
/// The counts are kept in a packed table: a row of `min(degree, k)` ints for each vertex. A row of
/// fewer than `k` ints has `part << 16 | count` of the parts that occur, in front; a row of `k`
/// ints has the count of each part, and a bit for each part that occurs. A query costs the sum of
/// the rows of the neighbours.
public final class VolumeGains extends Gains implements AutoCloseable {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  /// The price of a row without pressure.
  public static final long UNIT = 1 << 10;

  private final int k;
  private final int words;
  private final Arena arena;
  private final long[] rows;
  private final MemorySegment table;
  private final long address;
  private final long[] send;
  private final long[] receive;
  private final long[] sendPrice;
  private final long[] receivePrice;

  /// Creates gains of a partition, whose volumes are counted at once.
  ///
  /// @param graph the level
  /// @param part the part of each vertex
  /// @param loads of the parts
  public VolumeGains(LevelGraph graph, int[] part, PartLoads loads) {
    this(graph, part, loads, Arena.ofShared());
  }

  /// @param arena of the table; closed with the gains, also if they cannot be made
  VolumeGains(LevelGraph graph, int[] part, PartLoads loads, Arena arena) {
    super(graph, part, loads);
    this.arena = arena;
    k = loads.parts();
    words = (k + 63) / 64;
    send = new long[k];
    receive = new long[k];
    sendPrice = new long[k];
    receivePrice = new long[k];
    Arrays.fill(sendPrice, UNIT);
    rows = new long[graph.vertices() + 1];
    for (int v = 0; v < graph.vertices(); v++) {
      rows[v + 1] = rows[v] + rowInts(graph.degree(v), k);
    }
    try {
      table = arena.allocate(rows[graph.vertices()] * Integer.BYTES, 64);
      address = table.address();
      count();
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  private static long rowInts(int degree, int k) {
    return degree < k ? degree : k + 2L * ((k + 63) / 64);
  }

  /// {@return the number of rows that each part sends, as counted on this level; read-only}
  public long[] send() {
    return send;
  }

  /// {@return the number of rows that each part receives; read-only}
  public long[] receive() {
    return receive;
  }

  /// {@return the price of a row for each sender; may be changed between calls}
  public long[] sendPrice() {
    return sendPrice;
  }

  /// {@return the price of a row for each receiver; may be changed between calls}
  public long[] receivePrice() {
    return receivePrice;
  }

  private void count() {
    for (int v = 0; v < graph.vertices(); v++) {
      for (long e = graph.start(v); e < graph.start(v + 1); e++) {
        increment(v, part[graph.neighbour(e)]);
      }
    }
    for (int v = 0; v < graph.vertices(); v++) {
      charge(v, part[v], 1);
    }
  }

  private int at(long index) {
    return Memory.ALL.get(INT, Memory.at(address + index * Integer.BYTES));
  }

  private void set(long index, int value) {
    Memory.ALL.set(INT, Memory.at(address + index * Integer.BYTES), value);
  }

  private long bits(long row, int word) {
    return Memory.ALL.get(LONG, Memory.at(address + (row + k + 2L * word) * Integer.BYTES));
  }

  private void flip(long row, int p) {
    long where = Memory.at(address + (row + k + 2L * (p >> 6)) * Integer.BYTES);
    Memory.ALL.set(LONG, where, Memory.ALL.get(LONG, where) ^ 1L << p);
  }

  /// Adds 1 to `c(u, p)`; returns whether it was 0.
  private boolean increment(int u, int p) {
    long row = rows[u];
    if (graph.degree(u) >= k) {
      int before = at(row + p);
      set(row + p, before + 1);
      if (before == 0) {
        flip(row, p);
      }
      return before == 0;
    }
    for (long i = row; ; i++) {
      int entry = at(i);
      if (entry == 0) {
        set(i, p << 16 | 1);
        return true;
      }
      if (entry >>> 16 == p) {
        set(i, entry + 1);
        return false;
      }
    }
  }

  /// Takes 1 from `c(u, p)`; returns whether it is 0 now.
  private boolean decrement(int u, int p) {
    long row = rows[u];
    if (graph.degree(u) >= k) {
      int after = at(row + p) - 1;
      set(row + p, after);
      if (after == 0) {
        flip(row, p);
      }
      return after == 0;
    }
    long i = row;
    while (at(i) >>> 16 != p) {
      i++;
    }
    int after = at(i) - 1;
    set(i, after);
    if ((after & 0xffff) != 0) {
      return false;
    }
    long last = i;
    while (last + 1 < rows[u + 1] && at(last + 1) != 0) {
      last++;
    }
    set(i, at(last));
    set(last, 0);
    return true;
  }

  /// Adds `sign` times what `v` costs in part `own` to the volumes.
  private void charge(int v, int own, int sign) {
    long size = (long) sign * graph.size(v);
    long row = rows[v];
    if (graph.degree(v) >= k) {
      for (int p = 0; p < k; p++) {
        if (p != own && at(row + p) > 0) {
          send[own] += size;
          receive[p] += size;
        }
      }
      return;
    }
    for (long i = row; i < rows[v + 1] && at(i) != 0; i++) {
      int p = at(i) >>> 16;
      if (p != own) {
        send[own] += size;
        receive[p] += size;
      }
    }
  }

  @Override
  void moved(int v, int from, int to) {
    charge(v, from, -1);
    charge(v, to, 1);
    long end = graph.start(v + 1);
    for (long e = graph.start(v); e < end; e++) {
      int u = graph.neighbour(e);
      int p = part[u];
      if (decrement(u, from) && p != from) {
        send[p] -= graph.size(u);
        receive[from] -= graph.size(u);
      }
      if (increment(u, to) && p != to) {
        send[p] += graph.size(u);
        receive[to] += graph.size(u);
      }
    }
  }

  @Override
  public void best(int v, Targets targets, Move move) {
    int a = part[v];
    begin(v, targets, move);
    boolean all = targets == Targets.RELIEVING;
    long row = rows[v];
    boolean dense = graph.degree(v) >= k;
    if (!all && !isBoundary(v)) {
      return;
    }
    Arrays.fill(move.byPart, 0);
    // With a new place for v nothing is lost but what these sums say (see join).
    Sums s = move.sums;
    s.clear();
    gather(v, a, move.byPart, s);
    own(v, row, dense, s);
    long size = graph.size(v);
    boolean hasA = count(v, row, dense, a) > 0;
    long before =
        size
            * (sendPrice[a] * (s.parts - (hasA ? 1 : 0))
                + s.receive
                - (hasA ? receivePrice[a] : 0));
    long leave = s.leave + before;
    if (dense || all) {
      for (int b = 0; b < k; b++) {
        boolean has = count(v, row, dense, b) > 0;
        if (b != a && (has || all)) {
          offer(v, b, leave - join(b, has, size, move.byPart, s), targets, move);
        }
      }
    } else {
      for (long i = row; i < rows[v + 1] && at(i) != 0; i++) {
        int b = at(i) >>> 16;
        if (b != a) {
          offer(v, b, leave - join(b, true, size, move.byPart, s), targets, move);
        }
      }
    }
  }

  @Override
  boolean isBoundary(int v) {
    int degree = graph.degree(v);
    if (degree == 0) {
      return false;
    }
    return degree >= k ? !isInside(rows[v], part[v]) : !isOnly(v, rows[v], part[v]);
  }

  /// Neighbours of a vertex in a part.
  int count(int v, int p) {
    return count(v, rows[v], graph.degree(v) >= k, p);
  }

  /// Number of parts among the neighbours of a vertex.
  int partsAround(int v) {
    long row = rows[v];
    int parts = 0;
    if (graph.degree(v) >= k) {
      for (int w = 0; w < words; w++) {
        parts += Long.bitCount(bits(row, w));
      }
    } else {
      while (row + parts < rows[v + 1] && at(row + parts) != 0) {
        parts++;
      }
    }
    return parts;
  }

  /// Whether a long row has no part but `a`.
  private boolean isInside(long row, int a) {
    for (int w = 0; w < words; w++) {
      if ((bits(row, w) & (a >> 6 == w ? ~(1L << a) : -1L)) != 0) {
        return false;
      }
    }
    return true;
  }

  /// Whether a short row has no part but `a`.
  private boolean isOnly(int v, long row, int a) {
    return at(row) >>> 16 == a && (row + 1 == rows[v + 1] || at(row + 1) == 0);
  }

  private int count(int v, long row, boolean dense, int p) {
    if (dense) {
      return at(row + p);
    }
    for (long i = row; i < rows[v + 1] && at(i) != 0; i++) {
      if (at(i) >>> 16 == p) {
        return at(i) & 0xffff;
      }
    }
    return 0;
  }

  /// What the neighbours and `v` itself cost if `v` lies in `b`, less what does not depend on `b`.
  private long join(int b, boolean has, long size, long[] saved, Sums s) {
    long neighbours = s.prices + receivePrice[b] * s.sizes - saved[b];
    long self = sendPrice[b] * (s.parts - (has ? 1 : 0)) + s.receive - (has ? receivePrice[b] : 0);
    return neighbours + size * self;
  }

  private void own(int v, long row, boolean dense, Sums s) {
    if (dense) {
      for (int p = 0; p < k; p++) {
        if (at(row + p) > 0) {
          s.parts++;
          s.receive += receivePrice[p];
        }
      }
    } else {
      for (long i = row; i < rows[v + 1] && at(i) != 0; i++) {
        s.parts++;
        s.receive += receivePrice[at(i) >>> 16];
      }
    }
  }

  /// Walks the rows of the neighbours: `saved[q]` becomes what the neighbours with short rows do
  /// not cost because they have part `q` already or lie in it, less what those with long rows do
  /// cost.
  private void gather(int v, int a, long[] saved, Sums s) {
    long end = graph.start(v + 1);
    long leave = 0;
    for (long e = graph.start(v); e < end; e++) {
      int u = graph.neighbour(e);
      int p = part[u];
      long size = graph.size(u);
      long price = sendPrice[p];
      long row = rows[u];
      if (graph.degree(u) >= k) {
        if (p != a && at(row + a) == 1) {
          leave += size * (price + receivePrice[a]);
        }
        gatherLong(row, p, size, saved, s);
        continue;
      }
      s.sizes += size;
      s.prices += size * price;
      long limit = rows[u + 1];
      boolean own = false;
      for (long i = row; i < limit; i++) {
        int entry = at(i);
        if (entry == 0) {
          break;
        }
        int q = entry >>> 16;
        saved[q] += size * (price + receivePrice[q]);
        own |= q == p;
        if (entry == (a << 16 | 1) && a != p) {
          leave += size * (price + receivePrice[a]);
        }
      }
      if (!own) {
        saved[p] += size * (price + receivePrice[p]);
      }
    }
    s.leave = leave;
  }

  /// A long row says what it costs or what it saves, whichever are fewer parts.
  private void gatherLong(long row, int p, long size, long[] saved, Sums s) {
    int present = 0;
    for (int w = 0; w < words; w++) {
      present += Long.bitCount(bits(row, w));
    }
    boolean most = 2 * present >= k;
    if (!most) {
      s.sizes += size;
      s.prices += size * sendPrice[p];
    }
    long cost = (most ? -size : size) * sendPrice[p];
    for (int w = 0; w < words; w++) {
      long found = bits(row, w) | (p >> 6 == w ? 1L << p : 0);
      if (most) {
        found = ~found & (w == words - 1 && (k & 63) != 0 ? (1L << k) - 1 : -1L);
      }
      for (; found != 0; found &= found - 1) {
        int q = (w << 6) + Long.numberOfTrailingZeros(found);
        saved[q] += cost + (most ? -size : size) * receivePrice[q];
      }
    }
  }

  /// {@return the maximum bytes of the table and its row pointers}
  ///
  /// @param vertices number of vertices of the level
  /// @param arcs number of arcs of the level
  /// @param parts number of parts
  public static long bytes(long vertices, long arcs, int parts) {
    long bits = 2L * Math.ceilDiv(parts, Long.SIZE);
    return (vertices + 1) * Long.BYTES
        + (arcs + Math.min(vertices, arcs / parts) * bits) * Integer.BYTES;
  }

  @Override
  public void close() {
    arena.close();
  }
}
