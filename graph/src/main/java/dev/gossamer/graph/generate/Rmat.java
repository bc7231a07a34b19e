package dev.gossamer.graph.generate;

import dev.gossamer.graph.EdgeStream;
import dev.gossamer.graph.generate.CounterRandom.Purpose;
import java.util.Map;

/// Recursive matrix: a graph with a heavy tail of degrees, like the web and social networks
/// (Chakrabarti, Zhan, Faloutsos 2004).
///
/// Each edge falls into one quadrant of the adjacency matrix with probabilities `a, b, c, d`, then
/// into a quadrant of that quadrant, down to a cell. If `n` is not a power of two, the next power
/// is drawn from and what lies outside is drawn again. Ids are permuted at random at the end.
/// Repeats are merged and self loops dropped, so that the graph has somewhat fewer edges than were
/// drawn; some vertices have none.
///
/// Deviation: classes are planted. Before the permutation the class of vertex `v` is `v mod
/// classes`, and a share `inside` of the edges has its target moved to the vertex of the source's
/// class among its neighbours in id. Where `n` and `classes` are powers of two this changes no
/// expected degree; with `inside = 0` it is the generator of the paper.
///
/// @param vertices `n`, at least 2
/// @param edgeFactor edges drawn per vertex: half the mean degree before repeats are merged
/// @param a probability of the upper left quadrant
/// @param b probability of the upper right quadrant
/// @param c probability of the lower left quadrant; `d = 1 - a - b - c` remains
/// @param classes planted classes, at most `n`
/// @param inside share of the edges whose ends are made to agree in class
public record Rmat(
    int vertices,
    double edgeFactor,
    double a,
    double b,
    double c,
    int classes,
    double inside,
    VertexData data,
    long seed)
    implements Generator {
  public Rmat {
    Require.that(vertices >= 2, "rmat: vertices", "at least 2", vertices);
    Require.positive("rmat: edge factor", edgeFactor);
    Require.that(
        a >= 0 && b >= 0 && c >= 0 && a > 0 && a + b + c <= 1,
        "rmat: a, b, c",
        "a more than 0, b and c at least 0, their sum at most 1",
        a + ", " + b + ", " + c);
    Require.that(classes >= 1 && classes <= vertices, "rmat: classes", "1 to " + vertices, classes);
    Require.fraction("rmat: inside", inside);
  }

  /// The usual probabilities .57, .19, .19, .05, sixteen classes, and half of the edges inside a
  /// class.
  public static Rmat of(int vertices, double edgeFactor, VertexData data, long seed) {
    return new Rmat(
        vertices, edgeFactor, 0.57, 0.19, 0.19, Math.min(16, vertices), 0.5, data, seed);
  }

  @Override
  public String name() {
    return "rmat";
  }

  @Override
  public Map<String, String> parameters() {
    return Map.of(
        "edgeFactor", Double.toString(edgeFactor),
        "quadrants", a + " " + b + " " + c,
        "inside", Double.toString(inside));
  }

  @Override
  public long expectedArcs() {
    return Math.round(vertices * edgeFactor);
  }

  @Override
  public EdgeStream edges() {
    int[] ids = Permutation.of(vertices, seed);
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
    int[] ids = Permutation.of(vertices, seed);
    int[] labels = new int[vertices];
    for (int v = 0; v < vertices; v++) {
      labels[ids[v]] = v % classes;
    }
    return labels;
  }

  /// Draws cells of the adjacency matrix. Quadrants are numbered from the upper left by rows; a
  /// draw of 31 bits is compared with the shares of quadrants 0, 0..1 and 0..2.
  private final class Cell {
    private static final double DRAWS = 1L << 31;

    private final CounterRandom random = new CounterRandom(seed, Purpose.ARCS);
    private final int levels = Integer.SIZE - Integer.numberOfLeadingZeros(vertices - 1);
    private final long first = Math.round(a * DRAWS);
    private final long upper = Math.round((a + b) * DRAWS);
    private final long three = Math.round((a + b + c) * DRAWS);
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
