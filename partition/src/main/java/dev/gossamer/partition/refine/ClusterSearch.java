package dev.gossamer.partition.refine;

import dev.gossamer.matrix.random.Philox;
import dev.gossamer.partition.level.PartLoads;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// Moves and exchanges entire clusters under the exact volume. It finds improvements that moves of
/// single vertices miss, because these would leave their community, or their target has no room.
///
/// It decreases the potential
///
/// `sum over parts p of (send(p) / average) ^ q + (receive(p) / average) ^ min(q, 4) + burden
/// overload`,
///
/// which is the total volume for `q = 1`, and tends to the maximum for large `q`; if only total
/// volume counts, the first sum alone. A cluster tries the two parts that it has the most arcs to,
/// and one that sends and receives little. If it does not fit, it is exchanged with a cluster of
/// that part, such that both parts keep their caps. Clusters of an overloaded part may move to
/// parts without room.
///
/// Sequential, so that the result does not depend on threads. Cost of a round: the number of arcs,
/// and for each cluster a small multiple of its distinct neighbours.
public final class ClusterSearch {
  private static final int STREAM = 0x434c5352;

  /// What an overload of one cap counts in the potential.
  private static final double BURDEN = 40;

  private static final int PARTNERS_DRAWN = 12;
  private static final int PARTNERS_TRIED = 2;

  /// Of the powers of what parts receive: the neighbours of a hub are received wherever it is.
  private static final int MOST_RECEIVE_SQUARINGS = 2;

  /// Parts that send or receive more than this multiple of the average also give to parts far from
  /// a cluster.
  private static final double HEAVY = 1.02;

  /// Far: there are fewer arcs to them than this share of those to the own part.
  private static final double FAR = 0.5;

  private final VolumeGains gains;
  private final PartLoads loads;
  private final boolean pressed;
  private final Philox random;
  private final ClusterMove there;
  private final ClusterMove back;
  private final Clusters clusters;
  private final int squarings;
  private final double average;
  private final long[] flow;
  private int draws;
  private double best;
  private int bestTarget;
  private int bestPartner;

  /// Creates a search on one level of clusters.
  ///
  /// @param gains of moves, with the partition to change
  /// @param level clusters; the members of a cluster in one part move together
  /// @param squarings `q = 2 ^ squarings`
  /// @param pressed whether received rows count too
  /// @param seed of all draws
  public ClusterSearch(
      VolumeGains gains, ClusterLevel level, int squarings, boolean pressed, long seed) {
    this.gains = gains;
    this.squarings = squarings;
    this.pressed = pressed;
    loads = gains.loads();
    random = Philox.keyed(seed, STREAM, squarings);
    flow = new long[gains.graph().constraints()];
    there = new ClusterMove(gains);
    back = new ClusterMove(gains);
    clusters = Clusters.of(gains, level);
    average = Math.max(1, (double) LongStream.of(gains.send()).sum() / loads.parts());
  }

  /// Runs one round over all clusters.
  public void round() {
    for (int c : random.order(clusters.count(), 0)) {
      int a = clusters.part(c);
      boolean overloaded = loads.overload(a) > 0;
      if (overloaded || clusters.openness(c) > 0) {
        clusters.gather(there, c);
        visit(c, a, overloaded);
      }
    }
  }

  private void visit(int c, int a, boolean overloaded) {
    double now = potential();
    best = now;
    bestTarget = -1;
    boolean heavy = overloaded || (double) busy(a) >= HEAVY * average;
    double least = heavy ? 0 : FAR * (double) there.arcs()[a];
    int first = nearest(a, -1);
    int second = first < 0 ? -1 : nearest(a, first);
    int light = light();
    for (int b : new int[] {first, second, light}) {
      boolean again = b == light && (light == first || light == second);
      if (b >= 0 && b != a && (double) there.arcs()[b] >= least && !again) {
        attempt(c, a, b, overloaded);
      }
    }
    if (bestTarget >= 0) {
      carryOut(c, a, now);
    }
  }

  /// The part other than `a` and `but` that the cluster has most arcs to; -1 if it has none.
  private int nearest(int a, int but) {
    long[] arcs = there.arcs();
    int nearest = -1;
    for (int p = 0; p < arcs.length; p++) {
      if (p != a && p != but && arcs[p] > (nearest < 0 ? 0 : arcs[nearest])) {
        nearest = p;
      }
    }
    return nearest;
  }

  /// The less busy one of two random parts.
  private int light() {
    int p = random.below(loads.parts(), draws++, 1);
    int q = random.below(loads.parts(), draws++, 1);
    return busy(p) < busy(q) ? p : q;
  }

  /// Rows that decide how long a part is busy.
  private long busy(int p) {
    long sent = gains.send()[p];
    return pressed ? Math.max(sent, gains.receive()[p]) : sent;
  }

  private void attempt(int c, int a, int b, boolean overloaded) {
    there.target(b);
    flow(c, -1);
    if (overloaded || loads.fits(b, flow, 1)) {
      offer(a, b, -1, potential(there, null));
      return;
    }
    int[] partners = partners(c, a, b);
    for (int d : partners) {
      if (d >= 0) {
        clusters.gather(back, d);
        back.target(a);
        flow(c, d);
        offer(a, b, d, potential(there, back));
      }
    }
  }

  /// Of some random clusters of `b` that leave room for `c` and find room in `a`, those with the
  /// fewest arcs to other parts for their size.
  private int[] partners(int c, int a, int b) {
    int[] found = new int[PARTNERS_TRIED];
    Arrays.fill(found, -1);
    for (int i = 0; i < PARTNERS_DRAWN && clusters.inPart(b) > 0; i++) {
      int d = clusters.ofPart(b, random.below(clusters.inPart(b), draws++, 2));
      flow(c, d);
      boolean drawn = false;
      for (int other : found) {
        drawn |= other == d;
      }
      if (drawn || !loads.fits(b, flow, 1) || !loads.fits(a, flow, -1)) {
        continue;
      }
      int worst = 0;
      for (int j = 1; j < found.length && found[worst] >= 0; j++) {
        boolean worse =
            found[j] < 0 || clusters.openness(found[j]) > clusters.openness(found[worst]);
        worst = worse ? j : worst;
      }
      if (found[worst] < 0 || clusters.openness(d) < clusters.openness(found[worst])) {
        found[worst] = d;
      }
    }
    return found;
  }

  /// What `b` has to carry more if `c` comes and `d` goes; -1 for none.
  private void flow(int c, int d) {
    for (int q = 0; q < flow.length; q++) {
      flow[q] = clusters.load(q, c) - (d < 0 ? 0 : clusters.load(q, d));
    }
  }

  private void offer(int a, int b, int d, double volume) {
    double overload =
        loads.overload(a, flow, -1)
            + loads.overload(b, flow, 1)
            - loads.overload(a)
            - loads.overload(b);
    double after = volume + BURDEN * overload;
    if (after < best) {
      best = after;
      bestTarget = b;
      bestPartner = d;
    }
  }

  /// Of an exchange the potential was that of two moves apart, so it is taken back if it is worse.
  private void carryOut(int c, int a, double before) {
    double overload = loads.overload();
    clusters.move(gains, c, bestTarget);
    if (bestPartner < 0) {
      return;
    }
    clusters.move(gains, bestPartner, a);
    if (potential() + BURDEN * (loads.overload() - overload) >= before) {
      clusters.move(gains, bestPartner, bestTarget);
      clusters.move(gains, c, a);
    }
  }

  private double potential() {
    return potential(null, null);
  }

  private double potential(@Nullable ClusterMove first, @Nullable ClusterMove second) {
    double sum = 0;
    for (int p = 0; p < loads.parts(); p++) {
      sum += power(gains.send()[p] + sent(first, p) + sent(second, p), squarings);
      if (pressed) {
        long received = gains.receive()[p] + received(first, p) + received(second, p);
        sum += power(received, Math.min(squarings, MOST_RECEIVE_SQUARINGS));
      }
    }
    return sum;
  }

  private static long sent(@Nullable ClusterMove move, int p) {
    return move == null ? 0 : move.send()[p];
  }

  private static long received(@Nullable ClusterMove move, int p) {
    return move == null ? 0 : move.receive()[p];
  }

  private double power(long rows, int times) {
    double power = (double) rows / average;
    for (int i = 0; i < times; i++) {
      power *= power;
    }
    return power;
  }
}
