package dev.gossamer.comm.mpi;

import dev.gossamer.comm.LaunchEnvironment;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// An MPI library without MPI: its functions, called through C's calling convention like real ones,
/// write down how they are called and do what a test wants. Signatures, constants and layouts are
/// those of the MPI standard and of `mpi.h` of MPICH 4 and Open MPI 4, not taken from the code
/// under test.
final class FakeMpi implements SymbolLookup {
  /// The two binary interfaces.
  enum Kind {
    MPICH(4, 20),
    OPEN_MPI(8, 24);

    final int handleBytes;
    final int statusBytes;

    Kind(int handleBytes, int statusBytes) {
      this.handleBytes = handleBytes;
      this.statusBytes = statusBytes;
    }
  }

  /// One call, with pointers and handles as numbers.
  record Call(String function, List<Long> arguments) {}

  /// What a function does, and its error code.
  @FunctionalInterface
  interface Body {
    int call(long[] arguments);
  }

  /// A message that waits to be received.
  private record Note(int rank, String words) {}

  /// `P` a pointer, `I` an int, `H` a handle.
  private static final Map<String, String> SIGNATURES =
      Map.ofEntries(
          Map.entry("MPI_Init_thread", "PPIP"),
          Map.entry("MPI_Finalize", ""),
          Map.entry("MPI_Abort", "HI"),
          Map.entry("MPI_Comm_rank", "HP"),
          Map.entry("MPI_Comm_size", "HP"),
          Map.entry("MPI_Comm_dup", "HP"),
          Map.entry("MPI_Comm_split", "HIIP"),
          Map.entry("MPI_Comm_free", "P"),
          Map.entry("MPI_Comm_set_errhandler", "HH"),
          Map.entry("MPI_Barrier", "H"),
          Map.entry("MPI_Ibarrier", "HP"),
          Map.entry("MPI_Bcast", "PIHIH"),
          Map.entry("MPI_Ibcast", "PIHIHP"),
          Map.entry("MPI_Allreduce", "PPIHHH"),
          Map.entry("MPI_Iallreduce", "PPIHHHP"),
          Map.entry("MPI_Ireduce", "PPIHHIHP"),
          Map.entry("MPI_Reduce_scatter_block", "PPIHHH"),
          Map.entry("MPI_Allgather", "PIHPIHH"),
          Map.entry("MPI_Alltoall", "PIHPIHH"),
          Map.entry("MPI_Send", "PIHIIH"),
          Map.entry("MPI_Recv", "PIHIIHP"),
          Map.entry("MPI_Isend", "PIHIIHP"),
          Map.entry("MPI_Irecv", "PIHIIHP"),
          Map.entry("MPI_Testall", "IPPP"),
          Map.entry("MPI_Waitall", "IPP"),
          Map.entry("MPI_Iprobe", "IIHPP"),
          Map.entry("MPI_Error_string", "IPP"));

  private static final List<String> SYMBOLS =
      List.of(
          "ompi_mpi_comm_world",
          "ompi_mpi_byte",
          "ompi_mpi_float",
          "ompi_mpi_double",
          "ompi_mpi_int64_t",
          "ompi_mpi_op_sum",
          "ompi_mpi_op_max",
          "ompi_mpi_errors_return");

  /// A process binds some functions once and for all, so they must serve each test in turn.
  private static final Map<String, MemorySegment> STUBS = new ConcurrentHashMap<>();

  private static volatile @Nullable FakeMpi current;

  /// The level of threads that the library grants: any number of them.
  int granted = 3;

  int rank;
  int size = 1;

  /// By how many bytes each message that comes is shorter than its receive.
  int missing;

  /// Whether operations that were begun are complete.
  volatile boolean complete = true;

  /// What the library says about errors.
  String words = "no such luck";

  final Kind kind;
  final MpiLibrary library;
  private final List<String> absent = new ArrayList<>();
  private final Map<String, Body> bodies = new ConcurrentHashMap<>();
  private final Queue<Call> calls = new ConcurrentLinkedQueue<>();
  private final Map<Long, Long> asked = new ConcurrentHashMap<>();
  private final Queue<Note> notes = new ConcurrentLinkedQueue<>();

  /// The one library until the next is made.
  FakeMpi(Kind kind) {
    this.kind = kind;
    library = new MpiLibrary("libfake.so", this, MpiFlavour.of(this));
    current = this;
  }

  /// A library that lacks a function.
  FakeMpi without(String function) {
    absent.add(function);
    return this;
  }

  /// Has a function do something else than succeed.
  FakeMpi on(String function, Body body) {
    bodies.put(function, body);
    return this;
  }

  /// A message of a watchdog.
  void note(int from, String waitsIn) {
    notes.add(new Note(from, waitsIn));
  }

  MpiSession start(MpiOptions options) {
    LaunchEnvironment environment =
        new LaunchEnvironment(LaunchEnvironment.Launcher.NONE, rank, size, 1, "FAKE_SIZE");
    return MpiSession.start(library, environment, options);
  }

  /// The arguments of each call of a function.
  List<List<Long>> calls(String function) {
    return calls.stream()
        .filter(call -> call.function.equals(function))
        .map(Call::arguments)
        .toList();
  }

  /// The functions called, but for those that look what has come or is complete.
  List<String> names() {
    return calls.stream().map(Call::function).filter(name -> !name.equals("MPI_Testall")).toList();
  }

  void forgetCalls() {
    calls.clear();
  }

  @Override
  public Optional<MemorySegment> find(String name) {
    int symbol = kind == Kind.OPEN_MPI ? SYMBOLS.indexOf(name) : -1;
    if (symbol >= 0) {
      return Optional.of(MemorySegment.ofAddress(address(name)));
    }
    String signature = absent.contains(name) ? null : SIGNATURES.get(name);
    return signature == null
        ? Optional.empty()
        : Optional.of(
            STUBS.computeIfAbsent(name + " of " + kind, ignored -> stub(name, signature, kind)));
  }

  /// Where Open MPI's symbols lie.
  static long address(String symbol) {
    return 0x1000L + 0x100L * SYMBOLS.indexOf(symbol);
  }

  private static MemorySegment stub(String name, String signature, Kind kind) {
    ValueLayout handle = kind == Kind.OPEN_MPI ? ValueLayout.JAVA_LONG : ValueLayout.JAVA_INT;
    MemoryLayout[] layouts =
        signature
            .chars()
            .mapToObj(letter ->
                switch (letter) {
                  case 'P' -> ValueLayout.JAVA_LONG;
                  case 'I' -> ValueLayout.JAVA_INT;
                  default -> handle;
                })
            .toArray(MemoryLayout[]::new);
    FunctionDescriptor descriptor = FunctionDescriptor.of(ValueLayout.JAVA_INT, layouts);
    try {
      MethodHandle serve =
          MethodHandles.lookup()
              .findStatic(
                  FakeMpi.class,
                  "serve",
                  MethodType.methodType(int.class, String.class, long[].class))
              .bindTo(name)
              .asCollector(long[].class, layouts.length)
              .asType(descriptor.toMethodType());
      return Linker.nativeLinker().upcallStub(serve, descriptor, Arena.global());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(name, e);
    }
  }

  @SuppressWarnings("UnusedMethod") // Used by its name.
  private static int serve(String function, long[] arguments) {
    FakeMpi fake = Objects.requireNonNull(current);
    // A watchdog looks again and again.
    if (!function.equals("MPI_Iprobe")) {
      fake.calls.add(new Call(function, Arrays.stream(arguments).boxed().toList()));
    }
    Body body = fake.bodies.get(function);
    return body != null ? body.call(arguments) : fake.succeed(function, arguments);
  }

  private static MemorySegment memory(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  static void setInt(long address, int value) {
    memory(address, Integer.BYTES).set(ValueLayout.JAVA_INT, 0, value);
  }

  private void setHandle(long address, int value) {
    if (kind == Kind.OPEN_MPI) {
      memory(address, Long.BYTES).set(ValueLayout.JAVA_LONG, 0, value);
    } else {
      setInt(address, value);
    }
  }

  private int succeed(String function, long[] a) {
    switch (function) {
      case "MPI_Init_thread" -> setInt(a[3], granted);
      case "MPI_Comm_rank" -> setInt(a[1], rank);
      case "MPI_Comm_size" -> setInt(a[1], size);
      case "MPI_Comm_dup" -> setHandle(a[1], 0xd00);
      case "MPI_Comm_split" -> setHandle(a[3], 0x5b);
      case "MPI_Irecv" -> asked.put(a[6], a[1]);
      case "MPI_Recv" -> receive(a);
      case "MPI_Testall" -> {
        setInt(a[2], complete ? 1 : 0);
        if (complete) {
          report(a[0], a[1], a[3]);
        }
      }
      case "MPI_Waitall" -> report(a[0], a[1], a[2]);
      case "MPI_Iprobe" -> setInt(a[3], notes.isEmpty() ? 0 : 1);
      case "MPI_Error_string" -> {
        memory(a[1], 512).setString(0, words);
        setInt(a[2], words.length());
      }
      default -> {
        // Nothing to say.
      }
    }
    return 0;
  }

  private void receive(long[] a) {
    Note note = notes.poll();
    if (note != null) {
      setInt(a[0], note.rank);
      memory(a[0], a[1]).setString(Integer.BYTES, note.words);
    }
    setBytes(a[6], a[1] - missing);
  }

  private void report(long count, long requests, long statuses) {
    for (int i = 0; i < count; i++) {
      Long bytes = asked.remove(requests + (long) i * kind.handleBytes);
      setBytes(statuses + (long) i * kind.statusBytes, bytes == null ? 0 : bytes - missing);
    }
  }

  /// The size of a message in a status: MPICH has a word of the low bits, then one of the high bits
  /// above that of a cancelled message; Open MPI has five ints, of which padding makes six.
  private void setBytes(long status, long bytes) {
    MemorySegment memory = memory(status, kind.statusBytes);
    if (kind == Kind.OPEN_MPI) {
      memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 16, bytes);
    } else {
      memory.set(ValueLayout.JAVA_INT_UNALIGNED, 0, (int) bytes);
      memory.set(ValueLayout.JAVA_INT_UNALIGNED, 4, (int) (bytes >>> 32) << 1);
    }
  }
}
