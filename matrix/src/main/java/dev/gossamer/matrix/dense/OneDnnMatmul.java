package dev.gossamer.matrix.dense;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// Dense products by oneDNN's `dnnl_sgemm`, called through the foreign-function interface.
///
/// Our threads divide the work into blocks of rows; within a block, oneDNN uses one thread, because
/// two teams of threads in one process would compete. Fused steps run after the block as in
/// [JavaMatmul]. Operands must be off-heap.
final class OneDnnMatmul implements Matmul {
  static final String USUAL_LIBRARY = "libdnnl.so.2";

  private final String library;
  private final MethodHandle sgemm;
  private final MethodHandle setThreads;

  private OneDnnMatmul(String library, MethodHandle sgemm, MethodHandle setThreads) {
    this.library = library;
    this.sgemm = sgemm;
    this.setThreads = setThreads;
  }

  static OneDnnMatmul load(String library) {
    SymbolLookup symbols = lookup(library);
    Linker linker = Linker.nativeLinker();
    FunctionDescriptor gemm =
        FunctionDescriptor.of(
            JAVA_INT,
            JAVA_BYTE,
            JAVA_BYTE,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_LONG,
            JAVA_FLOAT,
            ADDRESS,
            JAVA_LONG,
            ADDRESS,
            JAVA_LONG,
            JAVA_FLOAT,
            ADDRESS,
            JAVA_LONG);
    return new OneDnnMatmul(
        library,
        linker.downcallHandle(symbol(symbols, library, "dnnl_sgemm"), gemm),
        linker.downcallHandle(
            symbol(symbols, library, "omp_set_num_threads"), FunctionDescriptor.ofVoid(JAVA_INT)));
  }

  /// A name alone is looked for where the system has its libraries, and never in the working
  /// folder, which may be anybody's.
  private static SymbolLookup lookup(String library) {
    try {
      return library.contains(File.separator)
          ? SymbolLookup.libraryLookup(Path.of(library), Arena.global())
          : SymbolLookup.libraryLookup(library, Arena.global());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "oneDNN: %s cannot be loaded; install it (Debian: libdnnl2) or use java"
              .formatted(library),
          e);
    }
  }

  private static MemorySegment symbol(SymbolLookup symbols, String library, String name) {
    return symbols
        .find(name)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "oneDNN: %s has no symbol %s; install a oneDNN that was built with OpenMP"
                    .formatted(library, name)));
  }

  @Override
  public String name() {
    return "oneDNN (" + library + ")";
  }

  @Override
  public String setting() {
    return ONE_DNN + ":" + library;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof OneDnnMatmul matmul && library.equals(matmul.library);
  }

  @Override
  public int hashCode() {
    return library.hashCode();
  }

  @Override
  public void multiply(
      DenseMatrix a, DenseMatrix b, DenseMatrix c, Workers w, RowEpilogue epilogue) {
    MatmulShape s = MatmulShape.plain(a, b, c);
    w.run(
        s.blocks(),
        (task, worker) -> block(s, 'N', task, a, b, c, epilogue),
        epilogue.with(a.data(), b.data(), c.data()));
  }

  @Override
  public void multiplyTransposed(
      DenseMatrix a, DenseMatrix b, DenseMatrix c, Workers w, RowEpilogue epilogue) {
    MatmulShape s = MatmulShape.transposed(a, b, c);
    w.run(
        s.blocks(),
        (task, worker) -> block(s, 'T', task, a, b, c, epilogue),
        epilogue.with(a.data(), b.data(), c.data()));
  }

  private void block(
      MatmulShape s,
      char transposeB,
      int task,
      DenseMatrix a,
      DenseMatrix b,
      DenseMatrix c,
      RowEpilogue epilogue) {
    long begin = (long) task * s.blockRows();
    long end = Math.min(s.m(), begin + s.blockRows());
    call(
        'N',
        transposeB,
        end - begin,
        s.n(),
        s.k(),
        a.data().asSlice(a.offset(begin)),
        s.k(),
        b.data(),
        b.cols(),
        c.data().asSlice(c.offset(begin)),
        s.n());
    epilogue.apply(c, begin, end);
  }

  @Override
  public void multiplyTransposedMasked(
      DenseMatrix a, DenseMatrix b, DenseMatrix h, float scale, Workers w) {
    MatmulShape s = MatmulShape.transposed(a, b, h);
    int chunk = Workers.SCRATCH_BYTES / Float.BYTES / s.blockRows();
    w.run(
        s.blocks(),
        (task, worker) -> {
          for (int j = 0; j < s.n(); j += chunk) {
            maskedBlock(s, task, j, Math.min(chunk, s.n() - j), a, b, h, scale, w.scratch(worker));
          }
        },
        a.data(),
        b.data(),
        h.data());
  }

  private void maskedBlock(
      MatmulShape s,
      int task,
      int left,
      int cols,
      DenseMatrix a,
      DenseMatrix b,
      DenseMatrix h,
      float scale,
      MemorySegment product) {
    long begin = (long) task * s.blockRows();
    long end = Math.min(s.m(), begin + s.blockRows());
    call(
        'N',
        'T',
        end - begin,
        cols,
        s.k(),
        a.data().asSlice(a.offset(begin)),
        s.k(),
        b.data().asSlice(b.offset(left)),
        s.k(),
        product,
        cols);
    JavaMatmul.mask(product, (long) cols * Float.BYTES, h, begin, end, left, cols, scale);
  }

  @Override
  public void transposedMultiply(DenseMatrix a, DenseMatrix b, DenseMatrix c, Workers w) {
    MatmulShape s = MatmulShape.outer(a, b, c);
    if (s.m() == 0) {
      c.fill(0f);
      return;
    }
    LongSum sum = LongSum.of(s);
    w.run(
        sum.tasks(),
        (task, worker) -> {
          MemorySegment target = sum.parts() == 1 ? c.data() : w.sharedScratch();
          long begin = sum.begin(task);
          int top = sum.top(task);
          int left = sum.left(task);
          call(
              'T',
              'N',
              Math.min(LongSum.BLOCK, s.k() - top),
              Math.min(LongSum.BLOCK, s.n() - left),
              sum.end(task) - begin,
              a.data().asSlice(a.offset(begin) + (long) top * Float.BYTES),
              s.k(),
              b.data().asSlice(b.offset(begin) + (long) left * Float.BYTES),
              s.n(),
              target.asSlice(sum.offset(task)),
              s.n());
        },
        a.data(),
        b.data(),
        c.data());
    sum.addParts(c, w);
  }

  /// `C = op(A) op(B)`, row-major: `C` is `m x n`, the sum runs over `k`.
  private void call(
      char transposeA,
      char transposeB,
      long m,
      long n,
      long k,
      MemorySegment a,
      long strideA,
      MemorySegment b,
      long strideB,
      MemorySegment c,
      long strideC) {
    int status;
    try {
      setThreads.invokeExact(1);
      status =
          (int)
              sgemm.invokeExact(
                  (byte) transposeA,
                  (byte) transposeB,
                  m,
                  n,
                  k,
                  1f,
                  a,
                  strideA,
                  b,
                  strideB,
                  0f,
                  c,
                  strideC);
    } catch (Throwable e) {
      throw new IllegalStateException("oneDNN: dnnl_sgemm could not be called", e);
    }
    if (status != 0) {
      throw new IllegalStateException(
          "oneDNN: dnnl_sgemm of %d x %d x %d returned status %d".formatted(m, n, k, status));
    }
  }
}
