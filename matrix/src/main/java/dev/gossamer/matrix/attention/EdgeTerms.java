package dev.gossamer.matrix.attention;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.tile.RowTasks;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/// What the features of an edge add to a row of one of its ends: `W_e x`, with the `d` features `x`
/// of the edge and a weight `W_e` of `d x width`; nothing to that of an edge without features.
///
/// Terms are computed again by each pass that reads them, so that none takes memory per edge. Java
/// heap: a copy of `W_e`, and for its gradient up to 64 more in float64, which take at most 8 MiB
/// unless one alone takes more.
///
/// Immutable; the features are borrowed.
public final class EdgeTerms {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Ranges of targets, each with a gradient of its own.
  private static final int PARTS = 64;

  /// Numbers of all these gradients, at most, unless one alone has more.
  private static final int NUMBERS = 1 << 20;

  private final EdgeRows features;
  private final int width;
  private final int stride;
  private final float[] weight;

  /// Copies a weight.
  ///
  /// @param features of each edge; borrowed
  /// @param weight `d x width`, `W_e`
  /// @throws IllegalArgumentException if the weight has another number of rows
  public EdgeTerms(EdgeRows features, DenseMatrix weight) {
    if (weight.rows() != features.width()) {
      throw new IllegalArgumentException(
          "features of edges: a weight of %d rows; expected one for each of %d features"
              .formatted(weight.rows(), features.width()));
    }
    this.features = features;
    width = weight.cols();
    stride = Math.ceilDiv(width, LANES) * LANES;
    this.weight = new float[Math.multiplyExact(features.width(), stride)];
    for (int f = 0; f < features.width(); f++) {
      MemorySegment.copy(weight.data(), FLOAT, weight.offset(f), this.weight, f * stride, width);
    }
  }

  /// Columns of a term.
  int width() {
    return width;
  }

  /// Checks the columns of a term.
  ///
  /// @throws IllegalArgumentException if they are others
  void requireWidth(int expected) {
    if (width != expected) {
      throw new IllegalArgumentException(
          "features of edges: a weight of %d columns; expected %d".formatted(width, expected));
    }
  }

  /// The number of edges.
  long edges() {
    return features.edges();
  }

  /// The memory that passes read.
  MemorySegment memory() {
    return features.x().data();
  }

  /// Rows and what edges add to them, one at a time for each thread.
  final class Sums {
    private final float[][] x;
    private final MemorySegment rows;

    /// @param workers threads that share the work
    Sums(Workers workers) {
      x = new float[workers.threads()][features.width()];
      long bytes = (long) workers.threads() * stride * Float.BYTES;
      rows = Arena.ofAuto().allocate(bytes, DenseMatrix.ALIGNMENT);
    }

    /// The memory that sums are in, which a kernel holds while it reads them.
    MemorySegment memory() {
      return rows;
    }

    /// Computes `row + W_e x`.
    ///
    /// @param worker number of the thread
    /// @param edge of the pattern
    /// @param from address of the row
    /// @return address of the sum, with zeros behind it up to a multiple of the lanes; the next
    ///   edge of the thread overwrites it
    long of(int worker, long edge, long from) {
      float[] mine = x[worker];
      boolean some = read(edge, mine) >= 0;
      long to = rows.address() + (long) worker * stride * Float.BYTES;
      for (int j = 0; j < stride; j += LANES) {
        VectorMask<Float> inside = SPECIES.indexInRange(j, width);
        long column = (long) j * Float.BYTES;
        FloatVector sum =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(from + column), ORDER, inside);
        for (int f = 0, at = j; f < mine.length && some; f++, at += stride) {
          FloatVector factor = FloatVector.broadcast(SPECIES, mine[f]);
          sum = FloatVector.fromArray(SPECIES, weight, at).fma(factor, sum);
        }
        sum.intoMemorySegment(Memory.ALL, Memory.at(to + column), ORDER);
      }
      return to;
    }
  }

  /// Reads the features of an edge.
  ///
  /// @return the number of their row; negative if it has none, and nothing was read
  private long read(long edge, float[] x) {
    long number = features.row(edge);
    if (number >= 0) {
      DenseMatrix all = features.x();
      MemorySegment.copy(all.data(), FLOAT, all.offset(number), x, 0, x.length);
    }
    return number;
  }

  /// Computes the gradients of terms.
  @FunctionalInterface
  interface Gradients {
    /// Computes the gradient of the term of an edge.
    ///
    /// @param worker number of the thread
    /// @param target of the edge
    /// @param edge of the pattern, which has features
    /// @param to overwritten; up to a multiple of the lanes, zeros may be written behind the row
    /// @return whether it is not zero; if it is, nothing was written
    boolean of(int worker, long target, long edge, float[] to);
  }

  /// Computes the gradient of the weight, `dW_e = sum over the edges of x g^T`: in float32 over the
  /// edges of a target, and in float64 over targets.
  ///
  /// @param edges borrowed
  /// @param gradients of the terms
  /// @param gradient `d x width`, overwritten
  /// @param workers threads that share the work
  /// @param read memory that gradients of terms are computed from
  void weightGradient(
      EdgePattern edges,
      Gradients gradients,
      DenseMatrix gradient,
      Workers workers,
      @Nullable MemorySegment... read) {
    Attention.require("gradient of edge weights", gradient, features.width(), width);
    RowTasks tasks = edges.tasks();
    int most = Math.clamp(NUMBERS / Math.max(1, weight.length), 1, PARTS);
    int step = Math.max(1, Math.ceilDiv(tasks.count(), most));
    double[][] sums = new double[Math.ceilDiv(tasks.count(), step)][];
    workers.run(
        sums.length,
        (part, worker) -> {
          double[] all = new double[weight.length];
          Outer ofTarget = new Outer();
          int end = Math.min(tasks.count(), (part + 1) * step);
          for (long v = tasks.first(part * step); v < tasks.first(end); v++) {
            ofTarget.addEdges(edges, v, worker, gradients, all);
          }
          sums[part] = all;
        },
        read);
    store(sums, gradient);
  }

  /// The outer products of features and gradients of the edges of a target.
  private final class Outer {
    private final float[] x = new float[features.width()];
    // A vector that begins in the row ends in the array.
    private final float[] term = new float[stride + LANES];
    private final float[] sums = new float[weight.length];

    void addEdges(EdgePattern edges, long v, int worker, Gradients gradients, double[] to) {
      boolean any = false;
      for (long e = edges.csr().rowPointer(v); e < edges.csr().rowPointer(v + 1); e++) {
        if (read(e, x) >= 0 && gradients.of(worker, v, e, term)) {
          any = true;
          add();
        }
      }
      if (any) {
        for (int i = 0; i < sums.length; i++) {
          to[i] += sums[i];
        }
        Arrays.fill(sums, 0f);
      }
    }

    private void add() {
      for (int f = 0; f < x.length; f++) {
        FloatVector factor = FloatVector.broadcast(SPECIES, x[f]);
        for (int j = 0, at = f * stride; j < stride; j += LANES, at += LANES) {
          FloatVector.fromArray(SPECIES, term, j)
              .fma(factor, FloatVector.fromArray(SPECIES, sums, at))
              .intoArray(sums, at);
        }
      }
    }
  }

  private void store(double[][] sums, DenseMatrix gradient) {
    for (int f = 0; f < features.width(); f++) {
      for (int j = 0; j < width; j++) {
        double sum = 0;
        for (double[] part : sums) {
          sum += part[f * stride + j];
        }
        gradient.set(f, j, (float) sum);
      }
    }
  }
}
