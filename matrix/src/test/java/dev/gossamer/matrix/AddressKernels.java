package dev.gossamer.matrix;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.attention.Attention;
import dev.gossamer.matrix.attention.CausalHeads;
import dev.gossamer.matrix.attention.EdgeMessages;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.attention.EdgeRows;
import dev.gossamer.matrix.attention.EdgeTerms;
import dev.gossamer.matrix.dense.AdamStep;
import dev.gossamer.matrix.dense.BatchNormalisation;
import dev.gossamer.matrix.dense.Elementwise;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.LayerNormalisation;
import dev.gossamer.matrix.dense.MagnitudeKeys;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.dense.MomentumStep;
import dev.gossamer.matrix.dense.OuterBlocks;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.dense.SquareSum;
import dev.gossamer.matrix.dense.StoredProducts;
import dev.gossamer.matrix.dense.Window;
import dev.gossamer.matrix.format.ColumnGather;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.format.StoredMatrix;
import dev.gossamer.matrix.sparse.BlockProducts;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.matrix.sparse.SparseProducts;
import dev.gossamer.matrix.sparse.Spgemm;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.matrix.sparse.SurvivorIndex;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/// Every kernel that goes by addresses, each operand in an arena of its own.
final class AddressKernels {
  private static final int K = 24;
  private static final int F = 16;
  private static final int HEADS = 2;

  private AddressKernels() {}

  /// An arena for each operand, one of which can be closed.
  static final class Operands {
    private final List<Arena> arenas = new ArrayList<>();
    private final int closable;

    /// @param closable number of the operand that can be closed
    Operands(int closable) {
      this.closable = closable;
    }

    Arena arena() {
      arenas.add(arenas.size() == closable ? Arena.ofShared() : Arena.ofAuto());
      return arenas.getLast();
    }

    int count() {
      return arenas.size();
    }

    Arena closable() {
      return arenas.get(closable);
    }

    MemorySegment bytes(long bytes) {
      return arena().allocate(bytes, DenseMatrix.ALIGNMENT);
    }

    MemorySegment floats(long count) {
      return bytes(count * Float.BYTES);
    }

    DenseMatrix dense(long rows, int cols) {
      return DenseMatrix.wrap(floats(rows * cols), rows, cols);
    }

    /// Two entries a row: the diagonal and the next column.
    CsrMatrix pattern(int n) {
      MemorySegment pointers = bytes((n + 1L) * Long.BYTES);
      MemorySegment columns = bytes(2L * n * Integer.BYTES);
      for (int i = 0; i < n; i++) {
        int first = Math.min(i, n - 2);
        columns.setAtIndex(ValueLayout.JAVA_INT, 2L * i, first);
        columns.setAtIndex(ValueLayout.JAVA_INT, 2L * i + 1, first + 1);
        pointers.setAtIndex(ValueLayout.JAVA_LONG, i + 1L, 2 * (i + 1L));
      }
      return CsrMatrix.wrap(n, n, pointers, columns, null);
    }

    CsrMatrix sparse(int n) {
      return pattern(n).withValues(floats(2L * n));
    }
  }

  /// Makes the operands of a call, which may be made more than once.
  @FunctionalInterface
  interface Kernel {
    Runnable on(Operands o, int n, Workers w);
  }

  static Map<String, Kernel> all() {
    Map<String, Kernel> all = new LinkedHashMap<>();
    dense(all);
    rows(all);
    images(all);
    formats(all);
    sparse(all);
    attention(all);
    return all;
  }

  private static void dense(Map<String, Kernel> all) {
    Matmul matmul = Matmul.java();
    all.put(
        "A B + bias",
        (o, n, w) -> {
          DenseMatrix a = o.dense(n, K);
          DenseMatrix b = o.dense(K, F);
          DenseMatrix c = o.dense(n, F);
          MemorySegment bias = o.floats(F);
          return () ->
              matmul.multiply(
                  a, b, c, w, Epilogues.inTurn(Epilogues.biasRelu(bias), Epilogues.relu()));
        });
    all.put(
        "A B^T",
        (o, n, w) -> {
          DenseMatrix a = o.dense(n, K);
          DenseMatrix b = o.dense(F, K);
          DenseMatrix c = o.dense(n, F);
          return () -> matmul.multiplyTransposed(a, b, c, w, RowEpilogue.NONE);
        });
    all.put(
        "A B^T masked",
        (o, n, w) -> {
          DenseMatrix a = o.dense(n, K);
          DenseMatrix b = o.dense(F, K);
          DenseMatrix c = o.dense(n, F);
          return () -> matmul.multiplyTransposedMasked(a, b, c, 2f, w);
        });
    all.put(
        "A^T B",
        (o, n, w) -> {
          DenseMatrix a = o.dense(n, K);
          DenseMatrix b = o.dense(n, F);
          DenseMatrix c = o.dense(K, F);
          return () -> matmul.transposedMultiply(a, b, c, w);
        });
    all.put(
        "A B in bfloat16",
        (o, n, w) -> {
          DenseMatrix a = o.dense(n, K);
          StoredMatrix b = new StoredMatrix(o.bytes(2L * K * F), K, F, NumberFormat.BF16);
          DenseMatrix c = o.dense(n, F);
          return () -> StoredProducts.multiply(a, b, c, w, RowEpilogue.NONE);
        });
    all.put(
        "A^T B in blocks",
        (o, n, w) -> {
          DenseMatrix a = o.dense(n, K);
          DenseMatrix b = o.dense(n, F);
          DenseMatrix c = o.dense(K, F);
          return () -> OuterBlocks.multiply(a, b, w, block -> block.addTo(c));
        });
    all.put(
        "bias alone",
        (o, n, w) -> {
          DenseMatrix y = o.dense(n, F);
          MemorySegment bias = o.floats(F);
          return () -> Epilogues.apply(Epilogues.bias(bias), y, w);
        });
    AdamStep adam = new AdamStep(0.9f, 0.999f, 0.1f, 0.001f, 1, 0, 1, 0.01f, 1, 1e-8f);
    all.put(
        "Adam",
        (o, n, w) -> {
          List<MemorySegment> s = IntStream.range(0, 4).mapToObj(i -> o.floats(n)).toList();
          return () -> adam.apply(s.get(0), s.get(1), s.get(2), s.get(3), 0, n);
        });
    all.put(
        "momentum",
        (o, n, w) -> {
          List<MemorySegment> s = IntStream.range(0, 3).mapToObj(i -> o.floats(n)).toList();
          return () -> new MomentumStep(0.1f, 0.9f, 1, 0).apply(s.get(0), s.get(1), s.get(2), 0, n);
        });
    all.put(
        "sum of squares",
        (o, n, w) -> {
          MemorySegment x = o.floats(n);
          return () -> SquareSum.of(x, w);
        });
    all.put(
        "magnitudes",
        (o, n, w) -> {
          MemorySegment x = o.floats(n);
          return () -> MagnitudeKeys.countAtLeast(x, 1);
        });
  }

  private static void rows(Map<String, Kernel> all) {
    all.put(
        "GELU gradient",
        (o, n, w) -> {
          DenseMatrix x = o.dense(n, F);
          DenseMatrix t = o.dense(n, F);
          DenseMatrix g = o.dense(n, F);
          return () -> Elementwise.geluGradient(x, t, g, w);
        });
    all.put(
        "y += x",
        (o, n, w) -> {
          MemorySegment y = o.floats(n);
          MemorySegment x = o.floats(n);
          return () -> Elementwise.addTo(y, x);
        });
    all.put(
        "layer normalisation",
        (o, n, w) -> {
          DenseMatrix x = o.dense(n, F);
          MemorySegment gain = o.floats(F);
          MemorySegment bias = o.floats(F);
          DenseMatrix y = o.dense(n, F);
          DenseMatrix moments = o.dense(n, 2);
          return () -> LayerNormalisation.forward(x, gain, bias, 1e-5f, y, moments, w);
        });
    all.put(
        "layer normalisation, gradients",
        (o, n, w) -> {
          DenseMatrix x = o.dense(n, F);
          MemorySegment gain = o.floats(F);
          DenseMatrix moments = o.dense(n, 2);
          DenseMatrix t = o.dense(n, F);
          DenseMatrix g = o.dense(n, F);
          DenseMatrix sums = o.dense(2, F);
          return () -> LayerNormalisation.backward(x, gain, moments, t, g, sums, w);
        });
    all.put(
        "moments of columns",
        (o, n, w) -> {
          DenseMatrix x = o.dense(n, F);
          DenseMatrix moments = o.dense(2, F);
          return () -> BatchNormalisation.moments(x, moments, w);
        });
    all.put(
        "batch normalisation",
        (o, n, w) -> {
          DenseMatrix x = o.dense(n, F);
          List<MemorySegment> s = IntStream.range(0, 4).mapToObj(i -> o.floats(F)).toList();
          DenseMatrix y = o.dense(n, F);
          return () ->
              BatchNormalisation.forward(x, s.get(0), s.get(1), s.get(2), s.get(3), 1e-5f, y, w);
        });
    all.put(
        "batch normalisation, gradients",
        (o, n, w) -> {
          DenseMatrix x = o.dense(n, F);
          DenseMatrix moments = o.dense(2, F);
          MemorySegment gain = o.floats(F);
          DenseMatrix t = o.dense(n, F);
          DenseMatrix g = o.dense(n, F);
          DenseMatrix sums = o.dense(2, F);
          return () -> BatchNormalisation.backward(x, moments, gain, 1e-5f, t, g, sums, w);
        });
  }

  private static void images(Map<String, Kernel> all) {
    all.put(
        "windows",
        (o, n, w) -> {
          Window window = new Window(n, 4, 3, 2, 2, 1, 0);
          DenseMatrix x = o.dense(4L * n, 3);
          DenseMatrix columns = o.dense((n - 1) * 3L, 12);
          return () -> window.gather(x, 0, n - 1, columns, w);
        });
    all.put(
        "windows, added back",
        (o, n, w) -> {
          Window window = new Window(n, 4, 3, 2, 2, 1, 0);
          DenseMatrix x = o.dense(4L * n, 3);
          DenseMatrix columns = o.dense((n - 1) * 3L, 12);
          return () -> window.scatter(columns, 0, n - 1, x, w);
        });
    all.put(
        "pooling",
        (o, n, w) -> {
          Window window = new Window(2 * n, 4, 3, 2, 2, 2, 0);
          DenseMatrix x = o.dense(8L * n, 3);
          DenseMatrix y = o.dense(2L * n, 3);
          return () -> window.max(x, y, w);
        });
    all.put(
        "pooling, gradients",
        (o, n, w) -> {
          Window window = new Window(2 * n, 4, 3, 2, 2, 2, 0);
          DenseMatrix x = o.dense(8L * n, 3);
          DenseMatrix y = o.dense(2L * n, 3);
          DenseMatrix t = o.dense(2L * n, 3);
          DenseMatrix g = o.dense(8L * n, 3);
          return () -> window.maxGradient(x, y, t, g, w);
        });
    all.put(
        "means of windows",
        (o, n, w) -> {
          Window window = new Window(2 * n, 4, 3, 2, 2, 2, 0);
          DenseMatrix x = o.dense(8L * n, 3);
          DenseMatrix y = o.dense(2L * n, 3);
          return () -> window.mean(x, y, w);
        });
    all.put(
        "means of windows, gradients",
        (o, n, w) -> {
          Window window = new Window(2 * n, 4, 3, 2, 2, 2, 0);
          DenseMatrix t = o.dense(2L * n, 3);
          DenseMatrix g = o.dense(8L * n, 3);
          return () -> window.meanGradient(t, g, w);
        });
  }

  private static void formats(Map<String, Kernel> all) {
    for (NumberFormat format : NumberFormat.values()) {
      all.put(
          "narrow to " + format,
          (o, n, w) -> {
            MemorySegment x = o.floats(n);
            MemorySegment to = o.bytes((long) n * format.bytes());
            return () -> format.narrow(x, to);
          });
      all.put(
          "widen from " + format,
          (o, n, w) -> {
            MemorySegment from = o.bytes((long) n * format.bytes());
            MemorySegment x = o.floats(n);
            return () -> format.widen(from, x);
          });
      all.put(
          "add from " + format,
          (o, n, w) -> {
            MemorySegment from = o.bytes((long) n * format.bytes());
            MemorySegment x = o.floats(n);
            return () -> format.addWidened(from, x);
          });
    }
    for (RowFormat format : RowFormat.values()) {
      all.put(
          "pack rows in " + format,
          (o, n, w) -> {
            DenseMatrix x = o.dense(n, F);
            MemorySegment to = o.bytes(format.bytes(n, F));
            int[] ids = IntStream.range(0, n).map(i -> n - 1 - i).toArray();
            return () -> format.pack(x, ids, to, w);
          });
      all.put(
          "unpack rows in " + format,
          (o, n, w) -> {
            MemorySegment from = o.bytes(format.bytes(n, F));
            DenseMatrix y = o.dense(n, F);
            int[] ids = IntStream.range(0, n).map(i -> n - 1 - i).toArray();
            return () -> format.unpack(from, y, ids, w);
          });
      all.put(
          "add rows in " + format,
          (o, n, w) -> {
            MemorySegment from = o.bytes(format.bytes(n, F));
            DenseMatrix y = o.dense(n, F);
            int[] ids = new int[n];
            return () -> format.scatterAdd(from, ids, y, w);
          });
    }
    all.put(
        "widen in place",
        (o, n, w) -> {
          DenseMatrix y = o.dense(n, F);
          return () -> RowFormat.BF16.unpackArrived(y, w);
        });
    all.put(
        "column ids",
        (o, n, w) -> {
          CsrMatrix a = o.pattern(n);
          long[] entries = new long[n];
          int[] to = new int[n];
          return () -> ColumnGather.gather(a, entries, n, to, 0);
        });
  }

  private static void sparse(Map<String, Kernel> all) {
    all.put(
        "sparse times dense",
        (o, n, w) -> {
          Spmm spmm = new Spmm(o.sparse(n));
          DenseMatrix x = o.dense(n, F);
          DenseMatrix y = o.dense(n, F);
          MemorySegment bias = o.floats(F);
          return () -> spmm.multiply(x, y, w, Epilogues.bias(bias));
        });
    all.put(
        "sparse times sparse",
        (o, n, w) -> {
          CsrMatrix a = o.sparse(n);
          CsrMatrix b = o.sparse(n);
          Spgemm spgemm = new Spgemm(b);
          return () -> {
            try (Arena arena = Arena.ofShared()) {
              spgemm.multiply(arena, a, w);
            }
          };
        });
    BitSet third = new BitSet();
    IntStream.range(0, K * F / 3).forEach(i -> third.set(3 * i));
    all.put(
        "X W, sparse W",
        (o, n, w) -> {
          SparseProducts products = new SparseProducts(o.arena(), K, F, third);
          DenseMatrix x = o.dense(n, K);
          DenseMatrix y = o.dense(n, F);
          MemorySegment bias = o.floats(F);
          MemorySegment values = o.floats(third.cardinality());
          return () -> products.multiply(values, x, y, w, Epilogues.bias(bias));
        });
    all.put(
        "X W^T, sparse W",
        (o, n, w) -> {
          SparseProducts products = new SparseProducts(o.arena(), K, F, third);
          DenseMatrix x = o.dense(n, F);
          DenseMatrix y = o.dense(n, K);
          MemorySegment values = o.floats(third.cardinality());
          return () -> products.multiplyTransposed(values, x, y, w, RowEpilogue.NONE);
        });
    all.put(
        "X^T T at nonzeros",
        (o, n, w) -> {
          SparseProducts products = new SparseProducts(o.arena(), K, F, third);
          DenseMatrix x = o.dense(n, K);
          DenseMatrix t = o.dense(n, F);
          MemorySegment gradient = o.floats(third.cardinality());
          return () -> products.addOuter(x, t, gradient, w);
        });
    BitSet halves = new BitSet();
    IntStream.range(0, K * F).filter(e -> e % F / BlockProducts.SIDE % 2 == 0).forEach(halves::set);
    all.put(
        "X W, W in blocks",
        (o, n, w) -> {
          BlockProducts products = new BlockProducts(o.arena(), K, F, halves);
          DenseMatrix x = o.dense(n, K);
          DenseMatrix y = o.dense(n, F);
          MemorySegment bias = o.floats(F);
          MemorySegment values = o.floats(halves.cardinality());
          return () -> products.multiply(values, x, y, w, Epilogues.bias(bias));
        });
    all.put(
        "X W^T, W in blocks",
        (o, n, w) -> {
          BlockProducts products = new BlockProducts(o.arena(), K, F, halves);
          DenseMatrix x = o.dense(n, F);
          DenseMatrix y = o.dense(n, K);
          MemorySegment values = o.floats(halves.cardinality());
          return () -> products.multiplyTransposed(values, x, y, w, RowEpilogue.NONE);
        });
    all.put(
        "X^T T in blocks",
        (o, n, w) -> {
          BlockProducts products = new BlockProducts(o.arena(), K, F, halves);
          DenseMatrix x = o.dense(n, K);
          DenseMatrix t = o.dense(n, F);
          MemorySegment gradient = o.floats(halves.cardinality());
          return () -> products.addOuter(x, t, gradient, w);
        });
    for (IndexKind kind : IndexKind.values()) {
      survivors(all, kind);
    }
  }

  private static void survivors(Map<String, Kernel> all, IndexKind kind) {
    all.put(
        "compress by " + kind,
        (o, n, w) -> {
          BitSet kept = every(3, n);
          SurvivorIndex index = SurvivorIndex.of(o.arena(), kind, n, kept);
          MemorySegment values = o.floats(n);
          MemorySegment compressed = o.floats(kept.cardinality());
          return () -> index.compress(0, n, values, compressed);
        });
    all.put(
        "add a block by " + kind,
        (o, n, w) -> {
          BitSet kept = every(3, n);
          SurvivorIndex index = SurvivorIndex.of(o.arena(), kind, n, kept);
          OuterBlocks.Block block = new OuterBlocks.Block(0, 0, 1, n, o.floats(n), 0);
          MemorySegment compressed = o.floats(kept.cardinality());
          return () -> index.compressAdd(block, n, compressed);
        });
    all.put(
        "expand by " + kind,
        (o, n, w) -> {
          BitSet kept = every(3, n);
          SurvivorIndex index = SurvivorIndex.of(o.arena(), kind, n, kept);
          MemorySegment compressed = o.floats(kept.cardinality());
          MemorySegment values = o.floats(n);
          return () -> index.expand(0, n, compressed, values);
        });
    all.put(
        "expand to bfloat16 by " + kind,
        (o, n, w) -> {
          BitSet kept = every(3, n);
          SurvivorIndex index = SurvivorIndex.of(o.arena(), kind, n, kept);
          MemorySegment compressed = o.floats(kept.cardinality());
          MemorySegment values = o.bytes(2L * n);
          MemorySegment scratch = o.bytes(SurvivorIndex.EXPAND_BYTES);
          return () ->
              index.expand(
                  0, n, compressed, NumberFormat.FLOAT32, values, NumberFormat.BF16, scratch);
        });
  }

  private static BitSet every(int step, int n) {
    BitSet set = new BitSet();
    for (int i = 0; i < n; i += step) {
      set.set(i);
    }
    return set;
  }

  /// Terms of the edges of a pattern.
  private static EdgeTerms terms(Operands o, int n) {
    MemorySegment numbers = Arena.ofAuto().allocate(2L * n * Long.BYTES, Long.BYTES);
    return new EdgeTerms(new EdgeRows(o.dense(n, F), numbers), new Operands(-1).dense(F, F));
  }

  private static void attention(Map<String, Kernel> all) {
    Attention attention = new Attention(HEADS, F);
    all.put(
        "attention",
        (o, n, w) -> {
          EdgePattern edges = new EdgePattern(o.pattern(n));
          DenseMatrix z = o.dense(n, HEADS * F);
          DenseMatrix e = o.dense(n, 2 * HEADS);
          DenseMatrix alpha = o.dense(2L * n, HEADS);
          DenseMatrix y = o.dense(n, HEADS * F);
          DenseMatrix mean = o.dense(n, F);
          RowIds ids = RowIds.from(0);
          return () -> attention.forward(edges, z, e, alpha, y, null, ids, w, attention.mean(mean));
        });
    all.put(
        "attention, gradients of targets",
        (o, n, w) -> {
          EdgePattern edges = new EdgePattern(o.pattern(n));
          DenseMatrix z = o.dense(n, HEADS * F);
          DenseMatrix e = o.dense(n, 2 * HEADS);
          DenseMatrix alpha = o.dense(2L * n, HEADS);
          DenseMatrix t = o.dense(n, HEADS * F);
          DenseMatrix g = o.dense(2L * n, 2 * HEADS);
          DenseMatrix eGradient = o.dense(n, 2 * HEADS);
          return () -> attention.targetGradients(edges, z, e, alpha, t, 1f, g, eGradient, w);
        });
    all.put(
        "attention, gradients of sources",
        (o, n, w) -> {
          EdgePattern.Transposed edges =
              new EdgePattern(new Operands(-1).pattern(n)).transposed(o.arena());
          DenseMatrix t = o.dense(n, HEADS * F);
          DenseMatrix g = o.dense(2L * n, 2 * HEADS);
          MemorySegment vectors = o.floats(2L * HEADS * F);
          DenseMatrix eGradient = o.dense(n, 2 * HEADS);
          DenseMatrix zGradient = o.dense(n, HEADS * F);
          return () -> attention.sourceGradients(edges, t, g, vectors, eGradient, zGradient, w);
        });
    all.put(
        "sums of messages",
        (o, n, w) -> {
          EdgePattern edges = new EdgePattern(o.pattern(n)).withTerms(terms(o, n));
          DenseMatrix h = o.dense(n, F);
          DenseMatrix y = o.dense(n, F);
          return () -> EdgeMessages.forward(edges, h, y, w);
        });
    all.put(
        "messages, gradients of sources",
        (o, n, w) -> {
          EdgePattern edges = new EdgePattern(o.pattern(n)).withTerms(terms(o, n));
          EdgePattern.Transposed transposed =
              new EdgePattern(new Operands(-1).pattern(n)).transposed(o.arena());
          DenseMatrix h = o.dense(n, F);
          DenseMatrix t = o.dense(n, F);
          DenseMatrix gradient = o.dense(n, F);
          return () -> EdgeMessages.sourceGradients(edges, transposed, h, t, gradient, w);
        });
    all.put(
        "messages, gradient of weights",
        (o, n, w) -> {
          EdgePattern edges = new EdgePattern(o.pattern(n)).withTerms(terms(o, n));
          DenseMatrix h = o.dense(n, F);
          DenseMatrix t = o.dense(n, F);
          DenseMatrix gradient = new Operands(-1).dense(F, F);
          return () -> EdgeMessages.weightGradient(edges, h, t, gradient, w);
        });
    all.put(
        "scores of attention",
        (o, n, w) -> {
          DenseMatrix z = o.dense(n, HEADS * F);
          MemorySegment vectors = o.floats(2L * HEADS * F);
          DenseMatrix e = o.dense(n, 2 * HEADS);
          return () -> Epilogues.apply(attention.scores(vectors, e), z, w);
        });
    all.put(
        "mean of heads, gradients",
        (o, n, w) -> {
          DenseMatrix t = o.dense(n, F);
          DenseMatrix wide = o.dense(n, HEADS * F);
          return () -> attention.spread(t, wide, w);
        });
    CausalHeads heads = new CausalHeads(16, HEADS, F);
    all.put(
        "causal attention",
        (o, n, w) -> {
          DenseMatrix qkv = o.dense(n, 3 * HEADS * F);
          DenseMatrix out = o.dense(n, HEADS * F);
          DenseMatrix sums = o.dense(n, 2 * HEADS);
          return () -> heads.forward(qkv, out, sums, w);
        });
    all.put(
        "causal attention, gradients",
        (o, n, w) -> {
          DenseMatrix qkv = o.dense(n, 3 * HEADS * F);
          DenseMatrix out = o.dense(n, HEADS * F);
          DenseMatrix sums = o.dense(n, 2 * HEADS);
          DenseMatrix t = o.dense(n, HEADS * F);
          DenseMatrix g = o.dense(n, 3 * HEADS * F);
          DenseMatrix work = o.dense(1, Math.toIntExact(heads.workElements(n / 16)));
          return () -> heads.backward(qkv, out, sums, t, g, work, w);
        });
  }
}
