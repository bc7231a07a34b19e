package dev.gossamer.matrix.attention;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.random.Philox;
import dev.gossamer.matrix.sparse.Sddmm;
import dev.gossamer.matrix.tile.RowTasks;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/// Graph attention over the edges of a pattern, with `K` heads of `D` columns each (MB, equation 2;
/// P. Velickovic et al., 2018): for an edge from `u` to `v` and each head
///
/// ```
/// alpha[uv] = softmax over the edges into v of leaky(<a_src, z[u]> + <a_dst, z[v]>)
/// y[v]      = sum over the edges into v of drop(alpha[uv]) z[u]
/// ```
///
/// where `leaky(s)` is `s`, or `0.2 s` if `s` is negative. A target without edges gets zeros. An
/// edge of weight `w` ([EdgePattern]) counts as `w` equal edges: its term in the softmax is `w
/// exp(..)`. If edges have scores of their own ([EdgePattern#withScores]), they are added to those
/// of the ends, within `leaky`; their gradients are those of the sums, [#targetGradients].
///
/// One pass over the targets computes scores, coefficients and sum of each target while its edges
/// are in cache. The backward pass reads the targets once, for the products `<t[v], z[u]>` (an
/// SDDMM) and the backward pass of the softmax, and the sources once. The order of each sum depends
/// only on its edges, so that results are bit-identical for any number of threads. No memory per
/// vertex or edge is allocated.
///
/// Coefficients are stored before dropout; a negative sign marks the dropped ones.
///
/// Cost: forward `nnz (4 K D + 12 K)` bytes read, `4 nnz K` written; backward about twice that.
/// Instances are immutable and safe to share.
public final class Attention {
  /// Slope of the scores' activation below 0.
  static final float SLOPE = 0.2f;

  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final int heads;
  private final int width;
  private final int stride;

  /// Creates attention with a number of heads.
  ///
  /// @param heads `K`, at most [Workers#SCRATCH_ELEMENTS]
  /// @param width `D`, columns of a head
  public Attention(int heads, int width) {
    requireHeads(heads, width);
    this.heads = heads;
    this.width = width;
    stride = new EdgeNumbers(heads).stride();
  }

  /// Returns an epilogue that computes the scores of vertices, `e = [<a_src, z>, <a_dst, z>]` head
  /// by head, as the last step of the kernel that computes `z`, which it does not change.
  ///
  /// @param vectors `float32[2 K D]`: `a_src` of each head, then `a_dst`
  /// @param e `rows of z x 2 K`, overwritten where rows of `z` are finished
  /// @return a step for that kernel
  public RowEpilogue scores(MemorySegment vectors, DenseMatrix e) {
    require("vectors", vectors.byteSize(), 2L * heads * width * Float.BYTES);
    return RowEpilogue.over(
        (z, begin, end) -> {
          require("scores", e, z.rows(), 2 * heads);
          require("z", z, z.rows(), heads * width);
          long a = vectors.address();
          float[] partial = new float[heads * LANES];
          for (long i = begin; i < end; i++) {
            long row = z.data().address() + z.offset(i);
            long to = e.data().address() + e.offset(i);
            Sddmm.heads(row, a, heads, width, to, partial);
            long half = (long) heads * Float.BYTES;
            Sddmm.heads(row, a + z.offset(1), heads, width, to + half, partial);
          }
        },
        vectors,
        e.data());
  }

  /// Computes coefficients and weighted sums of all targets, and then applies `epilogue` to each
  /// block of finished rows.
  ///
  /// @param edges borrowed
  /// @param z `sources x K D`
  /// @param e `sources x 2 K`, computed by [#scores]
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
      DenseMatrix e,
      DenseMatrix alpha,
      DenseMatrix y,
      @Nullable EdgeDropout dropout,
      RowIds sources,
      Workers workers,
      RowEpilogue epilogue) {
    check(edges, z, e, alpha);
    require("y", y, edges.targets(), heads * width);
    float scale = dropout == null ? 1f : dropout.scale();
    Philox[] generators = dropout == null ? new Philox[0] : dropout.generators(heads);
    HeadSpmm spmm = new HeadSpmm(heads, width, stride);
    EdgeSoftmax[] softmaxes = softmaxes(workers);
    RowTasks tasks = edges.tasks();
    workers.run(
        tasks.count(),
        (task, worker) -> {
          EdgeSoftmax softmax = softmaxes[worker];
          long[] words = new long[4 * Philox.SPECIES.length()];
          for (long v = tasks.first(task); v < tasks.first(task + 1); v++) {
            long count = turn(softmax, edges, v, e);
            long coefficients = alpha.data().address() + alpha.offset(edges.csr().rowPointer(v));
            softmax.begin(coefficients);
            for (long k = 0; k == 0 || k < count; k += softmax.block()) {
              int part = softmax.coefficients(coefficients, k);
              if (dropout != null) {
                long target = sources.id(v);
                float[] numbers = softmax.numbers();
                int[] ids = softmax.ids();
                dropout.mark(generators, heads, target, ids, sources, part, numbers, stride, words);
              }
              softmax.store(coefficients, k, part);
              if (dropout != null) {
                softmax.weigh(part, scale);
              }
              spmm.sum(
                  softmax.ids(),
                  softmax.numbers(),
                  part,
                  z.data().address(),
                  z.offset(1),
                  y.data().address() + y.offset(v),
                  k > 0);
            }
          }
          epilogue.apply(y, tasks.first(task), tasks.first(task + 1));
        },
        epilogue.with(
            edges.csr().columns(),
            edges.scoreMemory(),
            z.data(),
            e.data(),
            alpha.data(),
            y.data()));
  }

  /// Computes the gradients of the scores of edges, `g[uv]`, and of targets, `sum over u of g[uv]`.
  /// The coefficients of edges are stored next to their gradients, so that [#sourceGradients],
  /// which accesses edges in random order, reads a single position for each.
  ///
  /// @param edges borrowed
  /// @param z `sources x K D`
  /// @param e `sources x 2 K`, as in the forward pass
  /// @param alpha `edges x K`, as written by the forward pass
  /// @param t `targets x K D`, the gradient of `y`
  /// @param scale factor of kept coefficients in dropout; 1 without dropout
  /// @param g `edges x 2 K`, overwritten: `drop(alpha[uv])` of each head, and then `g[uv]`
  /// @param eGradient `sources x 2 K`: the second half of each target's row is overwritten
  /// @param workers threads that share the work
  /// @throws IllegalArgumentException if a shape does not fit
  public void targetGradients(
      EdgePattern edges,
      DenseMatrix z,
      DenseMatrix e,
      DenseMatrix alpha,
      DenseMatrix t,
      float scale,
      DenseMatrix g,
      DenseMatrix eGradient,
      Workers workers) {
    check(edges, z, e, alpha);
    require("t", t, edges.targets(), heads * width);
    require("g", g, edges.count(), 2 * heads);
    require("gradient of the scores", eGradient, edges.sources(), 2 * heads);
    RowTasks tasks = edges.tasks();
    EdgeSoftmax[] softmaxes = softmaxes(workers);
    long half = (long) heads * Float.BYTES;
    workers.run(
        tasks.count(),
        (task, worker) -> {
          EdgeSoftmax softmax = softmaxes[worker];
          float[] partial = workers.scratchFloats(worker);
          for (long v = tasks.first(task); v < tasks.first(task + 1); v++) {
            long count = turn(softmax, edges, v, e);
            long first = edges.csr().rowPointer(v);
            long coefficients = alpha.data().address() + alpha.offset(first);
            long gradients = g.data().address() + g.offset(first);
            softmax.beginBackward();
            for (long k = 0; k < count; k += softmax.block()) {
              int part = softmax.ids(k);
              Sddmm.row(
                  t.data().address() + t.offset(v),
                  softmax.ids(),
                  part,
                  z.data().address(),
                  z.offset(1),
                  heads,
                  width,
                  stride,
                  softmax.gradients(),
                  partial);
              softmax.keep(coefficients, k, part, scale, gradients);
            }
            long to = eGradient.data().address() + eGradient.offset(v) + half;
            softmax.finishBackward(coefficients, scale, gradients, to);
          }
        },
        edges.csr().columns(),
        edges.scoreMemory(),
        z.data(),
        e.data(),
        alpha.data(),
        t.data(),
        g.data(),
        eGradient.data());
  }

  private EdgeSoftmax[] softmaxes(Workers workers) {
    EdgeSoftmax[] softmaxes = new EdgeSoftmax[workers.threads()];
    Arrays.setAll(softmaxes, i -> new EdgeSoftmax(heads));
    return softmaxes;
  }

  /// Turns to a target.
  ///
  /// @return its edges
  private long turn(EdgeSoftmax softmax, EdgePattern edges, long v, DenseMatrix e) {
    long first = edges.csr().rowPointer(v);
    long count = edges.csr().rowPointer(v + 1) - first;
    long columns = edges.csr().columns().address() + first * Integer.BYTES;
    long own = e.data().address() + e.offset(v) + (long) heads * Float.BYTES;
    softmax.target(
        columns,
        edges.logWeights(first),
        edges.scores(first),
        count,
        e.data().address(),
        e.offset(1),
        own);
    return count;
  }

  /// Computes the gradients of all sources: of their scores, `sum over v of g[uv]`, and of `z`,
  /// through sums and scores.
  ///
  /// @param edges the transpose of the pattern; borrowed
  /// @param t `targets x K D`, the gradient of `y`
  /// @param g as written by [#targetGradients]
  /// @param vectors as in [#scores]
  /// @param eGradient `sources x 2 K`, as written by [#targetGradients]; the rest is overwritten
  /// @param zGradient `sources x K D`, overwritten
  /// @param workers threads that share the work
  /// @throws IllegalArgumentException if a shape does not fit
  public void sourceGradients(
      EdgePattern.Transposed edges,
      DenseMatrix t,
      DenseMatrix g,
      MemorySegment vectors,
      DenseMatrix eGradient,
      DenseMatrix zGradient,
      Workers workers) {
    require("g", g, edges.csr().nnz(), 2 * heads);
    require("t", t, edges.csr().cols(), heads * width);
    require("gradient of the scores", eGradient, edges.csr().rows(), 2 * heads);
    require("gradient of z", zGradient, edges.csr().rows(), heads * width);
    require("vectors", vectors.byteSize(), 2L * heads * width * Float.BYTES);
    RowTasks tasks = edges.tasks();
    EdgeSums[] sums = new EdgeSums[workers.threads()];
    Arrays.setAll(sums, i -> new EdgeSums(2 * heads));
    HeadSpmm spmm = new HeadSpmm(heads, width, sums[0].stride());
    long half = (long) heads * Float.BYTES;
    workers.run(
        tasks.count(),
        (task, worker) -> {
          EdgeSums sum = sums[worker];
          int[] targets = workers.scratchInts(worker);
          for (long u = tasks.first(task); u < tasks.first(task + 1); u++) {
            long first = edges.csr().rowPointer(u);
            long count = edges.csr().rowPointer(u + 1) - first;
            long to = zGradient.data().address() + zGradient.offset(u);
            long scores = eGradient.data().address() + eGradient.offset(u);
            sum.begin();
            for (long k = 0; k == 0 || k < count; k += sum.block()) {
              int part = (int) Math.min(sum.block(), count - k);
              long at = (first + k) * Integer.BYTES;
              MemorySegment.copy(edges.csr().columns(), INT, at, targets, 0, part);
              sum.add(edges, first + k, part, g);
              spmm.sum(targets, sum.numbers(), part, t.data().address(), t.offset(1), to, k > 0);
            }
            sum.store(heads, heads, scores);
            if (u >= edges.csr().cols()) {
              eGradient.data().asSlice(eGradient.offset(u) + half, half).fill((byte) 0);
            }
            addOuter(scores, vectors.address(), to);
          }
        },
        vectors,
        t.data(),
        g.data(),
        eGradient.data(),
        zGradient.data());
  }

  /// Returns an epilogue that computes the mean of the heads, as the last step of [#forward]:
  /// `to[v] = sum over h of y[v][h] / K`.
  ///
  /// @param to `targets x D`, overwritten where rows of `y` are finished
  /// @return a step for [#forward]
  public RowEpilogue mean(DenseMatrix to) {
    require("mean", to, to.rows(), width);
    float share = 1f / heads;
    return RowEpilogue.over(
        (y, begin, end) -> {
          require("y", y, to.rows(), heads * width);
          for (long v = begin; v < end; v++) {
            for (int j = 0; j < width; j += LANES) {
              VectorMask<Float> inside = SPECIES.indexInRange(j, width);
              long at = y.data().address() + y.offset(v) + (long) j * Float.BYTES;
              FloatVector sum = FloatVector.zero(SPECIES);
              for (int h = 0; h < heads; h++) {
                long from = Memory.at(at + (long) h * width * Float.BYTES);
                sum =
                    sum.add(
                        FloatVector.fromMemorySegment(SPECIES, Memory.ALL, from, ORDER, inside));
              }
              long target = to.data().address() + to.offset(v) + (long) j * Float.BYTES;
              sum.mul(share).intoMemorySegment(Memory.ALL, Memory.at(target), ORDER, inside);
            }
          }
        },
        to.data());
  }

  /// Returns an epilogue that computes the mean of the heads, and then applies another to it.
  ///
  /// @param sigma applied to finished rows of `output`
  /// @param output `targets x D`, overwritten where rows of `y` are finished
  /// @return a step for [#forward]
  public RowEpilogue meanThen(RowEpilogue sigma, DenseMatrix output) {
    RowEpilogue mean = mean(output);
    return (y, begin, end) -> {
      mean.apply(y, begin, end);
      sigma.apply(output, begin, end);
    };
  }

  /// Computes the backward pass of [#mean]: `wide[v][h] = t[v] / K`.
  ///
  /// @param t `targets x D`
  /// @param wide `targets x K D`, overwritten
  /// @param workers threads that share the work
  public void spread(DenseMatrix t, DenseMatrix wide, Workers workers) {
    require("t", t, wide.rows(), width);
    require("gradient of the sums", wide, t.rows(), heads * width);
    float share = 1f / heads;
    Epilogues.apply(
        RowEpilogue.over(
            (y, begin, end) -> {
              for (long v = begin; v < end; v++) {
                for (int j = 0; j < width; j += LANES) {
                  VectorMask<Float> inside = SPECIES.indexInRange(j, width);
                  long from = t.data().address() + t.offset(v) + (long) j * Float.BYTES;
                  FloatVector part =
                      FloatVector.fromMemorySegment(
                              SPECIES, Memory.ALL, Memory.at(from), ORDER, inside)
                          .mul(share);
                  long at = y.data().address() + y.offset(v) + (long) j * Float.BYTES;
                  for (int h = 0; h < heads; h++) {
                    long to = Memory.at(at + (long) h * width * Float.BYTES);
                    part.intoMemorySegment(Memory.ALL, to, ORDER, inside);
                  }
                }
              }
            },
            t.data()),
        wide,
        workers);
  }

  /// Selects, from the products of each of `2 K` vectors with all heads, those with the vector's
  /// own head.
  ///
  /// @param products `2 K x K D`
  /// @param own `2 K x D`, overwritten
  public void ownHeads(DenseMatrix products, DenseMatrix own) {
    require("products", products, 2L * heads, heads * width);
    require("own heads", own, 2L * heads, width);
    for (int i = 0; i < 2 * heads; i++) {
      long from = products.offset(i) + (long) (i % heads) * width * Float.BYTES;
      MemorySegment.copy(products.data(), from, own.data(), own.offset(i), own.offset(1));
    }
  }

  /// `dz[h] += de_src[h] a_src[h] + de_dst[h] a_dst[h]` for one vertex.
  private void addOuter(long scores, long vectors, long to) {
    long second = (long) heads * width * Float.BYTES;
    for (int h = 0; h < heads; h++) {
      float left = Memory.ALL.get(FLOAT, Memory.at(scores + (long) h * Float.BYTES));
      float right = Memory.ALL.get(FLOAT, Memory.at(scores + (long) (heads + h) * Float.BYTES));
      FloatVector ofSource = FloatVector.broadcast(SPECIES, left);
      FloatVector ofTarget = FloatVector.broadcast(SPECIES, right);
      for (int j = 0; j < width; j += LANES) {
        VectorMask<Float> inside = SPECIES.indexInRange(j, width);
        long at = ((long) h * width + j) * Float.BYTES;
        FloatVector sum =
            FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(to + at), ORDER, inside);
        sum =
            ofSource.fma(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(vectors + at), ORDER, inside),
                sum);
        ofTarget
            .fma(
                FloatVector.fromMemorySegment(
                    SPECIES, Memory.ALL, Memory.at(vectors + second + at), ORDER, inside),
                sum)
            .intoMemorySegment(Memory.ALL, Memory.at(to + at), ORDER, inside);
      }
    }
  }

  private void check(EdgePattern edges, DenseMatrix z, DenseMatrix e, DenseMatrix alpha) {
    require("z", z, edges.sources(), heads * width);
    require("scores", e, edges.sources(), 2 * heads);
    require("alpha", alpha, edges.count(), heads);
    edges.requireScores(heads);
  }

  /// Checks heads and their columns.
  static void requireHeads(int heads, int width) {
    if (heads < 1 || heads > Workers.SCRATCH_ELEMENTS || width < 1) {
      throw new IllegalArgumentException(
          "attention: expected 1 to %d heads of at least 1 column, found %d of %d"
              .formatted(Workers.SCRATCH_ELEMENTS, heads, width));
    }
  }

  static void require(String what, DenseMatrix x, long rows, int cols) {
    if (x.rows() != rows || x.cols() != cols || !x.data().isNative()) {
      throw new IllegalArgumentException(
          "attention: %s is %s; expected %d x %d off the heap".formatted(what, x, rows, cols));
    }
  }

  static void require(String what, long bytes, long expected) {
    if (bytes != expected) {
      throw new IllegalArgumentException(
          "attention: the %s have %d bytes; expected %d".formatted(what, bytes, expected));
    }
  }
}
