package dev.gossamer.matrix.attention;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.sparse.Sddmm;
import dev.gossamer.matrix.tile.RowTasks;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/// Sums over the edges of a pattern that belong to `R` relations, with weights decomposed in `B`
/// bases (M. Schlichtkrull et al., 2018, equations 2 and 3): for a target `v`
///
/// ```
/// w[b][uv] = sum over the relations r of the edge from u to v of a[r][b] / c[v][r]
/// y[v]    += sum over the edges into v of sum over b of w[b][uv] z[u][b]
/// ```
///
/// where `c[v][r]` is the number of edges into `v` that are in `r`, and `z[u][b]` one of the `B`
/// parts of `D` columns of a row. An edge is in one relation or in several: the value of its entry
/// in the pattern is the number of the set of its relations.
///
/// A pass over the targets counts their edges, computes weights and adds rows; backwards, one pass
/// goes over the targets, for the products `<t[v], z[u][b]>` (an SDDMM), and one over the sources.
/// The order of each sum depends only on the pattern, so that results are bit-identical for any
/// number of threads. No memory per vertex or edge is allocated.
///
/// Cost: forward `nnz (4 B D + 8)` bytes read, `4 nnz B` written; backward about twice that.
/// Instances are immutable and safe to share.
public final class RelationSums {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  /// The number of the empty set: the value of an edge that adds nothing and is not counted.
  public static final int NONE = -1;

  /// Parts of the targets, each with sums of its own.
  private static final int PARTS = 128;

  /// Edges whose products are computed one basis after the other: their rows stay in the cache.
  private static final int BLOCK = 128;

  private final long[] sets;
  private final int relations;
  private final int bases;
  private final int width;

  /// Creates sums.
  ///
  /// @param sets the relations of an edge, a bit for each, by the value of its entry
  /// @param relations `R`, at most 64
  /// @param bases `B`
  /// @param width `D`, columns of a basis
  public RelationSums(List<Long> sets, int relations, int bases, int width) {
    if (relations < 1 || relations > Long.SIZE || bases < 1 || width < 1) {
      throw new IllegalArgumentException(
          "relations: expected 1 to %d, a basis and a column, found %d, %d and %d"
              .formatted(Long.SIZE, relations, bases, width));
    }
    this.sets = RelationCounts.array(sets);
    this.relations = relations;
    this.bases = bases;
    this.width = width;
  }

  /// What a thread knows of the edges of a target.
  private final class Target {
    private final float[] shares = new float[relations * bases];
    private final float[] weights = new float[bases];
    private final RelationCounts edges;

    Target(CsrMatrix csr) {
      edges = new RelationCounts(csr, sets, relations);
    }

    /// Divides the coefficients by the numbers of edges.
    void divide(long coefficients) {
      for (int r = 0; r < relations; r++) {
        for (int b = 0; b < bases && edges.count(r) > 0; b++) {
          int at = r * bases + b;
          shares[at] = get(coefficients + (long) at * Float.BYTES) / edges.count(r);
        }
      }
    }

    /// Adds up the weights of an edge in each basis.
    void weigh(long relationsOfEdge) {
      Arrays.fill(weights, 0f);
      for (long set = relationsOfEdge; set != 0; set &= set - 1) {
        int from = Long.numberOfTrailingZeros(set) * bases;
        for (int b = 0; b < bases; b++) {
          weights[b] += shares[from + b];
        }
      }
    }
  }

  /// Computes the weights of all edges, adds the weighted rows of sources to those of their
  /// targets, and then applies `epilogue` to each block of finished rows.
  ///
  /// @param edges with the number of a set as the value of each entry; borrowed
  /// @param z `sources x B D`
  /// @param coefficients `float32[R B]`, row-major: `a`
  /// @param weights `edges x B`, overwritten: for the backward pass
  /// @param y `targets x D`, added to; shares no memory with `z`
  /// @param workers threads that share the work
  /// @param epilogue applied to finished rows of `y`
  /// @throws IllegalArgumentException if a shape does not fit
  public void forward(
      EdgePattern edges,
      DenseMatrix z,
      MemorySegment coefficients,
      DenseMatrix weights,
      DenseMatrix y,
      Workers workers,
      RowEpilogue epilogue) {
    check(edges, z, coefficients);
    Attention.require("weights", weights, edges.count(), bases);
    Attention.require("y", y, edges.targets(), width);
    RowTasks tasks = edges.tasks();
    Target[] targets = targets(edges, workers);
    workers.run(
        tasks.count(),
        (task, worker) -> {
          Target target = targets[worker];
          for (long v = tasks.first(task); v < tasks.first(task + 1); v++) {
            target.edges.turn(v);
            target.divide(coefficients.address());
            long to = y.data().address() + y.offset(v);
            long last = -1;
            for (long e = target.edges.first(); e < target.edges.end(); e++) {
              long set = target.edges.set(e);
              if (e == target.edges.first() || set != last) {
                target.weigh(set);
                last = set;
              }
              store(target.weights, weights.data().address() + weights.offset(e));
              add(z.data().address() + z.offset(edges.csr().column(e)), target.weights, to, width);
            }
          }
          epilogue.apply(y, tasks.first(task), tasks.first(task + 1));
        },
        epilogue.with(edges.csr().columns(), z.data(), coefficients, weights.data(), y.data()));
  }

  /// Computes the gradient of the coefficients: `sum over the edges uv in r of <t[v], z[u][b]> /
  /// c[v][r]`, in float64.
  ///
  /// @param edges as in the forward pass
  /// @param z `sources x B D`
  /// @param t `targets x D`, the gradient of `y`
  /// @param gradient `float32[R B]`, overwritten
  /// @param workers threads that share the work
  /// @throws IllegalArgumentException if a shape does not fit
  public void coefficientGradient(
      EdgePattern edges, DenseMatrix z, DenseMatrix t, MemorySegment gradient, Workers workers) {
    check(edges, z, gradient);
    Attention.require("t", t, edges.targets(), width);
    RowTasks tasks = edges.tasks();
    RelationCounts[] targets = RelationCounts.of(edges, sets, relations, workers);
    int parts = Math.min(PARTS, tasks.count());
    double[][] sums = new double[parts][relations * bases];
    workers.run(
        parts,
        (part, worker) -> {
          int[] ids = workers.scratchInts(worker);
          float[] partial = workers.scratchFloats(worker);
          float[] products = new float[BLOCK + LANES];
          int end = (int) ((part + 1L) * tasks.count() / parts);
          for (int task = (int) ((long) part * tasks.count() / parts); task < end; task++) {
            for (long v = tasks.first(task); v < tasks.first(task + 1); v++) {
              targets[worker].turn(v);
              long row = t.data().address() + t.offset(v);
              addProducts(edges, targets[worker], row, z, ids, products, partial, sums[part]);
            }
          }
        },
        edges.csr().columns(),
        z.data(),
        t.data());
    for (int i = 0; i < relations * bases; i++) {
      double sum = 0;
      for (double[] part : sums) {
        sum += part[i];
      }
      gradient.set(FLOAT, (long) i * Float.BYTES, (float) sum);
    }
  }

  /// What the edges of a target add to the gradient.
  ///
  /// @param t address of the target's row
  private void addProducts(
      EdgePattern edges,
      RelationCounts target,
      long t,
      DenseMatrix z,
      int[] ids,
      float[] products,
      float[] partial,
      double[] sums) {
    for (long from = target.first(); from < target.end(); from += BLOCK) {
      int count = (int) Math.min(BLOCK, target.end() - from);
      for (int k = 0; k < count; k++) {
        ids[k] = edges.csr().column(from + k);
      }
      for (int b = 0; b < bases; b++) {
        long part = z.data().address() + (long) b * width * Float.BYTES;
        Sddmm.row(t, ids, count, part, z.offset(1), 1, width, 1, products, partial);
        for (int k = 0; k < count; k++) {
          for (long set = target.set(from + k); set != 0; set &= set - 1) {
            int r = Long.numberOfTrailingZeros(set);
            sums[r * bases + b] += (double) products[k] / target.count(r);
          }
        }
      }
    }
  }

  /// Computes the gradient of all sources: `dz[u][b] = sum over the edges out of u of w[b][uv]
  /// t[v]`.
  ///
  /// @param edges the transpose of the pattern; borrowed
  /// @param t `targets x D`, the gradient of `y`
  /// @param weights `edges x B`, as written by the forward pass
  /// @param gradient `sources x B D`, overwritten
  /// @param workers threads that share the work
  /// @throws IllegalArgumentException if a shape does not fit
  public void sourceGradients(
      EdgePattern.Transposed edges,
      DenseMatrix t,
      DenseMatrix weights,
      DenseMatrix gradient,
      Workers workers) {
    CsrMatrix csr = edges.csr();
    Attention.require("t", t, csr.cols(), width);
    Attention.require("weights", weights, csr.nnz(), bases);
    Attention.require("gradient of z", gradient, csr.rows(), bases * width);
    RowTasks tasks = edges.tasks();
    workers.run(
        tasks.count(),
        (task, _) -> {
          gradient.rows(tasks.first(task), tasks.first(task + 1)).fill(0f);
          for (long u = tasks.first(task); u < tasks.first(task + 1); u++) {
            long to = gradient.data().address() + gradient.offset(u);
            for (long k = csr.rowPointer(u); k < csr.rowPointer(u + 1); k++) {
              long from = t.data().address() + t.offset(csr.column(k));
              long numbers = weights.data().address() + weights.offset(edges.edge(k));
              for (int b = 0; b < bases; b++) {
                float weight = get(numbers + (long) b * Float.BYTES);
                addWeighted(from, weight, to + (long) b * width * Float.BYTES, width);
              }
            }
          }
        },
        csr.columns(),
        t.data(),
        weights.data(),
        gradient.data());
  }

  private Target[] targets(EdgePattern edges, Workers workers) {
    Target[] targets = new Target[workers.threads()];
    Arrays.setAll(targets, i -> new Target(edges.csr()));
    return targets;
  }

  /// `to += sum over b of weights[b] x[b]`.
  private static void add(long x, float[] weights, long to, int width) {
    int whole = SPECIES.loopBound(width);
    for (int j = 0; j < whole; j += LANES) {
      long column = (long) j * Float.BYTES;
      FloatVector sum =
          FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(to + column), ORDER);
      for (int b = 0; b < weights.length; b++) {
        long at = Memory.at(x + column + (long) b * width * Float.BYTES);
        sum =
            FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at, ORDER)
                .fma(FloatVector.broadcast(SPECIES, weights[b]), sum);
      }
      sum.intoMemorySegment(Memory.ALL, Memory.at(to + column), ORDER);
    }
    if (whole < width) {
      addRest(x, weights, to, width, whole);
    }
  }

  private static void addRest(long x, float[] weights, long to, int width, int j) {
    VectorMask<Float> inside = SPECIES.indexInRange(j, width);
    FloatVector sum = load(to, j, inside);
    for (int b = 0; b < weights.length; b++) {
      sum =
          load(x + (long) b * width * Float.BYTES, j, inside)
              .fma(FloatVector.broadcast(SPECIES, weights[b]), sum);
    }
    store(sum, to, j, inside);
  }

  /// `to += weight x`.
  static void addWeighted(long x, float weight, long to, int width) {
    FloatVector factor = FloatVector.broadcast(SPECIES, weight);
    int whole = SPECIES.loopBound(width);
    for (int j = 0; j < whole; j += LANES) {
      long from = Memory.at(x + (long) j * Float.BYTES);
      long target = Memory.at(to + (long) j * Float.BYTES);
      FloatVector.fromMemorySegment(SPECIES, Memory.ALL, from, ORDER)
          .fma(factor, FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target, ORDER))
          .intoMemorySegment(Memory.ALL, target, ORDER);
    }
    if (whole < width) {
      VectorMask<Float> inside = SPECIES.indexInRange(whole, width);
      store(load(x, whole, inside).fma(factor, load(to, whole, inside)), to, whole, inside);
    }
  }

  private static FloatVector load(long address, int j, VectorMask<Float> inside) {
    long at = Memory.at(address + (long) j * Float.BYTES);
    return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, at, ORDER, inside);
  }

  private static void store(FloatVector v, long address, int j, VectorMask<Float> inside) {
    v.intoMemorySegment(Memory.ALL, Memory.at(address + (long) j * Float.BYTES), ORDER, inside);
  }

  private static void store(float[] numbers, long address) {
    MemorySegment.copy(numbers, 0, Memory.ALL, FLOAT, Memory.at(address), numbers.length);
  }

  private static float get(long address) {
    return Memory.ALL.get(FLOAT, Memory.at(address));
  }

  private void check(EdgePattern edges, DenseMatrix z, MemorySegment coefficients) {
    Attention.require("z", z, edges.sources(), bases * width);
    Attention.require(
        "coefficients", coefficients.byteSize(), (long) relations * bases * Float.BYTES);
    requireSets(edges);
  }

  static void requireSets(EdgePattern edges) {
    if (edges.csr().values() == null) {
      throw new IllegalArgumentException("relations: expected the set of each edge, found none");
    }
  }
}
