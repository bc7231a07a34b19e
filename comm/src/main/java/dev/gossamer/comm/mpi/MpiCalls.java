package dev.gossamer.comm.mpi;

import dev.gossamer.comm.CommunicationException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The MPI functions in use, under their names, with handles as longs for both kinds of libraries.
/// Each throws a [CommunicationException] with the function's name, the rank and the library's
/// message if the library reports an error.
final class MpiCalls {
  private static final int MAX_ERROR_STRING = 512;

  /// `P` a pointer whose memory the call holds, so that it cannot be closed meanwhile, `I` an int,
  /// `H` a handle, `A` a bare address of memory that lives as long as the library's.
  private static final String SIGNATURE_LETTERS = "PIHA";

  /// A function of the library.
  private record Function(String name, MethodHandle handle) {}

  /// One call of a function, from its arguments to the code that it returns.
  @FunctionalInterface
  private interface Call {
    int of(MethodHandle function) throws Throwable;
  }

  private final MpiLibrary library;
  private final @Nullable ReentrantLock gate;
  private final CallingThreads threads;
  private volatile int rank = -1;

  private final Function initThread = bind("MPI_Init_thread", "PPIP");
  private final Function finish = bind("MPI_Finalize", "");
  private final Function abort = bind("MPI_Abort", "HI");
  private final Function commRank = bind("MPI_Comm_rank", "HP");
  private final Function commSize = bind("MPI_Comm_size", "HP");
  private final Function commDup = bind("MPI_Comm_dup", "HP");
  private final Function commSplit = bind("MPI_Comm_split", "HIIP");
  private final Function commFree = bind("MPI_Comm_free", "P");
  private final Function commSetErrhandler = bind("MPI_Comm_set_errhandler", "HH");
  private final Function barrier = bind("MPI_Barrier", "H");
  private final Function ibarrier = bind("MPI_Ibarrier", "HP");
  private final Function bcast = bind("MPI_Bcast", "PIHIH");
  private final Function ibcast = bind("MPI_Ibcast", "PIHIHP");
  private final Function allreduce = bind("MPI_Allreduce", "PPIHHH");
  private final Function iallreduce = bind("MPI_Iallreduce", "PPIHHHP");
  private final Function ireduce = bind("MPI_Ireduce", "PPIHHIHP");
  private final Function reduceScatterBlock = bind("MPI_Reduce_scatter_block", "PPIHHH");
  private final Function allgather = bind("MPI_Allgather", "PIHPIHH");
  private final Function alltoall = bind("MPI_Alltoall", "PIHPIHH");
  private final Function send = bind("MPI_Send", "PIHIIH");
  private final Function recv = bind("MPI_Recv", "PIHIIHA");
  private final Function isend = bind("MPI_Isend", "PIHIIHP");
  private final Function irecv = bind("MPI_Irecv", "PIHIIHP");
  private final Function testall = bind("MPI_Testall", "IPPP");
  private final Function waitall = bind("MPI_Waitall", "IPP");
  private final Function iprobe = bind("MPI_Iprobe", "IIHPP");
  private final Function errorString = bind("MPI_Error_string", "IPP");

  /// @param oneThreadAtATime whether calls wait for each other
  MpiCalls(MpiLibrary library, boolean oneThreadAtATime) {
    this.library = library;
    gate = oneThreadAtATime ? new ReentrantLock() : null;
    threads = new CallingThreads(library.flavour().statusBytes());
    // Only now are the functions above bound: they need what has been set here.
    super();
    PointToPoint.bind(send.handle, recv.handle);
  }

  MpiFlavour flavour() {
    return library.flavour();
  }

  /// The threads that are or were in a call that waits for other ranks.
  CallingThreads threads() {
    return threads;
  }

  /// The rank that error messages name.
  void setRank(int worldRank) {
    rank = worldRank;
  }

  private Function bind(String name, String signature) {
    MemorySegment function =
        library
            .symbols()
            .find(name)
            .orElseThrow(() ->
                new CommunicationException("MPI: %s has no %s".formatted(library.name(), name)));
    MemoryLayout[] arguments = new MemoryLayout[signature.length()];
    Class<?>[] types = new Class<?>[signature.length()];
    ValueLayout handle =
        flavour().hasPointerHandles() ? ValueLayout.JAVA_LONG : ValueLayout.JAVA_INT;
    List<ValueLayout> layouts =
        List.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT, handle, ValueLayout.JAVA_LONG);
    List<Class<?>> carriers = List.of(MemorySegment.class, int.class, long.class, long.class);
    for (int i = 0; i < arguments.length; i++) {
      int letter = SIGNATURE_LETTERS.indexOf(signature.charAt(i));
      arguments[i] = layouts.get(letter);
      types[i] = carriers.get(letter);
    }
    MethodHandle call =
        Linker.nativeLinker()
            .downcallHandle(function, FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
    MethodHandle uniform =
        MethodHandles.explicitCastArguments(call, MethodType.methodType(int.class, types));
    return new Function(name, gate == null ? uniform : gated(uniform, gate));
  }

  /// The call between `gate.lock()` and `gate.unlock()`.
  private static MethodHandle gated(MethodHandle call, ReentrantLock gate) {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      MethodType type = MethodType.methodType(void.class);
      MethodHandle lock = lookup.bind(gate, "lock", type);
      MethodHandle unlock = lookup.bind(gate, "unlock", type);
      MethodHandle result = MethodHandles.identity(int.class);
      MethodHandle cleanup =
          MethodHandles.dropArguments(
              MethodHandles.foldArguments(result, unlock), 0, Throwable.class);
      return MethodHandles.foldArguments(MethodHandles.tryFinally(call, cleanup), lock);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the lock has no such method", e);
    }
  }

  /// What a foreign call can throw is a defect of ours, not of the user.
  static RuntimeException unexpected(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return e instanceof RuntimeException known ? known : new IllegalStateException(e);
  }

  private void check(String function, int code) {
    if (code == 0) {
      return;
    }
    String text = "error " + code;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment words = arena.allocate(MAX_ERROR_STRING);
      if ((int) errorString.handle.invokeExact(code, words, arena.allocate(ValueLayout.JAVA_INT))
          == 0) {
        text = words.getString(0).strip().replaceAll("\\s+", " ");
      }
    } catch (Throwable e) {
      throw unexpected(e);
    }
    throw new CommunicationException("%s failed on rank %d: %s".formatted(function, rank, text));
  }

  /// Calls a function that does not wait for other ranks.
  private void call(Function function, Call call) {
    int code;
    try {
      code = call.of(function.handle);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check(function.name, code);
  }

  /// Calls a function that waits for other ranks, seen by the [Watchdog].
  ///
  /// @param operation what the rank then waits in, of `bytes` bytes
  private void await(String operation, long bytes, Function function, Call call) {
    CallingThread thread = threads.current();
    thread.enter(operation, bytes);
    try {
      call(function, call);
    } finally {
      thread.leave();
    }
  }

  void initThread(MemorySegment argc, MemorySegment argv, int required, MemorySegment provided) {
    call(initThread, f -> (int) f.invokeExact(argc, argv, required, provided));
  }

  void finish() {
    call(finish, f -> (int) f.invokeExact());
  }

  void abort(long comm, int status) {
    call(abort, f -> (int) f.invokeExact(comm, status));
  }

  int commRank(long comm) {
    return number(commRank, comm);
  }

  int commSize(long comm) {
    return number(commSize, comm);
  }

  /// What a function has to say about a group.
  private int number(Function function, long comm) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocate(ValueLayout.JAVA_INT);
      call(function, f -> (int) f.invokeExact(comm, number));
      return number.get(ValueLayout.JAVA_INT, 0);
    }
  }

  void commDup(long comm, MemorySegment duplicate) {
    await("split", 0, commDup, f -> (int) f.invokeExact(comm, duplicate));
  }

  void commSplit(long comm, int color, int key, MemorySegment part) {
    await("split", 0, commSplit, f -> (int) f.invokeExact(comm, color, key, part));
  }

  void commFree(MemorySegment comm) {
    call(commFree, f -> (int) f.invokeExact(comm));
  }

  void commSetErrhandler(long comm, long handler) {
    call(commSetErrhandler, f -> (int) f.invokeExact(comm, handler));
  }

  void barrier(long comm) {
    await("barrier", 0, barrier, f -> (int) f.invokeExact(comm));
  }

  void ibarrier(long comm, MemorySegment request) {
    call(ibarrier, f -> (int) f.invokeExact(comm, request));
  }

  void bcast(MemorySegment buffer, int count, long type, int root, long comm) {
    await(
        "broadcast",
        buffer.byteSize(),
        bcast,
        f -> (int) f.invokeExact(buffer, count, type, root, comm));
  }

  void ibcast(
      MemorySegment buffer, int count, long type, int root, long comm, MemorySegment request) {
    call(ibcast, f -> (int) f.invokeExact(buffer, count, type, root, comm, request));
  }

  void allreduce(
      MemorySegment send, MemorySegment receive, int count, long type, long op, long comm) {
    await(
        "all-reduce",
        receive.byteSize(),
        allreduce,
        f -> (int) f.invokeExact(send, receive, count, type, op, comm));
  }

  void iallreduce(
      MemorySegment send,
      MemorySegment receive,
      int count,
      long type,
      long op,
      long comm,
      MemorySegment request) {
    call(iallreduce, f -> (int) f.invokeExact(send, receive, count, type, op, comm, request));
  }

  void ireduce(
      MemorySegment send,
      MemorySegment receive,
      int count,
      long type,
      long op,
      int root,
      long comm,
      MemorySegment request) {
    call(ireduce, f -> (int) f.invokeExact(send, receive, count, type, op, root, comm, request));
  }

  void reduceScatterBlock(
      MemorySegment send, MemorySegment receive, int count, long type, long op, long comm) {
    await(
        "reduce-scatter",
        send.byteSize(),
        reduceScatterBlock,
        f -> (int) f.invokeExact(send, receive, count, type, op, comm));
  }

  /// @param count elements of a rank's block, of type `type`
  void allgather(MemorySegment send, MemorySegment receive, int count, long type, long comm) {
    await(
        "all-gather",
        receive.byteSize(),
        allgather,
        f -> (int) f.invokeExact(send, count, type, receive, count, type, comm));
  }

  /// @param count elements of a block, of type `type`
  void alltoall(MemorySegment send, MemorySegment receive, int count, long type, long comm) {
    await(
        "all-to-all",
        send.byteSize(),
        alltoall,
        f -> (int) f.invokeExact(send, count, type, receive, count, type, comm));
  }

  /// Written out, as [#recv]: of a small message's latency even the frame is a part.
  void send(MemorySegment buffer, int count, long type, int peer, int tag, long comm) {
    int code;
    CallingThread thread = threads.current();
    thread.enter("send", count);
    try {
      code = (int) PointToPoint.Bound.SEND.invokeExact(buffer, count, type, peer, tag, comm);
    } catch (Throwable e) {
      throw unexpected(e);
    } finally {
      thread.leave();
    }
    check(send.name, code);
  }

  /// Bytes of the message that came.
  long recv(MemorySegment buffer, int count, long type, int peer, int tag, long comm) {
    int code;
    CallingThread thread = threads.current();
    thread.enter("receive", count);
    MemorySegment status = thread.status();
    try {
      code =
          (int)
              PointToPoint.Bound.RECEIVE.invokeExact(
                  buffer, count, type, peer, tag, comm, status.address());
    } catch (Throwable e) {
      throw unexpected(e);
    } finally {
      thread.leave();
    }
    check(recv.name, code);
    return flavour().receivedBytes(status);
  }

  /// Whether a message has arrived that is not received yet.
  void iprobe(int peer, int tag, long comm, MemorySegment flag, MemorySegment status) {
    call(iprobe, f -> (int) f.invokeExact(peer, tag, comm, flag, status));
  }

  void isend(
      MemorySegment buffer,
      int count,
      long type,
      int peer,
      int tag,
      long comm,
      MemorySegment request) {
    call(isend, f -> (int) f.invokeExact(buffer, count, type, peer, tag, comm, request));
  }

  void irecv(
      MemorySegment buffer,
      int count,
      long type,
      int peer,
      int tag,
      long comm,
      MemorySegment request) {
    call(irecv, f -> (int) f.invokeExact(buffer, count, type, peer, tag, comm, request));
  }

  void testall(int count, MemorySegment requests, MemorySegment flag, MemorySegment statuses) {
    call(testall, f -> (int) f.invokeExact(count, requests, flag, statuses));
  }

  /// @param operation that the requests are, of `bytes` bytes
  void waitall(
      String operation, long bytes, int count, MemorySegment requests, MemorySegment statuses) {
    await(operation, bytes, waitall, f -> (int) f.invokeExact(count, requests, statuses));
  }
}
