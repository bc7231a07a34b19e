package dev.gossamer;

import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphDataBuilder;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/// Small graphs with three classes, which both edges and features tell something about.
final class ExampleGraphs {
  static final List<String> CLASSES = List.of("red", "green", "blue");
  static final int WIDTH = 8;

  /// A fixed limit of memory: what is free at the moment decides nothing.
  static final MachineSettings MACHINE = MachineSettings.DEFAULT.withMemory(1L << 34);

  private ExampleGraphs() {}

  /// A training on a graph, within [#MACHINE].
  static GraphTraining training(Dataset dataset) {
    return GraphTraining.on(dataset).machine(MACHINE);
  }

  /// Four edges per vertex, three of them within the class; dense features.
  static GraphDataBuilder builder(int n, long seed) {
    Random random = new Random(seed);
    int[] labels = IntStream.range(0, n).map(v -> v % CLASSES.size()).toArray();
    int[] from = new int[4 * n];
    int[] to = new int[4 * n];
    for (int e = 0; e < from.length; e++) {
      from[e] = e / 4;
      int other = random.nextInt(n);
      to[e] = e % 4 == 0 ? other : Math.min(n - 1, other - other % 3 + labels[from[e]]);
    }
    float[][] x = new float[n][WIDTH];
    for (int v = 0; v < n; v++) {
      for (int j = 0; j < WIDTH; j++) {
        x[v][j] = random.nextFloat() + (j % CLASSES.size() == labels[v] ? 0.7f : 0f);
      }
    }
    return GraphData.builder(n).name("example").edges(from, to).features(x);
  }

  static Split[] split(int n) {
    Split[] parts = {Split.TRAIN, Split.TRAIN, Split.VALIDATION, Split.TEST, Split.TEST};
    return IntStream.range(0, n).mapToObj(v -> parts[v / 3 % parts.length]).toArray(Split[]::new);
  }

  /// With labels and no split.
  static Dataset labelled(int n, long seed) {
    return Dataset.of(
        builder(n, seed)
            .labels(IntStream.range(0, n).map(v -> v % CLASSES.size()).toArray())
            .classNames(CLASSES)
            .build());
  }

  /// With labels and a split; every tenth vertex has no label.
  static Dataset dense(int n, long seed) {
    int[] labels =
        IntStream.range(0, n)
            .map(v -> v % 10 == 9 ? GraphData.UNLABELLED : v % CLASSES.size())
            .toArray();
    return Dataset.of(builder(n, seed).labels(labels).classNames(CLASSES).split(split(n)).build());
  }

  /// The same with features of which most are absent.
  static Dataset sparse(int n, long seed) {
    GraphData data = dense(n, seed).data();
    Random random = new Random(seed);
    long[] pointers = LongStream.rangeClosed(0, n).map(v -> 2 * v).toArray();
    int[] columns = new int[2 * n];
    float[] values = new float[2 * n];
    for (int v = 0; v < n; v++) {
      columns[2 * v] = v % CLASSES.size();
      columns[2 * v + 1] = CLASSES.size() + random.nextInt(WIDTH - CLASSES.size());
      values[2 * v] = random.nextInt(3);
      values[2 * v + 1] = 1 + random.nextFloat();
    }
    CsrMatrix x = CsrMatrix.of(Arena.ofAuto(), WIDTH, pointers, columns, values);
    return Dataset.of(data.withFeatures(new Features.Sparse(x)));
  }

  /// The same with columns on scales of their own. Shares the other's memory.
  static Dataset onOwnScales(Dataset plain) {
    float[][] x = ((Features.Dense) plain.data().features()).x().toArray();
    for (float[] row : x) {
      for (int j = 0; j < WIDTH; j++) {
        row[j] = (float) ((row[j] - j) * Math.pow(10, j - 3));
      }
    }
    DenseMatrix scaled = DenseMatrix.of(Arena.ofAuto(), x);
    return Dataset.of(plain.data().withFeatures(new Features.Dense(scaled)));
  }

  /// The same with weights between 0 and 1 on its edges. Shares the other's memory.
  static Dataset weighted(Dataset plain, long seed) {
    GraphData data = plain.data();
    CsrMatrix a = data.adjacency();
    Arena arena = Arena.ofAuto();
    MemorySegment values = arena.allocate(a.nnz() * Float.BYTES, 64);
    for (int v = 0; v < a.rows(); v++) {
      for (long e = a.rowPointer(v); e < a.rowPointer(v + 1L); e++) {
        int u = a.column(e);
        long edge = (long) Math.min(u, v) * a.cols() + Math.max(u, v);
        float weight = 0.1f + new Random(seed + 31 * edge).nextFloat();
        values.set(ValueLayout.JAVA_FLOAT_UNALIGNED, e * Float.BYTES, weight);
      }
    }
    return Dataset.of(
        GraphData.of(arena, data.info(), a.withValues(values))
            .withFeatures(data.features())
            .withLabels(data.labels())
            .withSplit(data.split()));
  }

  /// Without labels and split.
  static Dataset unlabelled(int n, long seed) {
    return Dataset.of(builder(n, seed).build());
  }
}
