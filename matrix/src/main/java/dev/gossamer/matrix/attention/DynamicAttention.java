package dev.gossamer.matrix.attention;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.dense.Softmax;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.random.Philox;
import dev.gossamer.matrix.sparse.Sddmm;
import dev.gossamer.matrix.tile.Lanes;
import dev.gossamer.matrix.tile.RowTasks;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/// Dynamic graph attention (S. Brody, U. Alon and E. Yahav, 2022, GATv2) over the edges of a
/// pattern, with `K` heads of `D` columns each: for an edge from `u` to `v` and each head
///
/// ```
/// alpha[uv] = softmax over the edges into v of <a, leaky(z[u] + z[v])>
/// y[v]      = sum over the edges into v of drop(alpha[uv]) z[u]
/// ```
///
/// In contrast to [Attention], the nonlinear function is within the product, so that the order of a
/// target's sources may depend on the target; a score then takes a pass over two rows for each
/// edge. Everything else, including weighted edges, the order of sums and how dropped coefficients
/// are marked, is as there. If edges have terms of their own ([EdgePattern#withTerms]), `z[u] +
/// z[v]` is `z[u] + z[v] + W_e x[uv]`, computed again in each pass.
///
/// Cost: forward `nnz (8 K D + 12 K)` bytes read, `4 nnz K` written; backward about three times
/// that. Instances are immutable and safe to share.
public final class DynamicAttention {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final int heads;
  private final int width;
  private final EdgeNumbers layout;

  /// Creates attention with a number of heads.
  ///
  /// @param heads `K`, at most [Workers#SCRATCH_ELEMENTS]
  /// @param width `D`, columns of a head
  public DynamicAttention(int heads, int width) {
    Attention.requireHeads(heads, width);
    this.heads = heads;
    this.width = width;
    layout = new EdgeNumbers(heads);
  }

  /// What a thread works with.
  private final class Scratch {
    final int[] ids = new int[Workers.SCRATCH_ELEMENTS];
    final float[] numbers = layout.array();
    final float[] gradients = layout.array();
    final float[] ofHeads = new float[heads];
    final long[] words = new long[4 * Philox.SPECIES.length()];

    /// Reads the sources of some edges.
    ///
    /// @return edges
    int ids(CsrMatrix csr, long first, long left) {
      int part = (int) Math.min(layout.block(), left);
      MemorySegment.copy(csr.columns(), INT, first * Integer.BYTES, ids, 0, part);
      return part;
    }
  }

  /// The rows of ends of edges, with what the terms of these edges add to them, if they have some.
  private static final class Ends {
    private final EdgeTerms.@Nullable Sums sums;

    Ends(EdgePattern edges, Workers workers) {
      EdgeTerms terms = edges.terms();
      sums = terms == null ? null : terms.new Sums(workers);
    }

    /// The address of a row with the term of an edge.
    long of(int worker, long edge, long row) {
      return sums == null ? row : sums.of(worker, edge, row);
    }

    /// Memory that a kernel holds; null if sums take none.
    @Nullable MemorySegment memory() {
      return sums == null ? null : sums.memory();
    }
  }

  private Scratch[] scratch(Workers workers) {
    Scratch[] all = new Scratch[workers.threads()];
    Arrays.setAll(all, _ -> new Scratch());
    return all;
  }

  /// Computes coefficients and weighted sums of all targets, and then applies `epilogue` to each
  /// block of finished rows.
  ///
  /// @param edges borrowed
  /// @param z `sources x K D`
  /// @param vectors `float32[K D]`: `a` of each head
  /// @param alpha `edges x K`, overwritten: for the backward pass
  /// @param y `targets x K D`, overwritten; shares no memory with `z`
  /// @param dropout of the coefficients; null for none
  /// @param sources the data set's ids of the sources
  /// @param workers threads that share the work
  /// @param epilogue applied to finished rows of `y`
  /// @throws IllegalArgumentException if a shape does not fit
  public void forward(
      EdgePattern edges,
      DenseMatrix z,
      MemorySegment vectors,
      DenseMatrix alpha,
      DenseMatrix y,
      @Nullable EdgeDropout dropout,
      RowIds sources,
      Workers workers,
      RowEpilogue epilogue) {
    check(edges, z, vectors, alpha);
    Attention.require("y", y, edges.targets(), heads * width);
    Philox[] generators = dropout == null ? new Philox[0] : dropout.generators(heads);
    HeadSpmm spmm = new HeadSpmm(heads, width, layout.stride());
    Scratch[] scratch = scratch(workers);
    Ends ends = new Ends(edges, workers);
    RowTasks tasks = edges.tasks();
    workers.run(
        tasks.count(),
        (task, worker) -> {
          Scratch own = scratch[worker];
          for (long v = tasks.first(task); v < tasks.first(task + 1); v++) {
            long first = edges.csr().rowPointer(v);
            long count = edges.csr().rowPointer(v + 1) - first;
            long coefficients = alpha.data().address() + alpha.offset(first);
            scores(edges, z, vectors.address(), v, ends, worker, coefficients);
            softmax(coefficients, count, own.ofHeads);
            for (long k = 0; k == 0 || k < count; k += layout.block()) {
              int part = own.ids(edges.csr(), first + k, count - k);
              long at = coefficients + k * heads * Float.BYTES;
              layout.load(at, part, own.numbers);
              if (dropout != null) {
                dropout.mark(
                    generators,
                    heads,
                    sources.id(v),
                    own.ids,
                    sources,
                    part,
                    own.numbers,
                    layout.stride(),
                    own.words);
                layout.store(own.numbers, part, at);
                weigh(own.numbers, part, dropout.scale());
              }
              spmm.sum(
                  own.ids,
                  own.numbers,
                  part,
                  z.data().address(),
                  z.offset(1),
                  y.data().address() + y.offset(v),
                  k > 0);
            }
          }
          epilogue.apply(y, tasks.first(task), tasks.first(task + 1));
        },
        held(
            edges,
            ends,
            epilogue.with(edges.csr().columns(), z.data(), vectors, alpha.data(), y.data())));
  }

  /// The scores of a target's edges.
  private void scores(
      EdgePattern edges, DenseMatrix z, long a, long v, Ends ends, int worker, long to) {
    long first = edges.csr().rowPointer(v);
    long count = edges.csr().rowPointer(v + 1) - first;
    long logs = edges.logWeights(first);
    long row = z.data().address() + z.offset(v);
    for (long k = 0; k < count; k++) {
      long source = z.data().address() + z.offset(edges.csr().column(first + k));
      long target = ends.of(worker, first + k, row);
      float add = logs == 0 ? 0f : get(logs + k * Float.BYTES);
      for (int h = 0; h < heads; h++) {
        long part = (long) h * width * Float.BYTES;
        float score = score(source + part, target + part, a + part, width);
        set(to + (k * heads + h) * Float.BYTES, score + add);
      }
    }
  }

  /// `<a, leaky(u + v)>`.
  private static float score(long u, long v, long a, int width) {
    FloatVector sum = FloatVector.zero(SPECIES);
    for (int j = 0; j < width; j += LANES) {
      VectorMask<Float> inside = SPECIES.indexInRange(j, width);
      FloatVector x = load(u, j, inside).add(load(v, j, inside));
      x = x.blend(x.mul(Attention.SLOPE), x.compare(VectorOperators.LT, 0f));
      sum = x.fma(load(a, j, inside), sum);
    }
    return Lanes.sum(sum);
  }

  /// The softmax of each head over a target's edges, in place.
  private void softmax(long numbers, long count, float[] ofHeads) {
    Arrays.fill(ofHeads, Float.NEGATIVE_INFINITY);
    for (long k = 0; k < count; k++) {
      for (int h = 0; h < heads; h++) {
        ofHeads[h] = Math.max(ofHeads[h], get(numbers + (k * heads + h) * Float.BYTES));
      }
    }
    for (long k = 0; k < count; k++) {
      for (int h = 0; h < heads; h++) {
        long at = numbers + (k * heads + h) * Float.BYTES;
        set(at, get(at) - ofHeads[h]);
      }
    }
    exponentials(numbers, count * heads);
    Arrays.fill(ofHeads, 0f);
    for (long k = 0; k < count; k++) {
      for (int h = 0; h < heads; h++) {
        ofHeads[h] += get(numbers + (k * heads + h) * Float.BYTES);
      }
    }
    for (long k = 0; k < count; k++) {
      for (int h = 0; h < heads; h++) {
        long at = numbers + (k * heads + h) * Float.BYTES;
        set(at, get(at) / ofHeads[h]);
      }
    }
  }

  private static void exponentials(long numbers, long count) {
    for (long i = 0; i < count; i += LANES) {
      VectorMask<Float> inside = SPECIES.indexInRange(0L, count - i);
      long at = Memory.at(numbers + i * Float.BYTES);
      Softmax.exp(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at, ORDER, inside))
          .intoMemorySegment(Memory.ALL, at, ORDER, inside);
    }
  }

  /// Makes weights of coefficients: zero if they are negative, else multiplied.
  private void weigh(float[] numbers, int part, float factor) {
    for (int i = 0; i < part * layout.stride(); i++) {
      numbers[i] = numbers[i] < 0 ? 0f : numbers[i] * factor;
    }
  }

  /// Computes the gradients of the scores of edges and, through scores, of the targets' `z`, and
  /// what each target adds to the gradient of `a`.
  ///
  /// @param edges borrowed
  /// @param z `sources x K D`
  /// @param vectors as in the forward pass
  /// @param alpha `edges x K`, as written by the forward pass
  /// @param t `targets x K D`, the gradient of `y`
  /// @param scale factor of kept coefficients in dropout; 1 without dropout
  /// @param g `edges x 2 K`, overwritten: `drop(alpha[uv])` of each head, and then the gradients of
  ///   the scores
  /// @param zGradient `sources x K D`: the rows of targets are overwritten
  /// @param products `targets x K D`, overwritten: their sum is the gradient of `a`
  /// @param workers threads that share the work
  /// @throws IllegalArgumentException if a shape does not fit
  public void targetGradients(
      EdgePattern edges,
      DenseMatrix z,
      MemorySegment vectors,
      DenseMatrix alpha,
      DenseMatrix t,
      float scale,
      DenseMatrix g,
      DenseMatrix zGradient,
      DenseMatrix products,
      Workers workers) {
    check(edges, z, vectors, alpha);
    Attention.require("t", t, edges.targets(), heads * width);
    Attention.require("g", g, edges.count(), 2 * heads);
    Attention.require("gradient of z", zGradient, edges.sources(), heads * width);
    Attention.require("products", products, edges.targets(), heads * width);
    Scratch[] scratch = scratch(workers);
    Ends ends = new Ends(edges, workers);
    RowTasks tasks = edges.tasks();
    workers.run(
        tasks.count(),
        (task, worker) -> {
          Scratch own = scratch[worker];
          float[] partial = workers.scratchFloats(worker);
          for (long v = tasks.first(task); v < tasks.first(task + 1); v++) {
            long first = edges.csr().rowPointer(v);
            long count = edges.csr().rowPointer(v + 1) - first;
            long coefficients = alpha.data().address() + alpha.offset(first);
            long gradients = g.data().address() + g.offset(first);
            Arrays.fill(own.ofHeads, 0f);
            for (long k = 0; k < count; k += layout.block()) {
              int part = own.ids(edges.csr(), first + k, count - k);
              Sddmm.row(
                  t.data().address() + t.offset(v),
                  own.ids,
                  part,
                  z.data().address(),
                  z.offset(1),
                  heads,
                  width,
                  layout.stride(),
                  own.gradients,
                  partial);
              layout.load(coefficients + k * heads * Float.BYTES, part, own.numbers);
              keep(own, part, scale);
              layout.storePairs(
                  own.numbers, own.gradients, part, gradients + 2 * k * heads * Float.BYTES);
            }
            products.rows(v, v + 1).fill(0f);
            zGradient.rows(v, v + 1).fill(0f);
            scoreGradients(count, own.ofHeads, coefficients, gradients);
            spreadScores(
                edges, z, vectors.address(), v, ends, worker, gradients, zGradient, products);
          }
        },
        held(
            edges,
            ends,
            edges.csr().columns(),
            z.data(),
            vectors,
            alpha.data(),
            t.data(),
            g.data(),
            zGradient.data(),
            products.data()));
  }

  /// Gradients of coefficients before dropout, weights, and the sum of their products.
  private void keep(Scratch own, int part, float scale) {
    for (int k = 0; k < part; k++) {
      for (int h = 0; h < heads; h++) {
        int at = k * layout.stride() + h;
        float alpha = own.numbers[at];
        float kept = alpha < 0 ? 0f : own.gradients[at] * scale;
        own.gradients[at] = kept;
        own.ofHeads[h] += Math.abs(alpha) * kept;
        own.numbers[at] = alpha < 0 ? 0f : alpha * scale;
      }
    }
  }

  /// The backward pass of a target's softmax, in place.
  ///
  /// @param count edges of the target
  /// @param means of each head
  private void scoreGradients(long count, float[] means, long coefficients, long gradients) {
    for (long k = 0; k < count; k++) {
      for (int h = 0; h < heads; h++) {
        float alpha = Math.abs(get(coefficients + (k * heads + h) * Float.BYTES));
        long at = gradients + ((2 * k + 1) * heads + h) * Float.BYTES;
        set(at, alpha * (get(at) - means[h]));
      }
    }
  }

  /// Adds the gradients of a target's scores to those of its `z` and of `a`.
  private void spreadScores(
      EdgePattern edges,
      DenseMatrix z,
      long a,
      long v,
      Ends ends,
      int worker,
      long gradients,
      DenseMatrix zGradient,
      DenseMatrix products) {
    long first = edges.csr().rowPointer(v);
    long count = edges.csr().rowPointer(v + 1) - first;
    long row = z.data().address() + z.offset(v);
    long toZ = zGradient.data().address() + zGradient.offset(v);
    long toVectors = products.data().address() + products.offset(v);
    for (long k = 0; k < count; k++) {
      long source = z.data().address() + z.offset(edges.csr().column(first + k));
      long target = ends.of(worker, first + k, row);
      for (int h = 0; h < heads; h++) {
        long part = (long) h * width * Float.BYTES;
        float gradient = get(gradients + ((2 * k + 1) * heads + h) * Float.BYTES);
        addScore(source + part, target + part, a + part, gradient, toZ + part, width);
        addProduct(source + part, target + part, gradient, toVectors + part, width);
      }
    }
  }

  /// `to += gradient a leaky'(u + v)`.
  private static void addScore(long u, long v, long a, float gradient, long to, int width) {
    FloatVector factor = FloatVector.broadcast(SPECIES, gradient);
    for (int j = 0; j < width; j += LANES) {
      VectorMask<Float> inside = SPECIES.indexInRange(j, width);
      store(slope(u, v, a, j, inside).fma(factor, load(to, j, inside)), to, j, inside);
    }
  }

  /// `a leaky'(u + v)`.
  private static FloatVector slope(long u, long v, long a, int j, VectorMask<Float> inside) {
    FloatVector x = load(u, j, inside).add(load(v, j, inside));
    FloatVector slope = load(a, j, inside);
    return slope.blend(slope.mul(Attention.SLOPE), x.compare(VectorOperators.LT, 0f));
  }

  /// `to += gradient leaky(u + v)`.
  private static void addProduct(long u, long v, float gradient, long to, int width) {
    FloatVector factor = FloatVector.broadcast(SPECIES, gradient);
    for (int j = 0; j < width; j += LANES) {
      VectorMask<Float> inside = SPECIES.indexInRange(j, width);
      FloatVector x = load(u, j, inside).add(load(v, j, inside));
      x = x.blend(x.mul(Attention.SLOPE), x.compare(VectorOperators.LT, 0f));
      store(x.fma(factor, load(to, j, inside)), to, j, inside);
    }
  }

  /// Computes the gradients of `z` of all sources, through sums and scores.
  ///
  /// @param edges as in the forward pass
  /// @param transposed the same by source; borrowed
  /// @param z `sources x K D`
  /// @param vectors as in the forward pass
  /// @param t `targets x K D`, the gradient of `y`
  /// @param g as written by [#targetGradients]
  /// @param zGradient `sources x K D`, as left by [#targetGradients]: added to in the rows of
  ///   targets, the rest is overwritten
  /// @param workers threads that share the work
  /// @throws IllegalArgumentException if a shape does not fit
  public void sourceGradients(
      EdgePattern edges,
      EdgePattern.Transposed transposed,
      DenseMatrix z,
      MemorySegment vectors,
      DenseMatrix t,
      DenseMatrix g,
      DenseMatrix zGradient,
      Workers workers) {
    CsrMatrix out = transposed.csr();
    long targets = out.cols();
    Attention.require("z", z, out.rows(), heads * width);
    Attention.require("g", g, out.nnz(), 2 * heads);
    Attention.require("t", t, targets, heads * width);
    Attention.require("gradient of z", zGradient, out.rows(), heads * width);
    RowTasks tasks = transposed.tasks();
    Ends ends = new Ends(edges, workers);
    long a = vectors.address();
    workers.run(
        tasks.count(),
        (task, worker) -> {
          for (long u = tasks.first(task); u < tasks.first(task + 1); u++) {
            if (u >= targets) {
              zGradient.rows(u, u + 1).fill(0f);
            }
            long row = z.data().address() + z.offset(u);
            long to = zGradient.data().address() + zGradient.offset(u);
            for (long k = out.rowPointer(u); k < out.rowPointer(u + 1); k++) {
              long v = out.column(k);
              long source = ends.of(worker, transposed.edge(k), row);
              long target = z.data().address() + z.offset(v);
              long above = t.data().address() + t.offset(v);
              long numbers = g.data().address() + g.offset(transposed.edge(k));
              for (int h = 0; h < heads; h++) {
                long part = (long) h * width * Float.BYTES;
                float weight = get(numbers + (long) h * Float.BYTES);
                float gradient = get(numbers + (long) (heads + h) * Float.BYTES);
                addWeighted(above + part, weight, to + part, width);
                addScore(source + part, target + part, a + part, gradient, to + part, width);
              }
            }
          }
        },
        held(edges, ends, out.columns(), z.data(), vectors, t.data(), g.data(), zGradient.data()));
  }

  /// Computes the gradient of `W_e`: `sum over the edges of x[uv] (g[uv] a (.) leaky'[uv])^T`.
  ///
  /// @param edges as in the forward pass, with terms
  /// @param z `sources x K D`
  /// @param vectors as in the forward pass
  /// @param g as written by [#targetGradients]
  /// @param gradient `d x K D`, overwritten
  /// @param workers threads that share the work
  /// @throws IllegalArgumentException if a shape does not fit, or edges have no terms
  public void termGradient(
      EdgePattern edges,
      DenseMatrix z,
      MemorySegment vectors,
      DenseMatrix g,
      DenseMatrix gradient,
      Workers workers) {
    EdgeTerms terms = edges.requireTerms("attention");
    Attention.require("z", z, edges.sources(), heads * width);
    Attention.require("g", g, edges.count(), 2 * heads);
    Ends ends = new Ends(edges, workers);
    long a = vectors.address();
    terms.weightGradient(
        edges,
        (worker, v, e, to) -> {
          long target = ends.of(worker, e, z.data().address() + z.offset(v));
          long source = z.data().address() + z.offset(edges.csr().column(e));
          long slopes = g.data().address() + g.offset(e) + (long) heads * Float.BYTES;
          for (int h = 0; h < heads; h++) {
            long part = (long) h * width * Float.BYTES;
            float factor = get(slopes + (long) h * Float.BYTES);
            for (int j = 0; j < width; j += LANES) {
              VectorMask<Float> inside = SPECIES.indexInRange(j, width);
              FloatVector gradientOfTerm =
                  slope(source + part, target + part, a + part, j, inside).mul(factor);
              store(gradientOfTerm, to + part, j, inside);
            }
          }
          return true;
        },
        gradient,
        workers,
        held(edges, ends, edges.csr().columns(), z.data(), vectors, g.data()));
  }

  /// The memory of a kernel, with that of terms of edges.
  private static @Nullable MemorySegment[] held(
      EdgePattern edges, Ends ends, MemorySegment... ofKernel) {
    EdgeTerms terms = edges.terms();
    @Nullable MemorySegment[] all = Arrays.copyOf(ofKernel, ofKernel.length + 2);
    all[ofKernel.length] = terms == null ? null : terms.memory();
    all[ofKernel.length + 1] = ends.memory();
    return all;
  }

  /// `to += weight x`.
  private static void addWeighted(long x, float weight, long to, int width) {
    FloatVector factor = FloatVector.broadcast(SPECIES, weight);
    for (int j = 0; j < width; j += LANES) {
      VectorMask<Float> inside = SPECIES.indexInRange(j, width);
      store(load(x, j, inside).fma(factor, load(to, j, inside)), to, j, inside);
    }
  }

  private static FloatVector load(long address, int j, VectorMask<Float> inside) {
    long at = Memory.at(address + (long) j * Float.BYTES);
    return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at, ORDER, inside);
  }

  private static void store(FloatVector v, long address, int j, VectorMask<Float> inside) {
    v.intoMemorySegment(Memory.ALL, Memory.at(address + (long) j * Float.BYTES), ORDER, inside);
  }

  private static float get(long address) {
    return Memory.ALL.get(FLOAT, Memory.at(address));
  }

  private static void set(long address, float value) {
    Memory.ALL.set(FLOAT, Memory.at(address), value);
  }

  private void check(EdgePattern edges, DenseMatrix z, MemorySegment vectors, DenseMatrix alpha) {
    Attention.require("z", z, edges.sources(), heads * width);
    Attention.require("alpha", alpha, edges.count(), heads);
    Attention.require("vectors", vectors.byteSize(), (long) heads * width * Float.BYTES);
    EdgeTerms terms = edges.terms();
    if (terms != null) {
      terms.requireWidth(heads * width);
    }
  }
}
