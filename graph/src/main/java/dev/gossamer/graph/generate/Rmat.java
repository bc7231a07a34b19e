package dev.gossamer.graph.generate;

import dev.gossamer.graph.EdgeStream;
import dev.gossamer.graph.generate.CounterRandom.Purpose;
import java.util.Map;
import java.util.Objects;

/// Recursive matrix: a graph with a heavy tail of degrees, like the web and social networks
/// (Chakrabarti, Zhan, Faloutsos 2004).
///
/// Each edge falls into one quadrant of the adjacency matrix with probabilities `a, b, c, d`, then
/// into a quadrant of that quadrant, down to a cell. If `n` is not a power of two, the next power
/// is used, and edges outside are drawn again. Finally, ids are permuted at random. Duplicates are
/// merged and self loops dropped, so the graph has fewer edges than were drawn; some vertices have
/// none.
///
/// Deviation: classes are planted. Before the permutation the class of vertex `v` is `v mod
/// classes`, and for a fraction `inside` of the edges, the target moves to the nearby id in the
/// source's class. If `n` and `classes` are powers of two, this changes no expected degree; with
/// `inside = 0` it is the generator of the paper.
///
/// @param vertices `n`, at least 2
/// @param edgeFactor edges drawn per vertex: half the mean degree before duplicates are merged
/// @param quadrants probabilities of the quadrants
/// @param inside fraction of the edges whose ends get the same class
/// @param planted classes, at most `n`, features, split and seed
public record Rmat(
    int vertices, double edgeFactor, Quadrants quadrants, double inside, Planted planted)
    implements Generator {
  /// 16, as in the Graph500 benchmark.
  public static final double DEFAULT_EDGE_FACTOR = 16;

  /// Half of the edges: classes can be learnt, but not from neighbours alone.
  public static final double DEFAULT_INSIDE = 0.5;

  /// Probabilities of the quadrants of the adjacency matrix.
  ///
  /// @param a upper left, more than 0
  /// @param b upper right, at least 0
  /// @param c lower left, at least 0; `d = 1 - a - b - c` remains, at least 0
  public record Quadrants(double a, double b, double c) {
    /// .57, .19, .19, .05, as in the Graph500 benchmark.
    public static final Quadrants DEFAULT = new Quadrants(0.57, 0.19, 0.19);

    /// Checks the probabilities.
    ///
    /// @throws dev.gossamer.base.InvalidSettingException if they are not probabilities
    public Quadrants {
      Require.that(
          a > 0 && b >= 0 && c >= 0 && a + b + c <= 1,
          "quadrants",
          "a more than 0, b and c at least 0, their sum at most 1",
          a + ", " + b + ", " + c);
    }
  }

  /// Checks the settings.
  ///
  /// @throws dev.gossamer.base.InvalidSettingException if a number is out of its range
  public Rmat {
    Require.that(vertices >= 2, "vertices", "at least 2", vertices);
    Require.positive("edgeFactor", edgeFactor);
    Objects.requireNonNull(quadrants, "quadrants");
    Require.fraction("inside", inside);
    Objects.requireNonNull(planted, "planted");
    int classes = planted.classes();
    Require.that(classes <= vertices, "classes", "1 to " + vertices, classes);
  }

  /// {@return the default edge factor, quadrants and classes}
  ///
  /// @param vertices `n`, at least 2
  public static Rmat of(int vertices) {
    return new Rmat(
        vertices, DEFAULT_EDGE_FACTOR, Quadrants.DEFAULT, DEFAULT_INSIDE, Planted.DEFAULT);
  }

  /// {@return a copy with another number of edges per vertex}
  ///
  /// @param other edges drawn per vertex
  public Rmat withEdgeFactor(double other) {
    return new Rmat(vertices, other, quadrants, inside, planted);
  }

  /// {@return a copy with other quadrants}
  ///
  /// @param other probabilities of the quadrants
  public Rmat withQuadrants(Quadrants other) {
    return new Rmat(vertices, edgeFactor, other, inside, planted);
  }

  /// {@return a copy with another fraction of edges inside classes}
  ///
  /// @param share 0 to 1
  public Rmat withInside(double share) {
    return new Rmat(vertices, edgeFactor, quadrants, share, planted);
  }

  /// {@return a copy with other classes, features, split and seed}
  ///
  /// @param other classes, features, split and seed
  public Rmat withPlanted(Planted other) {
    return new Rmat(vertices, edgeFactor, quadrants, inside, other);
  }

  @Override
  public String name() {
    return "rmat";
  }

  @Override
  public Map<String, String> parameters() {
    return Map.of(
        "edgeFactor", Double.toString(edgeFactor),
        "quadrants", quadrants.a + " " + quadrants.b + " " + quadrants.c,
        "inside", Double.toString(inside));
  }

  @Override
  public long expectedArcs() {
    return Math.round(vertices * edgeFactor);
  }

  @Override
  public EdgeStream edges() {
    int[] ids = Permutation.of(vertices, planted.seed());
    return sink -> {
      Cell cell = new Cell();
      long arcs = expectedArcs();
      for (long arc = 0; arc < arcs; arc++) {
        cell.draw(arc);
        sink.arc(ids[cell.row], ids[cell.column], 1f);
      }
    };
  }

  @Override
  public int[] labels() {
    int[] ids = Permutation.of(vertices, planted.seed());
    int[] labels = new int[vertices];
    for (int v = 0; v < vertices; v++) {
      labels[ids[v]] = v % planted.classes();
    }
    return labels;
  }

  /// Draws cells of the adjacency matrix. Quadrants are numbered from the upper left by rows; a
  /// draw of 31 bits is compared with the shares of quadrants 0, 0..1 and 0..2.
  private final class Cell {
    private static final double DRAWS = 1L << 31;

    private final CounterRandom random = new CounterRandom(planted.seed(), Purpose.ARCS);
    private final int levels = Integer.SIZE - Integer.numberOfLeadingZeros(vertices - 1);
    private final int classes = planted.classes();
    private final long first = Math.round(quadrants.a * DRAWS);
    private final long upper = Math.round((quadrants.a + quadrants.b) * DRAWS);
    private final long three = Math.round((quadrants.a + quadrants.b + quadrants.c) * DRAWS);
    private int row;
    private int column;

    private void draw(long arc) {
      random.at(arc);
      do {
        descend();
      } while (row >= vertices || column >= vertices);
      if (random.nextDouble() < inside) {
        int moved = column - column % classes + row % classes;
        column = moved < vertices ? moved : column;
      }
    }

    /// Without a branch on the random draw, which no processor could foresee.
    private void descend() {
      int r = 0;
      int c = 0;
      long bits = 0;
      for (int level = 0; level < levels; level++) {
        bits = (level & 1) == 0 ? random.nextLong() : bits >>> 32;
        long draw = bits & 0x7fffffffL;
        int lower = (int) ((upper - 1 - draw) >>> 63);
        int right = (int) ((first - 1 - draw) >>> 63) - lower + (int) ((three - 1 - draw) >>> 63);
        r = r << 1 | lower;
        c = c << 1 | right;
      }
      row = r;
      column = c;
    }
  }
}
