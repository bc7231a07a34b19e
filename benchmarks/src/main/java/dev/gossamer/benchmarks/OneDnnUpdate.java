package dev.gossamer.benchmarks;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;

/// `Y = max(H W + b, 0)` by a matmul primitive of oneDNN 2.x that has the bias and, as a post-op,
/// the ReLU in it. Each member of the team runs a primitive of its own over its share of the rows,
/// with one thread, because two teams of threads in one process disturb each other.
///
/// What is made for one shape is kept until the process ends.
final class OneDnnUpdate {
  // Of oneDNN 2's dnnl_types.h.
  private static final int CPU = 1;
  private static final int FLOAT32 = 3;
  private static final int ROW_MAJOR = 3;
  private static final int RELU = 0x1f;
  private static final int DEFAULT_FLAGS = 1;
  private static final int SOURCE = 1;
  private static final int DESTINATION = 17;
  private static final int WEIGHTS = 33;
  private static final int BIAS = 41;

  /// Room for a memory descriptor and for a matmul descriptor, both generous.
  private static final long MEMORY_DESCRIPTOR_BYTES = 1024;

  private static final long MATMUL_DESCRIPTOR_BYTES = 4096;

  private final SymbolLookup symbols;
  private final Arena arena = Arena.global();
  private final List<Share> shares = new ArrayList<>();
  private final MethodHandle execute;
  private final MethodHandle await;
  private final MethodHandle setThreads;

  /// What one member runs.
  private record Share(MemorySegment primitive, MemorySegment stream, MemorySegment arguments) {}

  /// @param library name of oneDNN 2.x for the system's loader
  /// @param bias `float32[n]`
  OneDnnUpdate(
      String library, DenseMatrix h, DenseMatrix w, MemorySegment bias, DenseMatrix y, int team) {
    symbols = SymbolLookup.libraryLookup(library, arena);
    execute = handle("dnnl_primitive_execute", ADDRESS, ADDRESS, JAVA_INT, ADDRESS);
    await = handle("dnnl_stream_wait", ADDRESS);
    setThreads =
        Linker.nativeLinker()
            .downcallHandle(
                symbols.findOrThrow("omp_set_num_threads"), FunctionDescriptor.ofVoid(JAVA_INT));
    MemorySegment engine = made("dnnl_engine_create", CPU, 0L);
    for (int i = 0; i < team; i++) {
      long begin = h.rows() * i / team;
      long end = h.rows() * (i + 1) / team;
      shares.add(share(engine, h.rows(begin, end), w, bias, y.rows(begin, end)));
    }
  }

  private Share share(
      MemorySegment engine, DenseMatrix h, DenseMatrix w, MemorySegment bias, DenseMatrix y) {
    MemorySegment source = shape(h.rows(), h.cols());
    MemorySegment weights = shape(w.rows(), w.cols());
    MemorySegment row = shape(1, w.cols());
    MemorySegment destination = shape(y.rows(), y.cols());
    MemorySegment matmul = arena.allocate(MATMUL_DESCRIPTOR_BYTES, 64);
    call("dnnl_matmul_desc_init", matmul, source, weights, row, destination);
    MemorySegment steps = made("dnnl_post_ops_create");
    call("dnnl_post_ops_append_eltwise", steps, 1f, RELU, 0f, 0f);
    MemorySegment attributes = made("dnnl_primitive_attr_create");
    call("dnnl_primitive_attr_set_post_ops", attributes, steps);
    MemorySegment described =
        made("dnnl_primitive_desc_create", matmul, attributes, engine, MemorySegment.NULL);
    MemorySegment primitive = made("dnnl_primitive_create", described);
    MemorySegment arguments = arena.allocate(4 * 16, 8);
    argument(arguments, 0, SOURCE, memory(source, engine, h.data()));
    argument(arguments, 1, WEIGHTS, memory(weights, engine, w.data()));
    argument(arguments, 2, BIAS, memory(row, engine, bias));
    argument(arguments, 3, DESTINATION, memory(destination, engine, y.data()));
    return new Share(primitive, made("dnnl_stream_create", engine, DEFAULT_FLAGS), arguments);
  }

  private static void argument(MemorySegment to, int i, int kind, MemorySegment memory) {
    to.set(JAVA_INT, 16L * i, kind);
    to.set(ADDRESS, 16L * i + 8, memory);
  }

  private MemorySegment shape(long rows, long cols) {
    MemorySegment descriptor = arena.allocate(MEMORY_DESCRIPTOR_BYTES, 64);
    MemorySegment sizes = arena.allocateFrom(JAVA_LONG, rows, cols);
    call("dnnl_memory_desc_init_by_tag", descriptor, 2, sizes, FLOAT32, ROW_MAJOR);
    return descriptor;
  }

  private MemorySegment memory(MemorySegment shape, MemorySegment engine, MemorySegment data) {
    return made("dnnl_memory_create", shape, engine, data);
  }

  void run(Workers workers) {
    workers.run(
        shares.size(),
        (task, worker) -> {
          Share share = shares.get(task);
          try {
            setThreads.invoke(1);
            check(
                "dnnl_primitive_execute",
                (int) execute.invoke(share.primitive(), share.stream(), 4, share.arguments()));
            check("dnnl_stream_wait", (int) await.invoke(share.stream()));
          } catch (Throwable e) {
            throw new IllegalStateException("oneDNN: the matmul primitive could not be run", e);
          }
        });
  }

  /// Calls a function whose first argument receives a handle.
  private MemorySegment made(String function, Object... arguments) {
    MemorySegment handle = arena.allocate(ADDRESS);
    Object[] all = new Object[arguments.length + 1];
    all[0] = handle;
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    call(function, all);
    return handle.get(ADDRESS, 0);
  }

  private void call(String function, Object... arguments) {
    MemoryLayout[] layouts = new MemoryLayout[arguments.length];
    for (int i = 0; i < layouts.length; i++) {
      layouts[i] =
          switch (arguments[i]) {
            case Integer number -> JAVA_INT;
            case Long number -> JAVA_LONG;
            case Float number -> JAVA_FLOAT;
            default -> ADDRESS;
          };
    }
    try {
      check(function, (int) handle(function, layouts).invokeWithArguments(arguments));
    } catch (Throwable e) {
      throw new IllegalStateException("oneDNN: %s could not be called".formatted(function), e);
    }
  }

  private MethodHandle handle(String function, MemoryLayout... arguments) {
    return Linker.nativeLinker()
        .downcallHandle(symbols.findOrThrow(function), FunctionDescriptor.of(JAVA_INT, arguments));
  }

  private static void check(String function, int status) {
    if (status != 0) {
      throw new IllegalStateException("oneDNN: %s returned status %d".formatted(function, status));
    }
  }
}
