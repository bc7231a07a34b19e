package dev.gossamer.graph.generate;

import dev.gossamer.graph.EdgeStream;
import dev.gossamer.graph.generate.CounterRandom.Purpose;
import java.util.Map;

/// A two-dimensional grid, each cell joined to its up to four neighbours, with a patchwork of
/// classes: a graph whose best partitions are known, and whose cuts are small.
///
/// The vertex of row `i` and column `j` is `i * cols + j`. Squares of `patch x patch` cells share a
/// class, drawn for each square; neighbouring squares may draw the same.
///
/// @param rows at least 1; at least 3 on a torus
/// @param cols at least 1; at least 3 on a torus
/// @param torus whether the last row and column are joined to the first
/// @param patch side of a square of one class
/// @param classes planted classes
public record Grid(
    int rows, int cols, boolean torus, int patch, int classes, VertexData data, long seed)
    implements Generator {
  public Grid {
    int least = torus ? 3 : 1;
    Require.that(rows >= least, "grid: rows", "at least " + least, rows);
    Require.that(cols >= least, "grid: cols", "at least " + least, cols);
    Require.that(
        (long) rows * cols <= Integer.MAX_VALUE,
        "grid: rows x cols",
        "at most " + Integer.MAX_VALUE + " vertices",
        (long) rows * cols);
    Require.that(patch >= 1, "grid: patch", "at least 1", patch);
    Require.that(classes >= 1, "grid: classes", "at least 1", classes);
  }

  @Override
  public String name() {
    return "grid";
  }

  @Override
  public int vertices() {
    return rows * cols;
  }

  @Override
  public Map<String, String> parameters() {
    return Map.of(
        "rows", Integer.toString(rows),
        "cols", Integer.toString(cols),
        "torus", Boolean.toString(torus),
        "patch", Integer.toString(patch));
  }

  /// Exact.
  @Override
  public long expectedArcs() {
    return torus ? 2L * rows * cols : (rows - 1L) * cols + rows * (cols - 1L);
  }

  @Override
  public EdgeStream edges() {
    return sink -> {
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
          int cell = i * cols + j;
          if (torus || j + 1 < cols) {
            sink.arc(cell, i * cols + (j + 1) % cols, 1f);
          }
          if (torus || i + 1 < rows) {
            sink.arc(cell, (i + 1) % rows * cols + j, 1f);
          }
        }
      }
    };
  }

  @Override
  public int[] labels() {
    CounterRandom random = new CounterRandom(seed, Purpose.CLASSES);
    long squaresInRow = (cols - 1L) / patch + 1;
    int[] labels = new int[vertices()];
    for (int v = 0; v < labels.length; v++) {
      long square = v / cols / patch * squaresInRow + v % cols / patch;
      labels[v] = random.at(square).nextInt(classes);
    }
    return labels;
  }
}
