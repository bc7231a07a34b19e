package dev.gossamer.base.memory;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// All memory as one segment, for the innermost loops; and memory that nobody has written to.
///
/// With separate segments, each vector access checks bounds and lifetime, which costs about a fifth
/// of the speed; and code that is used with several kinds of segments (mapped, allocated) grows
/// until the compiler stops inlining it and boxes its vectors. So a kernel checks its operands once
/// ([#address]), holds them ([#hold]), and then uses addresses.
public final class Memory {
  /// The segment of all addresses.
  public static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private static final long ADDRESS_BITS = Long.MAX_VALUE >>> 8;

  /// Segments that one downcall holds; two of them are arguments that `bsearch` has.
  private static final int HELD = 12;

  private static final MethodHandle SEARCH = search();

  private static final MethodHandle ALLOCATE =
      function("aligned_alloc", FunctionDescriptor.of(ADDRESS, JAVA_LONG, JAVA_LONG));

  private static final MethodHandle FREE = function("free", FunctionDescriptor.ofVoid(ADDRESS));

  private static final long PAGE = 4096;

  private static final ThreadLocal<Call> CALL = ThreadLocal.withInitial(Call::new);

  private Memory() {}

  /// What a thread is about to call, and what became of it.
  private static final class Call {
    private @Nullable Runnable kernel;
    private @Nullable Throwable failure;
  }

  /// {@return memory with undefined contents, page-aligned} An arena's own memory is filled with
  /// zeros; this is taken by C's `aligned_alloc`, so that large pieces cost neither time nor memory
  /// until they are written to, and then only the pages that are.
  ///
  /// @param bytes at least 1
  /// @param arena that frees it when it closes
  /// @throws OutOfMemoryError if there is no such memory
  public static MemorySegment undefined(long bytes, Arena arena) {
    MemorySegment found;
    try {
      // Its size has to be a multiple of the alignment.
      found = (MemorySegment) ALLOCATE.invokeExact(PAGE, Math.ceilDiv(bytes, PAGE) * PAGE);
    } catch (Throwable e) {
      throw rethrown(e);
    }
    if (found.address() == 0) {
      throw new OutOfMemoryError("no %,d bytes of memory off the heap".formatted(bytes));
    }
    try {
      return found.reinterpret(bytes, arena, Memory::free);
    } catch (Throwable e) {
      free(found);
      throw e;
    }
  }

  private static void free(MemorySegment segment) {
    try {
      FREE.invokeExact(segment);
    } catch (Throwable e) {
      throw rethrown(e);
    }
  }

  private static MethodHandle function(String name, FunctionDescriptor types) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), types);
  }

  /// {@return an address, masked to the valid bits, so that the compiler knows that it is in
  /// [#ALL]}
  ///
  /// @param address any
  public static long at(long address) {
    return address & ADDRESS_BITS;
  }

  /// {@return the address of a part of a segment}
  ///
  /// @param segment checked
  /// @param from first byte of the part
  /// @param bytes length of the part
  /// @throws IndexOutOfBoundsException if the part is not inside
  public static long address(MemorySegment segment, long from, long bytes) {
    Objects.checkFromIndexSize(from, bytes, segment.byteSize());
    return segment.address() + from;
  }

  /// Runs a kernel in the calling thread while its operands are held: closing one of their arenas
  /// throws an [IllegalStateException], and none is garbage-collected.
  ///
  /// The Java virtual machine holds memory only during a downcall. So the kernel runs as a callback
  /// of one: C's `bsearch` in an array of one element, which compares once and ignores additional
  /// arguments. Cost: about 0.1 us, for any number of segments.
  ///
  /// @param kernel that uses addresses, also in other threads while it runs
  /// @param operands off the heap; nulls are passed over
  /// @throws IllegalStateException if an operand is closed already
  /// @throws WrongThreadException if an operand is confined to another thread
  /// @throws IllegalArgumentException if an operand is on the heap
  public static void hold(Runnable kernel, @Nullable MemorySegment... operands) {
    if (operands.length > HELD) {
      @Nullable MemorySegment[] rest = Arrays.copyOfRange(operands, HELD, operands.length);
      hold(() -> hold(kernel, rest), Arrays.copyOf(operands, HELD));
      return;
    }
    Call call = CALL.get();
    call.kernel = kernel;
    try {
      long _ =
          (long)
              SEARCH.invokeExact(
                  held(operands, 0),
                  held(operands, 1),
                  held(operands, 2),
                  held(operands, 3),
                  held(operands, 4),
                  held(operands, 5),
                  held(operands, 6),
                  held(operands, 7),
                  held(operands, 8),
                  held(operands, 9),
                  held(operands, 10),
                  held(operands, 11));
    } catch (Throwable e) {
      // The downcall's own: the kernel has not run.
      throw rethrown(e);
    }
    Throwable failure = call.failure;
    if (failure != null) {
      call.failure = null;
      throw rethrown(failure);
    }
  }

  private static MemorySegment held(@Nullable MemorySegment[] operands, int i) {
    MemorySegment operand = i < operands.length ? operands[i] : null;
    return operand == null ? MemorySegment.NULL : operand;
  }

  private static RuntimeException rethrown(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof RuntimeException e ? e : new IllegalStateException(failure);
  }

  /// What `bsearch` calls. An exception that left it would end the virtual machine.
  ///
  /// @param key ignored
  /// @param element ignored
  /// @return that they are equal
  @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // Used by its name.
  private static int compare(long key, long element) {
    Call call = CALL.get();
    Runnable kernel = Objects.requireNonNull(call.kernel);
    call.kernel = null;
    try {
      kernel.run();
    } catch (Throwable e) {
      call.failure = e;
    }
    return 0;
  }

  /// `bsearch` with [#compare], as a function of [#HELD] segments.
  private static MethodHandle search() {
    Linker linker = Linker.nativeLinker();
    try {
      MethodHandle compare =
          MethodHandles.lookup()
              .findStatic(
                  Memory.class,
                  "compare",
                  MethodType.methodType(int.class, long.class, long.class));
      MemorySegment stub =
          linker.upcallStub(
              compare, FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG), Arena.global());
      MemoryLayout[] arguments = new MemoryLayout[HELD + 3];
      Arrays.fill(arguments, ADDRESS);
      arguments[2] = JAVA_LONG;
      arguments[3] = JAVA_LONG;
      MethodHandle search =
          linker.downcallHandle(
              linker.defaultLookup().findOrThrow("bsearch"),
              FunctionDescriptor.of(JAVA_LONG, arguments));
      return MethodHandles.insertArguments(search, 2, 1L, 1L, stub);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("there is no such method", e);
    }
  }
}
