package dev.gossamer.matrix.sparse;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.tile.Panels;
import dev.gossamer.matrix.tile.Transposition;
import java.lang.foreign.MemorySegment;

/// What lies at the nonzeros of `X^T T`.
///
/// A task is a panel of `T`, or two of many, for which `X` is transposed once, and, where that
/// gives too few, a part of its rows, whose sums lie in the shared scratch and are added in
/// ascending order; or some rows of `W`, for each of which the panel is transposed again.
final class PanelGradient {
  /// Rows of `W` for which a gradient transposes `X` at a time.
  static final int LEFTS = 64;

  /// Bytes between rows, without which those at the same place share few sets of a cache.
  private static final long GAP = 64;

  /// Elements of a gradient whose parts one task adds.
  private static final int ADDED = 1 << 14;

  /// What lies at the nonzeros of a panel of [SparsePanels#PANEL] columns.
  interface Dots {
    /// Adds the dot products of rows of `X^T` and `T^T`. All are addresses.
    ///
    /// @param panel of columns of `W`
    /// @param begin first row of `W`, a multiple of [TransposedProduct#ALIGNED]
    /// @param end the row after the last: another one, or behind all
    /// @param left of `X^T` the row `begin`
    /// @param right of `T^T` the first row of the panel
    /// @param pitch bytes from row to row of both
    /// @param bytes of a row of both: whole vectors
    /// @param target where the value of nonzero 0 lies
    /// @param overwrite whether to overwrite what lies there
    /// @param floats scratch
    void add(
        int panel,
        int begin,
        int end,
        long left,
        long right,
        long pitch,
        long bytes,
        long target,
        boolean overwrite,
        float[] floats);
  }

  /// How a gradient goes over rows of `X` and `T`.
  ///
  /// @param depth rows that are summed up lane by lane before the lanes are added
  /// @param mostPanels that a task has at most, for which `X` is transposed once
  /// @param leastRows that a part has
  record Cut(int depth, int mostPanels, int leastRows) {
    long panelBytes() {
      return SparsePanels.PANEL * (depth * (long) Float.BYTES + GAP);
    }
  }

  private final int rows;
  private final int cols;
  private final int panels;
  private final int nonzeros;
  private final Dots dots;
  private final Cut cut;
  private final DenseMatrix x;
  private final DenseMatrix t;
  private final MemorySegment gradient;
  private final Workers w;
  private final int group;
  private final int groups;
  private final int parts;
  private final int pieces;

  /// @param nonzeros whose values lie in the first panels
  PanelGradient(
      int nonzeros,
      Dots dots,
      Cut cut,
      DenseMatrix x,
      DenseMatrix t,
      MemorySegment gradient,
      Workers w) {
    rows = x.cols();
    cols = t.cols();
    panels = Math.ceilDiv(cols, SparsePanels.PANEL);
    this.nonzeros = nonzeros;
    this.dots = dots;
    this.cut = cut;
    this.x = x;
    this.t = t;
    this.gradient = gradient;
    this.w = w;
    long worthwhile =
        (long) nonzeros * TransposedProduct.blocks(x.rows()) / TransposedProduct.LEAST;
    group = panels < 2 * TransposedProduct.ENOUGH_TASKS ? 1 : cut.mostPanels();
    groups = Math.ceilDiv(panels, group);
    long wanted = Math.ceilDiv(Math.min(worthwhile, TransposedProduct.ENOUGH_TASKS), (long) groups);
    long fit = Workers.SHARED_BYTES / ((long) Math.max(1, nonzeros) * Float.BYTES);
    long most = Math.min(fit, x.rows() / cut.leastRows());
    parts = (int) Math.clamp(most, 1, Math.max(1, wanted));
    pieces =
        (int)
            Math.clamp(
                Math.ceilDiv(wanted, (long) parts),
                1,
                Math.ceilDiv((long) rows, TransposedProduct.LEAST_OUT));
  }

  void run() {
    w.run(
        Math.multiplyExact(Math.multiplyExact(groups, parts), pieces),
        (task, worker) -> {
          int piece = task % pieces;
          int part = task / pieces % parts;
          sum(task / pieces / parts, part, row(piece), row(piece + 1), worker);
        });
    if (parts > 1) {
      w.run(Math.ceilDiv(nonzeros, ADDED), (task, worker) -> addParts(task * ADDED));
    }
  }

  private int row(int piece) {
    int exact = (int) ((long) rows * piece / pieces);
    return piece == pieces ? rows : exact / TransposedProduct.ALIGNED * TransposedProduct.ALIGNED;
  }

  private long kept(int part) {
    long bytes = (long) nonzeros * Float.BYTES;
    return Memory.address(w.sharedScratch(), part * bytes, bytes);
  }

  private void addParts(int begin) {
    int count = Math.min(ADDED, nonzeros - begin);
    long shift = (long) begin * Float.BYTES;
    for (int part = 0; part < parts; part++) {
      NumberFormat.FLOAT32.add(kept(part) + shift, gradient.address() + shift, count);
    }
  }

  /// The rows `top..bottom-1` of a group of panels, from a part of the rows of `X` and `T`.
  private void sum(int number, int part, int top, int bottom, int worker) {
    long blocks = TransposedProduct.blocks(x.rows());
    long end = Math.min(x.rows(), blocks * (part + 1) / parts * TransposedProduct.ROWS);
    long first = blocks * part / parts * TransposedProduct.ROWS;
    for (long begin = first; begin < end; begin += cut.depth()) {
      int count = (int) Math.min(cut.depth(), end - begin);
      boolean overwrite = parts > 1 && begin == first;
      long target = parts > 1 ? kept(part) : gradient.address();
      block(number * group, begin, count, top, bottom, target, overwrite, worker);
    }
  }

  private void block(
      int panel,
      long begin,
      int count,
      int top,
      int bottom,
      long target,
      boolean overwrite,
      int worker) {
    int end = Math.min(panels, panel + group);
    float[] floats = w.scratchFloats(worker);
    long bytes = (long) Panels.padded(count) * Float.BYTES;
    long pitch = bytes + GAP;
    long room = cut.mostPanels() * cut.panelBytes() + LEFTS * pitch;
    long lefts = Memory.address(w.scratch(worker), 0, room);
    long rights = lefts + LEFTS * pitch;
    long fromX = x.data().address() + x.offset(begin);
    long fromT = t.data().address() + t.offset(begin);
    for (int q = panel; q < end; q++) {
      Transposition.transpose(
          fromT + (long) q * SparsePanels.PANEL * Float.BYTES,
          t.offset(1),
          count,
          Math.min(SparsePanels.PANEL, cols - q * SparsePanels.PANEL),
          rights + (q - panel) * cut.panelBytes(),
          pitch,
          true,
          floats);
    }
    for (int low = top; low < bottom; low += LEFTS) {
      int high = Math.min(bottom, low + LEFTS);
      Transposition.transpose(
          fromX + (long) low * Float.BYTES,
          x.offset(1),
          count,
          high - low,
          lefts,
          pitch,
          true,
          floats);
      for (int q = panel; q < end; q++) {
        long right = rights + (q - panel) * cut.panelBytes();
        dots.add(q, low, high, lefts, right, pitch, bytes, target, overwrite, floats);
      }
    }
  }
}
