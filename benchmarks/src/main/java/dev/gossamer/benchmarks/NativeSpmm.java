package dev.gossamer.benchmarks;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/// The yardstick `spmm_avx512.c`, compiled by the system's gcc when this is made, run by the same
/// [Workers] on row ranges of about equal numbers of entries.
final class NativeSpmm implements AutoCloseable {
  private static final long TASK_ENTRIES = 1 << 14;

  private final Arena arena = Arena.ofShared();
  private final MethodHandle rows;
  private final CsrMatrix a;
  private final MemorySegment values;
  private final int[] taskRows;

  /// @param a a pattern with both scales; the yardstick reads their product as a value per entry
  NativeSpmm(CsrMatrix a) throws IOException, InterruptedException {
    this.a = a;
    values = productOfScales(a, arena);
    taskRows = split(a);
    Path folder = Files.createTempDirectory("gossamer-spmm");
    try {
      rows =
          Linker.nativeLinker()
              .downcallHandle(
                  SymbolLookup.libraryLookup(compile(folder), arena).findOrThrow("spmm_avx512"),
                  FunctionDescriptor.ofVoid(
                      ValueLayout.ADDRESS,
                      ValueLayout.ADDRESS,
                      ValueLayout.ADDRESS,
                      ValueLayout.ADDRESS,
                      ValueLayout.ADDRESS,
                      ValueLayout.JAVA_LONG,
                      ValueLayout.JAVA_LONG,
                      ValueLayout.JAVA_LONG,
                      ValueLayout.JAVA_LONG));
    } finally {
      for (String name : List.of("spmm_avx512.c", "libspmm_avx512.so")) {
        Files.deleteIfExists(folder.resolve(name));
      }
      Files.delete(folder);
    }
  }

  /// `y = a x`.
  void multiply(DenseMatrix x, DenseMatrix y, Workers workers) {
    workers.run(
        taskRows.length - 1,
        (task, worker) -> {
          try {
            rows.invokeExact(
                a.rowPointers(),
                a.columns(),
                values,
                x.data(),
                y.data(),
                (long) x.cols(),
                a.rows(),
                (long) taskRows[task],
                (long) taskRows[task + 1]);
          } catch (Throwable e) {
            throw new IllegalStateException("spmm_avx512", e);
          }
        });
  }

  @Override
  public void close() {
    arena.close();
  }

  private static Path compile(Path folder) throws IOException, InterruptedException {
    Path source = folder.resolve("spmm_avx512.c");
    Path library = folder.resolve("libspmm_avx512.so");
    try (InputStream text = NativeSpmm.class.getResourceAsStream("spmm_avx512.c")) {
      if (text == null) {
        throw new IOException("spmm_avx512.c is not on the class path");
      }
      Files.copy(text, source);
    }
    Process gcc =
        new ProcessBuilder(
                "gcc",
                "-O3",
                "-march=native",
                "-shared",
                "-fPIC",
                "-o",
                library.toString(),
                source.toString())
            .inheritIO()
            .start();
    int status = gcc.waitFor();
    if (status != 0) {
      throw new IOException("gcc ended with status " + status);
    }
    return library;
  }

  private static MemorySegment productOfScales(CsrMatrix a, Arena arena) {
    MemorySegment r = a.rowScale();
    MemorySegment c = a.columnScale();
    if (a.values() != null || r == null || c == null) {
      throw new IllegalArgumentException("the yardstick wants a pattern with both scales");
    }
    MemorySegment product = arena.allocate(a.nnz() * Float.BYTES, 64);
    for (long i = 0; i < a.rows(); i++) {
      float scale = r.getAtIndex(ValueLayout.JAVA_FLOAT, i);
      for (long e = a.rowPointer(i); e < a.rowPointer(i + 1); e++) {
        product.setAtIndex(
            ValueLayout.JAVA_FLOAT, e, scale * c.getAtIndex(ValueLayout.JAVA_FLOAT, a.column(e)));
      }
    }
    return product;
  }

  private static int[] split(CsrMatrix a) {
    int most = Math.toIntExact(2 * ((a.nnz() + a.rows()) / TASK_ENTRIES) + 2);
    int[] starts = new int[most + 1];
    int tasks = 0;
    long begun = -TASK_ENTRIES;
    for (int i = 0; i < a.rows(); i++) {
      if (a.rowPointer(i) + i - begun >= TASK_ENTRIES) {
        begun = a.rowPointer(i) + i;
        starts[tasks++] = i;
      }
    }
    starts[tasks] = Math.toIntExact(a.rows());
    return Arrays.copyOf(starts, tasks + 1);
  }
}
