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
/// No method here takes or returns a vector: one that the compiler does not inline would make an
/// object of it. Those with the inner loops are longer than what it inlines, and are compiled on
/// their own.
///
/// Immutable; the features are borrowed.
public final class EdgeTerms {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final long BYTES = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// Edges whose products are added at once.
  private static final int BLOCK = 8;

  /// Edges whose products are added in float32, and then to a sum in float64: a multiple of the
  /// above.
  private static final int ROUNDED = 64;

  /// Numbers of a line of the cache.
  private static final int LINE = (int) (DenseMatrix.ALIGNMENT / Float.BYTES);

  /// The address of the features of an edge that has none.
  private static final long NONE = 0;

  /// Ranges of targets, each with a gradient of its own.
  private static final int PARTS = 64;

  /// Numbers of all these gradients, at most, unless one alone has more.
  private static final int NUMBERS = 1 << 20;

  private final EdgeRows features;
  private final int width;
  private final int stride;
  private final long rowBytes;
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
    rowBytes = (long) stride * Float.BYTES;
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

  /// Rows and what edges add to them, for each thread one at a time.
  final class Sums {
    /// The weight, where no vector of it crosses a line of the cache, and a row for each thread.
    private final MemorySegment memory;

    /// @param workers threads that share the work
    Sums(Workers workers) {
      memory = rows(Arena.ofAuto(), features.width() + workers.threads());
      MemorySegment.copy(weight, 0, memory, FLOAT, 0, weight.length);
    }

    /// The memory that sums are in, which a kernel holds while it reads them.
    MemorySegment memory() {
      return memory;
    }

    /// Computes `row + W_e x`.
    ///
    /// @param worker number of the thread
    /// @param edge of the pattern
    /// @param from address of the row
    /// @return address of the sum, with zeros behind it up to a multiple of the lanes; the next
    ///   edge of the thread overwrites it
    long of(int worker, long edge, long from) {
      long weights = memory.address();
      long to = weights + (long) (features.width() + worker) * rowBytes;
      long x = features(edge);
      int depth = x == NONE ? 0 : features.width();
      int j = 0;
      // Four sums at a time: each waits for its own last step, not for those of the others.
      for (; j + 4 * LANES <= width; j += 4 * LANES) {
        long at = Memory.at(from + (long) j * Float.BYTES);
        FloatVector sum0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at, ORDER);
        FloatVector sum1 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at + BYTES, ORDER);
        FloatVector sum2 =
            FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at + 2 * BYTES, ORDER);
        FloatVector sum3 =
            FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at + 3 * BYTES, ORDER);
        long w = Memory.at(weights + (long) j * Float.BYTES);
        for (int f = 0; f < depth; f++, w += rowBytes) {
          FloatVector factor = FloatVector.broadcast(SPECIES, number(x, f));
          sum0 =
              FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(w), ORDER)
                  .fma(factor, sum0);
          sum1 =
              FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(w + BYTES), ORDER)
                  .fma(factor, sum1);
          sum2 =
              FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(w + 2 * BYTES), ORDER)
                  .fma(factor, sum2);
          sum3 =
              FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(w + 3 * BYTES), ORDER)
                  .fma(factor, sum3);
        }
        long end = Memory.at(to + (long) j * Float.BYTES);
        sum0.intoMemorySegment(Memory.ALL, end, ORDER);
        sum1.intoMemorySegment(Memory.ALL, end + BYTES, ORDER);
        sum2.intoMemorySegment(Memory.ALL, end + 2 * BYTES, ORDER);
        sum3.intoMemorySegment(Memory.ALL, end + 3 * BYTES, ORDER);
      }
      for (; j < stride; j += LANES) {
        long column = (long) j * Float.BYTES;
        VectorMask<Float> inside = SPECIES.indexInRange(j, width);
        FloatVector sum =
            FloatVector.fromMemorySegment(
                SPECIES, Memory.ALL, Memory.at(from + column), ORDER, inside);
        long w = weights + column;
        for (int f = 0; f < depth; f++, w += rowBytes) {
          FloatVector factor = FloatVector.broadcast(SPECIES, number(x, f));
          sum =
              FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(w), ORDER)
                  .fma(factor, sum);
        }
        sum.intoMemorySegment(Memory.ALL, Memory.at(to + column), ORDER);
      }
      return to;
    }
  }

  /// Rows of zeros, as wide as those of the weight.
  private MemorySegment rows(Arena arena, int count) {
    return arena.allocate(count * rowBytes, DenseMatrix.ALIGNMENT);
  }

  private static float number(long address, int i) {
    return Memory.ALL.get(FLOAT, Memory.at(address + (long) i * Float.BYTES));
  }

  /// Reads a number of each line of the cache that the features of an edge are in.
  ///
  /// @return their sum
  float ask(long edge) {
    long x = features(edge);
    float sum = 0;
    for (int f = 0; x != NONE && f < features.width(); f += LINE) {
      sum += number(x, f);
    }
    return sum;
  }

  /// The address of the features of an edge; [#NONE] if it has none.
  private long features(long edge) {
    long number = features.row(edge);
    return number < 0 ? NONE : features.x().data().address() + features.x().offset(number);
  }

  /// Computes the gradients of terms.
  @FunctionalInterface
  interface Gradients {
    /// Computes the gradient of the term of an edge.
    ///
    /// @param worker number of the thread
    /// @param target of the edge
    /// @param edge of the pattern, which has features
    /// @param to address of a row, overwritten; up to a multiple of the lanes, zeros may be written
    ///   behind it
    /// @return whether it is not zero; if it is, nothing was written
    boolean of(int worker, long target, long edge, long to);
  }

  /// Computes the gradient of the weight, `dW_e = sum over the edges of x g^T`: in float32 over
  /// [#ROUNDED] edges in turn, and in float64 over all of these.
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
          try (Arena arena = Arena.ofConfined()) {
            Outer products = new Outer(arena);
            int end = Math.min(tasks.count(), (part + 1) * step);
            for (long v = tasks.first(part * step); v < tasks.first(end); v++) {
              products.addEdges(edges, v, worker, gradients);
            }
            sums[part] = products.sum();
          }
        },
        read);
    store(sums, gradient);
  }

  /// The sum of the outer products of features and gradients of edges.
  private final class Outer {
    private final long[] x = new long[BLOCK];

    /// Sums, then the gradients of a block of edges.
    private final MemorySegment memory;

    private final long terms;
    private final float[] rounded = new float[weight.length];
    private final double[] all = new double[weight.length];
    private int waiting;
    private int added;

    Outer(Arena arena) {
      memory = rows(arena, features.width() + BLOCK);
      terms = memory.address() + features.width() * rowBytes;
    }

    void addEdges(EdgePattern edges, long v, int worker, Gradients gradients) {
      long end = edges.csr().rowPointer(v + 1);
      for (long e = edges.csr().rowPointer(v); e < end; e++) {
        x[waiting] = features(e);
        if (x[waiting] != NONE && gradients.of(worker, v, e, terms + waiting * rowBytes)) {
          waiting++;
          if (waiting == BLOCK) {
            addBlock();
            waiting = 0;
            added += BLOCK;
            if (added == ROUNDED) {
              round();
            }
          }
        }
      }
    }

    /// Adds the products of a block in the order of its edges: all sums are read and written once
    /// for it.
    private void addBlock() {
      for (long j = 0; j < rowBytes; j += BYTES) {
        long term = Memory.at(terms + j);
        FloatVector term0 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, term, ORDER);
        term = Memory.at(term + rowBytes);
        FloatVector term1 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, term, ORDER);
        term = Memory.at(term + rowBytes);
        FloatVector term2 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, term, ORDER);
        term = Memory.at(term + rowBytes);
        FloatVector term3 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, term, ORDER);
        term = Memory.at(term + rowBytes);
        FloatVector term4 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, term, ORDER);
        term = Memory.at(term + rowBytes);
        FloatVector term5 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, term, ORDER);
        term = Memory.at(term + rowBytes);
        FloatVector term6 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, term, ORDER);
        term = Memory.at(term + rowBytes);
        FloatVector term7 = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, term, ORDER);
        long to = memory.address() + j;
        for (int f = 0; f < features.width(); f++, to += rowBytes) {
          long at = Memory.at(to);
          FloatVector sum = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at, ORDER);
          sum = term0.fma(FloatVector.broadcast(SPECIES, number(x[0], f)), sum);
          sum = term1.fma(FloatVector.broadcast(SPECIES, number(x[1], f)), sum);
          sum = term2.fma(FloatVector.broadcast(SPECIES, number(x[2], f)), sum);
          sum = term3.fma(FloatVector.broadcast(SPECIES, number(x[3], f)), sum);
          sum = term4.fma(FloatVector.broadcast(SPECIES, number(x[4], f)), sum);
          sum = term5.fma(FloatVector.broadcast(SPECIES, number(x[5], f)), sum);
          sum = term6.fma(FloatVector.broadcast(SPECIES, number(x[6], f)), sum);
          sum = term7.fma(FloatVector.broadcast(SPECIES, number(x[7], f)), sum);
          sum.intoMemorySegment(Memory.ALL, at, ORDER);
        }
      }
    }

    /// Takes sums to float64.
    private void round() {
      MemorySegment.copy(memory, FLOAT, 0, rounded, 0, rounded.length);
      for (int i = 0; i < rounded.length; i++) {
        all[i] += rounded[i];
      }
      memory.asSlice(0, terms - memory.address()).fill((byte) 0);
      added = 0;
    }

    /// The sum of all edges that were added.
    double[] sum() {
      if (waiting > 0) {
        // Gradients of 0 fill the block.
        Arrays.fill(x, waiting, BLOCK, x[0]);
        memory.asSlice((features.width() + waiting) * rowBytes).fill((byte) 0);
        addBlock();
      }
      round();
      return all;
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
