package dev.gossamer.graph;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.random.Philox;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/// Divides the edges of a graph into those that are trained on, those that weights are selected by
/// and those that are tested, by a rule that does not depend on the order in which edges are
/// stored: the pair of vertices `a < b` has the draw of [Philox] under the seed at the counter `(a,
/// b)`. If edges are divided at random, its first word `u`, as a fraction of `2^32`, decides the
/// part: training below `train`, validation below `train + validation`, else test. If they are
/// divided by time, the place of the pair in the order of times does: of `m` pairs, `(e + 1/2) / m`
/// where `e` pairs are earlier, so that pairs of one time are in one part. The second word `v`
/// decides whether a training edge is supervised or in the graph (below). Both directions of a
/// directed pair are in the same part, as one would give away the other, and so are all types of an
/// edge: each is an edge to predict. An edge from a vertex to itself is no link: it stays in the
/// graph, and so does one that no pair without an edge can be compared with
/// ([Negatives#areThereFor]), as that of a vertex to the only vertex of a type.
///
/// A network that sees an edge in the graph need not learn to predict it. So the training edges
/// with `v < supervised` are not in the graph that messages pass over, and the loss is over them;
/// with `supervised = 0`, all training edges are in the graph, and the loss is over all of them, as
/// in graph autoencoders (T. Kipf and M. Welling, *Variational graph auto-encoders*, 2016).
///
/// @param by what decides the part of an edge
/// @param proportions of the parts
/// @param supervised share of the training edges that are supervised and not in the graph, `0 <=
///   supervised < 1`
/// @param seed of the draw
public record LinkSplit(By by, Proportions proportions, double supervised, long seed) {
  private static final int STREAM = 0x4c494e4b;
  private static final double WORDS = 0x1p32;

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  /// What decides the part of an edge.
  public enum By {
    /// A draw.
    RANDOM,
    /// Its time: the earliest edges are trained on, the latest are tested.
    TIME
  }

  /// Shares of the edges.
  ///
  /// @param train of the training edges
  /// @param validation of those that weights are selected by; the others are tested
  public record Proportions(double train, double validation) {
    /// 85, 5 and 10 percent, as in graph autoencoders.
    public static final Proportions DEFAULT = new Proportions(0.85, 0.05);

    /// Checks the shares.
    ///
    /// @throws InvalidSettingException if one is not a share, or no edge is left to test
    public Proportions {
      if (!(train > 0 && validation >= 0 && train + validation < 1)) {
        throw new InvalidSettingException(
            "{linkSplit}: expected shares for training and testing above 0 and one for validation, found %s, %s and %s"
                .formatted(train, validation, 1 - train - validation));
      }
    }
  }

  /// What an edge is used for.
  private enum Use {
    /// It is in the graph, and in no loss.
    MESSAGES,
    /// The loss is over it; it is in the graph unless some are supervised apart.
    TRAIN,
    VALIDATION,
    TEST
  }

  /// The ends of parts that are divided by time.
  ///
  /// @param times of the edges
  /// @param train the latest time of training edges
  /// @param validation the latest time of these and those held out for validation
  public record Latest(EdgeTimes times, double train, double validation) {
    private Split part(double time) {
      return time <= train ? Split.TRAIN : time <= validation ? Split.VALIDATION : Split.TEST;
    }
  }

  /// The edges of a graph by their use.
  ///
  /// @param whole the graph of all edges. Borrowed
  /// @param latest ends of the parts; null if edges are divided at random
  /// @param messages `A` without the edges that are supervised apart or held out
  /// @param messageTypes types of its vertices and edges; null if there is one of each
  /// @param messageFeatures features of its edges; null if there are none
  /// @param train the edges that the loss is over
  /// @param validation held out
  /// @param test held out
  public record Parts(
      GraphData whole,
      @Nullable Latest latest,
      CsrMatrix messages,
      @Nullable GraphTypes messageTypes,
      @Nullable EdgeFeatures messageFeatures,
      Links train,
      Links validation,
      Links test) {
    /// {@return `A` of all edges}
    public CsrMatrix all() {
      return whole.adjacency();
    }

    /// {@return the types of its vertices and edges; null if there is one of each}
    public @Nullable GraphTypes allTypes() {
      return whole.types();
    }

    /// {@return whether edges have a direction}
    public boolean directed() {
      return whole.info().directed();
    }

    /// {@return the number of edges of all parts}
    public long edges() {
      return (long) train.count() + validation.count() + test.count();
    }

    /// {@return the edges of a part that are scored}
    ///
    /// @param part of the split
    /// @throws IllegalArgumentException if edges are in no such part
    public Links scored(Split part) {
      return switch (part) {
        case TRAIN -> train;
        case VALIDATION -> validation;
        case TEST -> test;
        default -> throw new IllegalArgumentException("part: expected one of three, found " + part);
      };
    }
  }

  /// Checks the share.
  ///
  /// @throws InvalidSettingException if it is not a share, or leaves no edge in the graph
  public LinkSplit {
    if (!(supervised >= 0 && supervised < 1)) {
      throw new InvalidSettingException(
          "{supervised}: expected a share of at least 0 and less than 1, found " + supervised);
    }
  }

  /// A split at random.
  ///
  /// @param proportions of the parts
  /// @param supervised share of the training edges that are supervised and not in the graph
  /// @param seed of the draw
  public LinkSplit(Proportions proportions, double supervised, long seed) {
    this(By.RANDOM, proportions, supervised, seed);
  }

  /// Divides the edges of a graph. Cost: two passes over its arcs, with a draw for each; by time,
  /// nine more.
  ///
  /// @param arena owner of the graph that is left
  /// @param data the graph; borrowed
  /// @return its edges by their use; weights are those of the graph
  /// @throws InvalidSettingException if edges are divided by time, and have none, or no edge is
  ///   later than all training edges
  public Parts of(Arena arena, GraphData data) {
    CsrMatrix all = data.adjacency();
    GraphTypes types = data.types();
    @Nullable MemorySegment masks = types == null ? null : types.masks();
    boolean directed = data.info().directed();
    Uses uses = new Uses(data);
    int rows = (int) all.rows();
    MemorySegment pointers = arena.allocate(LONG, rows + 1L);
    long kept = 0;
    Found found = new Found(masks != null);
    for (int v = 0; v < rows; v++) {
      long entry = all.rowPointer(v);
      for (int u : all.rowColumns(v)) {
        Use use = uses.of(v, u, entry);
        kept += inGraph(use) ? 1 : 0;
        if (use != Use.MESSAGES && (directed || u > v)) {
          found.of(use).count(types(masks, entry));
        }
        entry++;
      }
      pointers.setAtIndex(LONG, v + 1L, kept);
    }
    MemorySegment columns = arena.allocate(INT, kept);
    @Nullable MemorySegment values = all.values() == null ? null : arena.allocate(FLOAT, kept);
    @Nullable MemorySegment keptMasks = masks == null ? null : arena.allocate(INT, kept);
    EdgeFeatures features = data.edgeFeatures();
    DenseMatrix keptFeatures =
        features == null ? null : DenseMatrix.allocate(arena, kept, features.width());
    long at = 0;
    for (int v = 0; v < rows; v++) {
      long entry = all.rowPointer(v);
      for (int u : all.rowColumns(v)) {
        Use use = uses.of(v, u, entry);
        if (inGraph(use)) {
          columns.setAtIndex(INT, at, u);
          if (values != null) {
            values.setAtIndex(FLOAT, at, all.value(entry));
          }
          if (keptMasks != null) {
            keptMasks.setAtIndex(INT, at, types(masks, entry));
          }
          if (features != null && keptFeatures != null) {
            MemorySegment.copy(
                features.x().data(),
                features.x().offset(entry),
                keptFeatures.data(),
                keptFeatures.offset(at),
                (long) features.width() * Float.BYTES);
          }
          at++;
        }
        if (use != Use.MESSAGES && (directed || u > v)) {
          found.of(use).add(v, u, types(masks, entry));
        }
        entry++;
      }
    }
    return new Parts(
        data,
        uses.latest,
        CsrMatrix.wrap(rows, all.cols(), pointers, columns, values),
        types == null ? null : types.with(keptMasks),
        features == null || keptFeatures == null ? null : features.with(keptFeatures),
        found.train.links(),
        found.validation.links(),
        found.test.links());
  }

  /// The set of an entry's types, of which there is at least one.
  private static int types(@Nullable MemorySegment masks, long entry) {
    return masks == null ? 1 : masks.getAtIndex(INT, entry);
  }

  private boolean inGraph(Use use) {
    return use == Use.MESSAGES || (use == Use.TRAIN && supervised == 0);
  }

  /// The edges of each part.
  private static final class Found {
    private final Filling train;
    private final Filling validation;
    private final Filling test;

    Found(boolean typed) {
      train = new Filling(typed);
      validation = new Filling(typed);
      test = new Filling(typed);
    }

    Filling of(Use use) {
      return switch (use) {
        case TRAIN -> train;
        case VALIDATION -> validation;
        case TEST -> test;
        case MESSAGES -> throw new IllegalArgumentException("use: expected that of a part");
      };
    }
  }

  /// Edges of a part, which are counted and then added, in the order in which they are found.
  private static final class Filling {
    private final boolean typed;
    private int counted;
    private int size;
    private int[] sources = new int[0];
    private int[] targets = new int[0];
    private byte[] types = new byte[0];

    Filling(boolean typed) {
      this.typed = typed;
    }

    void count(int set) {
      counted = Math.addExact(counted, Integer.bitCount(set));
    }

    void add(int source, int target, int set) {
      if (size == 0) {
        sources = new int[counted];
        targets = new int[counted];
        types = new byte[typed ? counted : 0];
      }
      for (int rest = set; rest != 0; rest &= rest - 1) {
        sources[size] = source;
        targets[size] = target;
        if (typed) {
          types[size] = (byte) Integer.numberOfTrailingZeros(rest);
        }
        size++;
      }
    }

    Links links() {
      return new Links(sources, targets, types);
    }
  }

  /// The uses of the edges of a graph.
  private final class Uses {
    private final GraphData data;
    private final Philox philox = Philox.keyed(seed, STREAM, 0);
    private final @Nullable TimeOrder order;
    private final @Nullable Latest latest;

    Uses(GraphData data) {
      this.data = data;
      order = by == By.TIME ? TimeOrder.of(data) : null;
      latest = order == null ? null : order.latest(proportions);
    }

    Use of(int source, int target, long entry) {
      if (source == target || !Negatives.areThereFor(data, source, target)) {
        return Use.MESSAGES;
      }
      long drawn = philox.low(Math.min(source, target), Math.max(source, target), 0, 0);
      Split part =
          order == null || latest == null
              ? drawnPart(Integer.toUnsignedLong((int) drawn) / WORDS)
              : latest.part(order.of(source, target, entry));
      return switch (part) {
        case TRAIN -> {
          boolean trained = supervised == 0 || (drawn >>> Integer.SIZE) / WORDS < supervised;
          yield trained ? Use.TRAIN : Use.MESSAGES;
        }
        case VALIDATION -> Use.VALIDATION;
        default -> Use.TEST;
      };
    }
  }

  private Split drawnPart(double u) {
    return u < proportions.train
        ? Split.TRAIN
        : u < proportions.train + proportions.validation ? Split.VALIDATION : Split.TEST;
  }
}
