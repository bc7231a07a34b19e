package dev.gossamer.matrix.attention;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.tile.RowTasks;
import java.lang.foreign.ValueLayout;
import java.util.List;

/// Sums over the edges of a pattern by relation, of rows that have a part of their own for each of
/// `R` relations (GraphSAGE's mean for each): for a target `v`
///
/// ```
/// y[v] += sum over the relations r of 1/c[v][r] sum over the edges from u to v in r of z[u][r]
/// ```
///
/// where `c[v][r]` is the number of edges into `v` that are in `r`, and `z[u][r]` the part of `D`
/// columns. These are [RelationSums] whose bases are the relations; of an edge only the parts of
/// its own relations are read. The order of each sum depends only on the pattern, so that results
/// are bit-identical for any number of threads.
///
/// Cost: `nnz (4 D + 8)` bytes read forward and backward, for edges in one relation. Instances are
/// immutable and safe to share.
public final class RelationMeans {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final long[] sets;
  private final int relations;
  private final int width;

  /// Creates sums.
  ///
  /// @param sets the relations of an edge, a bit for each, by the value of its entry
  /// @param relations `R`, at most 64
  /// @param width `D`, columns of a part
  public RelationMeans(List<Long> sets, int relations, int width) {
    if (relations < 1 || relations > Long.SIZE || width < 1) {
      throw new IllegalArgumentException(
          "relations: expected 1 to %d and a column, found %d and %d"
              .formatted(Long.SIZE, relations, width));
    }
    this.sets = RelationCounts.array(sets);
    this.relations = relations;
    this.width = width;
  }

  /// Adds the means of sources to the rows of their targets, and then applies `epilogue` to each
  /// block of finished rows.
  ///
  /// @param edges with the number of a set as the value of each entry; borrowed
  /// @param z `sources x R D`
  /// @param shares `targets x R`, overwritten with `1 / c`, for the backward pass
  /// @param y `targets x D`, added to; shares no memory with `z`
  /// @param workers threads that share the work
  /// @param epilogue applied to finished rows of `y`
  /// @throws IllegalArgumentException if a shape does not fit
  public void forward(
      EdgePattern edges,
      DenseMatrix z,
      DenseMatrix shares,
      DenseMatrix y,
      Workers workers,
      RowEpilogue epilogue) {
    RelationSums.requireSets(edges);
    Attention.require("z", z, edges.sources(), relations * width);
    Attention.require("shares", shares, edges.targets(), relations);
    Attention.require("y", y, edges.targets(), width);
    RowTasks tasks = edges.tasks();
    RelationCounts[] targets = RelationCounts.of(edges, sets, relations, workers);
    workers.run(
        tasks.count(),
        (task, worker) -> {
          RelationCounts target = targets[worker];
          for (long v = tasks.first(task); v < tasks.first(task + 1); v++) {
            target.turn(v);
            for (int r = 0; r < relations; r++) {
              float share = target.count(r) == 0 ? 0 : 1f / target.count(r);
              shares.data().set(FLOAT, shares.offset(v) + (long) r * Float.BYTES, share);
            }
            long to = y.data().address() + y.offset(v);
            for (long e = target.first(); e < target.end(); e++) {
              long from = z.data().address() + z.offset(edges.csr().column(e));
              for (long set = target.set(e); set != 0; set &= set - 1) {
                int r = Long.numberOfTrailingZeros(set);
                RelationSums.addWeighted(from + part(r), share(shares, v, r), to, width);
              }
            }
          }
          epilogue.apply(y, tasks.first(task), tasks.first(task + 1));
        },
        epilogue.with(edges.csr().columns(), z.data(), shares.data(), y.data()));
  }

  /// Computes the gradient of all sources: `dz[u][r] = sum over the edges from u to v in r of t[v]
  /// / c[v][r]`.
  ///
  /// @param edges as in the forward pass
  /// @param transposed the same by source; borrowed
  /// @param t `targets x D`, the gradient of `y`
  /// @param shares as the forward pass left them
  /// @param gradient `sources x R D`, overwritten
  /// @param workers threads that share the work
  /// @throws IllegalArgumentException if a shape does not fit
  public void sourceGradients(
      EdgePattern edges,
      EdgePattern.Transposed transposed,
      DenseMatrix t,
      DenseMatrix shares,
      DenseMatrix gradient,
      Workers workers) {
    RelationSums.requireSets(edges);
    CsrMatrix csr = transposed.csr();
    Attention.require("t", t, csr.cols(), width);
    Attention.require("shares", shares, csr.cols(), relations);
    Attention.require("gradient of z", gradient, csr.rows(), relations * width);
    RowTasks tasks = transposed.tasks();
    workers.run(
        tasks.count(),
        (task, _) -> {
          gradient.rows(tasks.first(task), tasks.first(task + 1)).fill(0f);
          for (long u = tasks.first(task); u < tasks.first(task + 1); u++) {
            long to = gradient.data().address() + gradient.offset(u);
            for (long k = csr.rowPointer(u); k < csr.rowPointer(u + 1); k++) {
              int v = csr.column(k);
              long from = t.data().address() + t.offset(v);
              long all = RelationCounts.set(edges.csr(), sets, transposed.edge(k));
              for (long set = all; set != 0; set &= set - 1) {
                int r = Long.numberOfTrailingZeros(set);
                RelationSums.addWeighted(from, share(shares, v, r), to + part(r), width);
              }
            }
          }
        },
        csr.columns(),
        t.data(),
        shares.data(),
        gradient.data());
  }

  /// Bytes from the beginning of a row to the part of a relation.
  private long part(int relation) {
    return (long) relation * width * Float.BYTES;
  }

  private static float share(DenseMatrix shares, long v, int relation) {
    return shares.data().get(FLOAT, shares.offset(v) + (long) relation * Float.BYTES);
  }
}
