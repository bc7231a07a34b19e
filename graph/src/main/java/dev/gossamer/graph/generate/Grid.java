package dev.gossamer.graph.generate;

import dev.gossamer.graph.EdgeStream;
import dev.gossamer.graph.generate.CounterRandom.Purpose;
import java.util.Map;
import java.util.Objects;

/// A two-dimensional grid, in which each cell is joined to its up to four neighbours, with a
/// patchwork of classes: a graph with known optimal partitions and small cuts.
///
/// The vertex of row `i` and column `j` is `i * cols + j`. Each square of `patch x patch` cells
/// draws a class; neighbouring squares may have the same one.
///
/// @param rows at least 1; at least 3 on a torus
/// @param cols at least 1; at least 3 on a torus
/// @param border neighbours beyond the last row and column
/// @param patch side of a square of one class
/// @param planted classes, features, split and seed
public record Grid(int rows, int cols, Border border, int patch, Planted planted)
    implements Generator {
  /// Squares of 10 x 10 cells.
  public static final int DEFAULT_PATCH = 10;

  /// The neighbours beyond the last row and column.
  public enum Border {
    /// No neighbours.
    OPEN,
    /// The first row and column.
    TORUS
  }

  /// Checks the settings.
  ///
  /// @throws dev.gossamer.base.InvalidSettingException if a number is out of its range
  public Grid {
    int least = Objects.requireNonNull(border, "border") == Border.TORUS ? 3 : 1;
    Require.that(rows >= least, "rows", "at least " + least, rows);
    Require.that(cols >= least, "cols", "at least " + least, cols);
    Require.that(
        (long) rows * cols <= Integer.MAX_VALUE,
        "rows, cols",
        "at most " + Integer.MAX_VALUE + " vertices",
        (long) rows * cols);
    Require.that(patch >= 1, "patch", "at least 1", patch);
    Objects.requireNonNull(planted, "planted");
  }

  /// {@return an open grid with the default patches and classes}
  ///
  /// @param rows at least 1
  /// @param cols at least 1
  public static Grid of(int rows, int cols) {
    return new Grid(rows, cols, Border.OPEN, DEFAULT_PATCH, Planted.DEFAULT);
  }

  /// {@return a copy with another border}
  ///
  /// @param other neighbours beyond the last row and column
  public Grid withBorder(Border other) {
    return new Grid(rows, cols, other, patch, planted);
  }

  /// {@return a copy with another patch size}
  ///
  /// @param side at least 1
  public Grid withPatch(int side) {
    return new Grid(rows, cols, border, side, planted);
  }

  /// {@return a copy with other classes, features, split and seed}
  ///
  /// @param other classes, features, split and seed
  public Grid withPlanted(Planted other) {
    return new Grid(rows, cols, border, patch, other);
  }

  private boolean torus() {
    return border == Border.TORUS;
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
        "torus", Boolean.toString(torus()),
        "patch", Integer.toString(patch));
  }

  /// Returns the exact number.
  @Override
  public long expectedArcs() {
    return torus() ? 2L * rows * cols : (rows - 1L) * cols + rows * (cols - 1L);
  }

  @Override
  public EdgeStream edges() {
    return sink -> {
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < cols; j++) {
          int cell = i * cols + j;
          if (torus() || j + 1 < cols) {
            sink.arc(cell, i * cols + (j + 1) % cols, 1f);
          }
          if (torus() || i + 1 < rows) {
            sink.arc(cell, (i + 1) % rows * cols + j, 1f);
          }
        }
      }
    };
  }

  @Override
  public int[] labels() {
    CounterRandom random = new CounterRandom(planted.seed(), Purpose.CLASSES);
    long squaresInRow = (cols - 1L) / patch + 1;
    int[] labels = new int[vertices()];
    for (int v = 0; v < labels.length; v++) {
      long square = v / cols / patch * squaresInRow + v % cols / patch;
      labels[v] = random.at(square).nextInt(planted.classes());
    }
    return labels;
  }
}
