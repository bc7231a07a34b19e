package dev.gossamer.planner.calibration;

import dev.gossamer.base.Workers;
import dev.gossamer.gnn.sampling.BulkSampler;
import dev.gossamer.gnn.sampling.Sampler;
import dev.gossamer.gnn.sampling.blocks.EpochBatches;
import dev.gossamer.gnn.sampling.blocks.SampledBatch;
import dev.gossamer.gnn.sampling.matrices.AdjacencyRows;
import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Propagation;
import dev.gossamer.graph.generate.Rmat;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.ClassLoss;
import dev.gossamer.matrix.dense.Dropout;
import dev.gossamer.matrix.dense.Elementwise;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.matrix.format.RowIds;
import dev.gossamer.matrix.sparse.Spmm;
import dev.gossamer.planner.Work;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.stream.IntStream;

/// Generated data that all kernels share: inputs, outputs and R-MAT graphs.
final class CalibrationData {
  private static final int BATCHES = 4;
  private static final int BATCH_SIZE = 512;
  private static final int FANOUT = 10;
  private static final float HALF = 0.5f;

  /// A graph of a nominal size.
  ///
  /// @param vertices as the key of the table has them
  /// @param degree as the key of the table has it
  private record Graph(int vertices, int degree, Spmm product) {}

  private final MemorySegment read;
  private final MemorySegment written;
  private final MemorySegment weights;
  private final MemorySegment gradients;
  private final Matmul matmul = Matmul.java();
  private final List<Graph> graphs = new ArrayList<>();
  private final List<AttentionOperands> attention;

  /// Generates the data.
  ///
  /// @param arena shared, owner of everything
  CalibrationData(Arena arena, Sizes sizes) {
    read = arena.allocate(sizes.bytes(), DenseMatrix.ALIGNMENT);
    written = arena.allocate(sizes.bytes(), DenseMatrix.ALIGNMENT);
    int widest = Math.max(sizes.widths().getLast(), sizes.raggedWidths().getLast());
    weights = arena.allocate(DenseMatrix.bytes(widest, widest), DenseMatrix.ALIGNMENT);
    gradients = arena.allocate(weights.byteSize(), DenseMatrix.ALIGNMENT);
    // No zeros, which some kernels skip; and untouched pages would all be one.
    DenseMatrix.wrap(read, read.byteSize() / Float.BYTES, 1).fill(0.5f);
    DenseMatrix.wrap(weights, weights.byteSize() / Float.BYTES, 1).fill(0.5f);
    written.fill((byte) 0);
    for (int vertices : sizes.sparse().vertices()) {
      for (int degree : sizes.sparse().degrees()) {
        graphs.add(new Graph(vertices, degree, new Spmm(propagation(arena, vertices, degree))));
      }
    }
    attention =
        sizes.attention().vertices().stream()
            .flatMap(vertices ->
                sizes.attention().degrees().stream()
                    .map(degree ->
                        new AttentionOperands(
                            arena,
                            propagation(arena, vertices, degree),
                            List.of(vertices, degree),
                            sizes.attention())))
            .toList();
  }

  /// An undirected R-MAT graph with self loops, normalised as graph convolutions have it.
  private static CsrMatrix propagation(Arena arena, int vertices, int degree) {
    Rmat graph = Rmat.of(vertices).withEdgeFactor((degree - 1) / 2.0);
    CsrMatrix a = CsrBuilder.undirected(vertices).build(arena, graph.edges());
    return new Propagation(a, false, Normalisation.SYMMETRIC, true).all(arena).forward();
  }

  /// {@return all kernels of a kind}
  ///
  /// @param work the kind
  /// @param sizes of which the kernels are, none larger than those of the constructor
  /// @param w threads that share the work
  List<Kernel> kernels(Work work, Sizes sizes, Workers w) {
    Sizes.Sparse sparse = sizes.sparse();
    int product = sizes.productBytes();
    return switch (work) {
      case START ->
          List.of(new Kernel(work, List.of(), 1, () -> w.run(w.threads(), (task, worker) -> {})));
      case MATMUL ->
          pairs(sizes.widths(), sizes.widths(), (in, out) -> matmul(work, product, in, out, w));
      case MATMUL_RAGGED ->
          pairs(
              sizes.widths(), sizes.raggedWidths(), (in, out) -> matmul(work, product, in, out, w));
      case WEIGHT_GRADIENT ->
          pairs(sizes.widths(), sizes.widths(), (in, out) -> weightGradient(product, in, out, w));
      case SPMM ->
          pairs(graphs(sparse), sparse.widths(), (graph, width) -> spmm(work, graph, width, w));
      case SPMM_RAGGED ->
          pairs(
              graphs(sparse), sparse.raggedWidths(), (graph, width) -> spmm(work, graph, width, w));
      case STREAM -> sizes.passes().stream().map(bytes -> stream(bytes, w)).toList();
      case DROPOUT -> List.of(dropout(sizes.gatheredBytes(), w));
      case DROPOUT_SPARSE -> List.of(sparseDropout(w));
      case LOSS ->
          sizes.classes().stream().map(classes -> loss(sizes.gatheredBytes(), classes, w)).toList();
      case ATTENTION ->
          attention.stream()
              .filter(graph -> sizes.attention().vertices().contains(graph.at().getFirst()))
              .flatMap(graph -> graph.kernels(sizes.attention(), read, written, w).stream())
              .toList();
      case SAMPLING -> List.of(sampling(graphs.getLast().product().matrix(), w));
      case TRANSPOSE -> List.of(transpose(w));
      case GATHER ->
          sizes.rowBytes().stream().map(bytes -> gather(bytes, sizes.gatheredBytes(), w)).toList();
    };
  }

  private List<Graph> graphs(Sizes.Sparse sizes) {
    return graphs.stream().filter(graph -> sizes.vertices().contains(graph.vertices())).toList();
  }

  private static <A> List<Kernel> pairs(
      List<A> left, List<Integer> right, BiFunction<A, Integer, Kernel> kernel) {
    return left.stream().flatMap(a -> right.stream().map(b -> kernel.apply(a, b))).toList();
  }

  private Kernel matmul(Work work, int bytes, int in, int out, Workers w) {
    long rows = rows(bytes, in, out);
    DenseMatrix x = matrix(read, rows, in);
    DenseMatrix y = matrix(written, rows, out);
    DenseMatrix weight = matrix(weights, in, out);
    return new Kernel(
        work,
        List.of(in, out),
        (double) rows * in * out,
        () -> matmul.multiply(x, weight, y, w, RowEpilogue.NONE));
  }

  private Kernel weightGradient(int bytes, int in, int out, Workers w) {
    long rows = rows(bytes, in, out);
    DenseMatrix x = matrix(read, rows, in);
    DenseMatrix g = matrix(written, rows, out);
    DenseMatrix gradient = matrix(gradients, in, out);
    return new Kernel(
        Work.WEIGHT_GRADIENT,
        List.of(in, out),
        (double) rows * in * out,
        () -> matmul.transposedMultiply(x, g, gradient, w));
  }

  private static long rows(int bytes, int in, int out) {
    return Math.max(1, bytes / Float.BYTES / (in + out));
  }

  private Kernel spmm(Work work, Graph graph, int width, Workers w) {
    DenseMatrix x = matrix(read, graph.vertices(), width);
    DenseMatrix y = matrix(written, graph.vertices(), width);
    return new Kernel(
        work,
        List.of(graph.vertices(), graph.degree(), width),
        graph.product().matrix().nnz(),
        () -> graph.product().multiply(x, y, w, RowEpilogue.NONE));
  }

  private Kernel stream(int bytes, Workers w) {
    DenseMatrix x = matrix(read, bytes / 2 / Float.BYTES, 1);
    DenseMatrix y = matrix(written, bytes / 2 / Float.BYTES, 1);
    return new Kernel(Work.STREAM, List.of(bytes), bytes, () -> Elementwise.relu(x, y, w));
  }

  private Kernel dropout(int bytes, Workers w) {
    DenseMatrix y = matrix(written, bytes / Float.BYTES, 1);
    Dropout dropout = new Dropout(0, 0, HALF);
    return new Kernel(
        Work.DROPOUT, List.of(), y.rows(), () -> dropout.apply(y, 0, RowIds.from(0), w));
  }

  private Kernel sparseDropout(Workers w) {
    CsrMatrix x = middle();
    Dropout dropout = new Dropout(0, 0, HALF);
    MemorySegment values = written.asSlice(0, x.nnz() * Float.BYTES);
    return new Kernel(
        Work.DROPOUT_SPARSE,
        List.of(),
        x.nnz(),
        () -> dropout.sparse(x, 0, RowIds.from(0), values, w));
  }

  private Kernel loss(int bytes, int classes, Workers w) {
    DenseMatrix logits = matrix(written, Math.max(1, bytes / Float.BYTES / classes), classes);
    int rows = Math.toIntExact(logits.rows());
    int[] labels = new int[rows];
    int[] all = IntStream.range(0, rows).toArray();
    return new Kernel(
        Work.LOSS,
        List.of(classes),
        rows,
        () -> ClassLoss.CROSS_ENTROPY.andGradient(logits, labels, all, w));
  }

  /// A graph as large as the blocks of a batch.
  private CsrMatrix middle() {
    return graphs.get(graphs.size() / 2).product().matrix();
  }

  /// Each thread transposes a matrix by itself, as each rank does.
  private Kernel transpose(Workers w) {
    CsrMatrix a = middle();
    return new Kernel(
        Work.TRANSPOSE,
        List.of(),
        (double) w.threads() * a.nnz(),
        () ->
            w.run(
                w.threads(),
                (task, worker) -> {
                  try (Arena arena = Arena.ofConfined()) {
                    new Spmm(a.transpose(arena));
                  }
                }));
  }

  private Kernel gather(int rowBytes, int allBytes, Workers w) {
    int width = rowBytes / Float.BYTES;
    DenseMatrix x = matrix(read, read.byteSize() / rowBytes, width);
    int count = Math.max(1, allBytes / rowBytes);
    SplittableRandom random = new SplittableRandom(rowBytes);
    int[] ids = random.ints(count, 0, (int) x.rows()).toArray();
    MemorySegment y = written.asSlice(0, RowFormat.FLOAT32.bytes(count, width));
    return new Kernel(
        Work.GATHER, List.of(rowBytes), count, () -> RowFormat.FLOAT32.pack(x, ids, y, w));
  }

  private Kernel sampling(CsrMatrix a, Workers w) {
    int[] training = IntStream.range(0, a.cols()).toArray();
    BulkSampler sampler =
        new BulkSampler(Sampler.sage(FANOUT, FANOUT), AdjacencyRows.whole(a), training, 1, w);
    EpochBatches epoch = new EpochBatches(training, BATCH_SIZE, 1, 0);
    List<int[]> batches = epoch.batches(0, Math.min(BATCHES, epoch.count()));
    return new Kernel(
        Work.SAMPLING, List.of(), draw(sampler, batches), () -> draw(sampler, batches));
  }

  private static long draw(BulkSampler sampler, List<int[]> batches) {
    try (Arena arena = Arena.ofShared()) {
      long edges = 0;
      for (SampledBatch batch : sampler.sample(arena, 0, 0, batches)) {
        edges += batch.blocks().stream().mapToLong(block -> block.matrix().nnz()).sum();
      }
      return edges;
    }
  }

  static DenseMatrix matrix(MemorySegment from, long rows, int cols) {
    return DenseMatrix.wrap(from.asSlice(0, DenseMatrix.bytes(rows, cols)), rows, cols);
  }
}
