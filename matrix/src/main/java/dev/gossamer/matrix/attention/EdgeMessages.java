package dev.gossamer.matrix.attention;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.tile.RowTasks;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// Sums of messages over the edges of a pattern whose features count ([EdgeTerms]; W. Hu et al.,
/// 2020): for a target `v`
///
/// ```
/// y[v] = sum over the edges into v of a[uv] m[uv],   m[uv] = ReLU(h[u] + W_e x[uv]),   m[vv] = h[v]
/// ```
///
/// where `a` are the entries of the pattern's matrix with its scales. An entry on the diagonal is
/// the vertex's own row: its features, if it is an edge of the data set, are not read. An edge
/// whose entry is 0 adds nothing.
///
/// The derivative of the ReLU is 0 where its argument is not positive. Messages are computed again
/// in each pass; the order of each sum depends only on the pattern, so that results are
/// bit-identical for any number of threads.
///
/// Cost: `nnz (4 f + 4 d + 16)` bytes read forward and `2 nnz f (d + 1)` operations, for rows of
/// `f` columns; each of the two passes backward about twice that. Stateless.
///
/// No method here takes or returns a vector: one that the compiler does not inline would make an
/// object of it.
public final class EdgeMessages {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  /// Edges whose memory is asked for at once.
  private static final int ASKED = 16;

  private EdgeMessages() {}

  /// Computes the sums of all targets.
  ///
  /// @param edges with terms ([EdgePattern#withTerms]); borrowed
  /// @param h `sources x f`
  /// @param y `targets x f`, overwritten; shares no memory with `h`
  /// @param workers threads that share the work
  /// @throws IllegalArgumentException if a shape does not fit
  public static void forward(EdgePattern edges, DenseMatrix h, DenseMatrix y, Workers workers) {
    EdgeTerms terms = terms(edges, h, y);
    CsrMatrix a = edges.csr();
    RowTasks tasks = edges.tasks();
    EdgeTerms.Sums sums = terms.new Sums(workers);
    workers.run(
        tasks.count(),
        (task, worker) -> {
          y.rows(tasks.first(task), tasks.first(task + 1)).fill(0f);
          for (long v = tasks.first(task); v < tasks.first(task + 1); v++) {
            long to = y.data().address() + y.offset(v);
            long end = a.rowPointer(v + 1);
            float scale = a.rowScale(v);
            for (long e = a.rowPointer(v); e < end; e++) {
              int u = a.column(e);
              float weight = a.value(e) * scale * a.columnScale(u);
              long source = h.data().address() + h.offset(u);
              if (u == v) {
                RelationSums.addWeighted(source, weight, to, h.cols());
              } else if (weight != 0) {
                addMessage(sums.of(worker, e, source), weight, to, h.cols());
              }
            }
          }
        },
        a.columns(),
        h.data(),
        terms.memory(),
        sums.memory(),
        y.data());
  }

  /// Computes the gradient of `W_e`: `sum over the edges of x[uv] (a[uv] t[v] (.) m'[uv])^T`.
  ///
  /// @param edges as in the forward pass
  /// @param h as in the forward pass
  /// @param t `targets x f`, the gradient of `y`
  /// @param gradient `d x f`, overwritten
  /// @param workers threads that share the work
  /// @throws IllegalArgumentException if a shape does not fit
  public static void weightGradient(
      EdgePattern edges, DenseMatrix h, DenseMatrix t, DenseMatrix gradient, Workers workers) {
    EdgeTerms terms = terms(edges, h, t);
    CsrMatrix a = edges.csr();
    EdgeTerms.Sums sums = terms.new Sums(workers);
    terms.weightGradient(
        edges,
        (worker, v, e, to) -> {
          float weight = weight(a, v, e);
          if (a.column(e) == v || weight == 0) {
            return false;
          }
          long row = sums.of(worker, e, h.data().address() + h.offset(a.column(e)));
          gradientOf(row, weight, t.data().address() + t.offset(v), to, h.cols());
          return true;
        },
        gradient,
        workers,
        a.columns(),
        h.data(),
        terms.memory(),
        sums.memory(),
        t.data());
  }

  /// Computes the gradient of all sources: `dh[u] = sum over the edges out of u of a[uv] t[v] (.)
  /// m'[uv]`.
  ///
  /// @param edges as in the forward pass
  /// @param transposed the same by source; borrowed
  /// @param h as in the forward pass
  /// @param t `targets x f`, the gradient of `y`
  /// @param gradient `sources x f`, overwritten
  /// @param workers threads that share the work
  /// @throws IllegalArgumentException if a shape does not fit
  public static void sourceGradients(
      EdgePattern edges,
      EdgePattern.Transposed transposed,
      DenseMatrix h,
      DenseMatrix t,
      DenseMatrix gradient,
      Workers workers) {
    EdgeTerms terms = terms(edges, h, t);
    CsrMatrix a = edges.csr();
    CsrMatrix out = transposed.csr();
    Attention.require("gradient of h", gradient, edges.sources(), h.cols());
    RowTasks tasks = transposed.tasks();
    EdgeTerms.Sums sums = terms.new Sums(workers);
    workers.run(
        tasks.count(),
        (task, worker) -> {
          gradient.rows(tasks.first(task), tasks.first(task + 1)).fill(0f);
          for (long u = tasks.first(task); u < tasks.first(task + 1); u++) {
            long source = h.data().address() + h.offset(u);
            long to = gradient.data().address() + gradient.offset(u);
            long end = out.rowPointer(u + 1);
            float scale = a.columnScale((int) u);
            long asked = out.rowPointer(u);
            for (long k = asked; k < end; k++) {
              if (k == asked) {
                asked = Math.min(end, k + ASKED);
                workers.scratchFloats(worker)[0] += ask(transposed, k, asked, a, terms);
              }
              long v = out.column(k);
              long e = transposed.edge(k);
              // The column of the edge is u: it is not read from far away.
              float weight = a.value(e) * a.rowScale(v) * scale;
              long above = t.data().address() + t.offset(v);
              if (u == v) {
                RelationSums.addWeighted(above, weight, to, h.cols());
              } else if (weight != 0) {
                addPassed(sums.of(worker, e, source), above, weight, to, h.cols());
              }
            }
          }
        },
        out.columns(),
        a.rowPointers(),
        a.columns(),
        h.data(),
        terms.memory(),
        sums.memory(),
        t.data(),
        gradient.data());
  }

  /// Reads what edges out of a source have in memory, far from each other. The processor waits for
  /// all of it together, as long as nothing is computed of it meanwhile.
  ///
  /// @param first entry of the transpose
  /// @param end after the last entry
  /// @return a number that depends on it, without which the compiler would leave out reading
  private static float ask(
      EdgePattern.Transposed edges, long first, long end, CsrMatrix a, EdgeTerms terms) {
    float read = 0;
    for (long k = first; k < end; k++) {
      long e = edges.edge(k);
      read += a.value(e) + terms.ask(e);
    }
    return read;
  }

  private static float weight(CsrMatrix a, long v, long e) {
    return a.value(e) * a.rowScale(v) * a.columnScale(a.column(e));
  }

  /// `to += weight max(row, 0)`.
  private static void addMessage(long row, float weight, long to, int width) {
    FloatVector factor = FloatVector.broadcast(SPECIES, weight);
    int whole = SPECIES.loopBound(width);
    for (int j = 0; j < whole; j += LANES) {
      long from = Memory.at(row + (long) j * Float.BYTES);
      long into = Memory.at(to + (long) j * Float.BYTES);
      FloatVector.fromMemorySegment(SPECIES, Memory.ALL, from, ORDER)
          .max(0f)
          .fma(factor, FloatVector.fromMemorySegment(SPECIES, Memory.ALL, into, ORDER))
          .intoMemorySegment(Memory.ALL, into, ORDER);
    }
    if (whole < width) {
      VectorMask<Float> inside = SPECIES.indexInRange(whole, width);
      long from = Memory.at(row + (long) whole * Float.BYTES);
      long into = Memory.at(to + (long) whole * Float.BYTES);
      FloatVector.fromMemorySegment(SPECIES, Memory.ALL, from, ORDER)
          .max(0f)
          .fma(factor, FloatVector.fromMemorySegment(SPECIES, Memory.ALL, into, ORDER, inside))
          .intoMemorySegment(Memory.ALL, into, ORDER, inside);
    }
  }

  /// `to += weight t` where the row is positive. Elsewhere, what was there is stored again: a
  /// vector of which a store has left out lanes is read late by the next edge.
  private static void addPassed(long row, long t, float weight, long to, int width) {
    FloatVector factor = FloatVector.broadcast(SPECIES, weight);
    int whole = SPECIES.loopBound(width);
    for (int j = 0; j < whole; j += LANES) {
      long from = Memory.at(row + (long) j * Float.BYTES);
      long above = Memory.at(t + (long) j * Float.BYTES);
      long into = Memory.at(to + (long) j * Float.BYTES);
      FloatVector sum = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, into, ORDER);
      FloatVector passed =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, above, ORDER).fma(factor, sum);
      VectorMask<Float> passes =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, from, ORDER)
              .compare(VectorOperators.GT, 0f);
      sum.blend(passed, passes).intoMemorySegment(Memory.ALL, into, ORDER);
    }
    if (whole < width) {
      VectorMask<Float> inside = SPECIES.indexInRange(whole, width);
      long from = Memory.at(row + (long) whole * Float.BYTES);
      long above = Memory.at(t + (long) whole * Float.BYTES);
      long into = Memory.at(to + (long) whole * Float.BYTES);
      FloatVector sum = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, into, ORDER, inside);
      FloatVector passed =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, above, ORDER, inside).fma(factor, sum);
      VectorMask<Float> passes =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, from, ORDER)
              .compare(VectorOperators.GT, 0f);
      sum.blend(passed, passes).intoMemorySegment(Memory.ALL, into, ORDER, inside);
    }
  }

  /// `to = weight t` where the row is positive, else 0.
  private static void gradientOf(long row, float weight, long t, long to, int width) {
    FloatVector factor = FloatVector.broadcast(SPECIES, weight);
    for (int j = 0; j < width; j += LANES) {
      long from = Memory.at(row + (long) j * Float.BYTES);
      long above = Memory.at(t + (long) j * Float.BYTES);
      VectorMask<Float> passes =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, from, ORDER)
              .compare(VectorOperators.GT, 0f);
      FloatVector.fromMemorySegment(SPECIES, Memory.ALL, above, ORDER, passes)
          .mul(factor)
          .intoMemorySegment(Memory.ALL, Memory.at(to + (long) j * Float.BYTES), ORDER);
    }
  }

  private static EdgeTerms terms(EdgePattern edges, DenseMatrix h, DenseMatrix ofTargets) {
    EdgeTerms terms = edges.requireTerms("messages");
    Attention.require("h", h, edges.sources(), terms.width());
    Attention.require("rows of targets", ofTargets, edges.targets(), terms.width());
    return terms;
  }
}
