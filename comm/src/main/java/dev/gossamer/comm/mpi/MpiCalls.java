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
import java.lang.ref.Reference;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The functions of MPI that are used, under their names, with handles as longs whatever the
/// library's flavour. Each throws a [CommunicationException] with the function's name, the rank and
/// the library's words if the library reports an error.
final class MpiCalls {
  private static final int MAX_ERROR_STRING = 512;

  /// `P` a pointer whose memory the call keeps allocated, `I` an int, `H` a handle, `A` a bare
  /// address: keeping memory allocated takes two atomic operations a call.
  private static final String SIGNATURE_LETTERS = "PIHA";

  private final MpiLibrary library;
  private final @Nullable ReentrantLock gate;
  private final CallingThreads threads;
  private volatile int rank = -1;

  private final MethodHandle initThread;
  private final MethodHandle finish;
  private final MethodHandle abort;
  private final MethodHandle commRank;
  private final MethodHandle commSize;
  private final MethodHandle commDup;
  private final MethodHandle commSplit;
  private final MethodHandle commFree;
  private final MethodHandle commSetErrhandler;
  private final MethodHandle barrier;
  private final MethodHandle ibarrier;
  private final MethodHandle bcast;
  private final MethodHandle ibcast;
  private final MethodHandle allreduce;
  private final MethodHandle iallreduce;
  private final MethodHandle ireduce;
  private final MethodHandle reduceScatterBlock;
  private final MethodHandle allgather;
  private final MethodHandle alltoall;
  private final MethodHandle isend;
  private final MethodHandle irecv;
  private final MethodHandle testall;
  private final MethodHandle waitall;
  private final MethodHandle iprobe;
  private final MethodHandle errorString;

  /// @param oneThreadAtATime whether calls wait for each other
  MpiCalls(MpiLibrary library, boolean oneThreadAtATime) {
    this.library = library;
    gate = oneThreadAtATime ? new ReentrantLock() : null;
    threads = new CallingThreads(library.flavour().statusBytes());
    initThread = bind("MPI_Init_thread", "PPIP");
    finish = bind("MPI_Finalize", "");
    abort = bind("MPI_Abort", "HI");
    commRank = bind("MPI_Comm_rank", "HP");
    commSize = bind("MPI_Comm_size", "HP");
    commDup = bind("MPI_Comm_dup", "HP");
    commSplit = bind("MPI_Comm_split", "HIIP");
    commFree = bind("MPI_Comm_free", "P");
    commSetErrhandler = bind("MPI_Comm_set_errhandler", "HH");
    barrier = bind("MPI_Barrier", "H");
    ibarrier = bind("MPI_Ibarrier", "HP");
    bcast = bind("MPI_Bcast", "PIHIH");
    ibcast = bind("MPI_Ibcast", "PIHIHP");
    allreduce = bind("MPI_Allreduce", "PPIHHH");
    iallreduce = bind("MPI_Iallreduce", "PPIHHHP");
    ireduce = bind("MPI_Ireduce", "PPIHHIHP");
    reduceScatterBlock = bind("MPI_Reduce_scatter_block", "PPIHHH");
    allgather = bind("MPI_Allgather", "PIHPIHH");
    alltoall = bind("MPI_Alltoall", "PIHPIHH");
    PointToPoint.bind(bind("MPI_Send", "AIHIIH"), bind("MPI_Recv", "AIHIIHA"));
    isend = bind("MPI_Isend", "PIHIIHP");
    irecv = bind("MPI_Irecv", "PIHIIHP");
    testall = bind("MPI_Testall", "IPPP");
    waitall = bind("MPI_Waitall", "IPP");
    iprobe = bind("MPI_Iprobe", "IIHPP");
    errorString = bind("MPI_Error_string", "IPP");
  }

  MpiFlavour flavour() {
    return library.flavour();
  }

  /// The threads that are or were in a call that waits for other ranks.
  CallingThreads threads() {
    return threads;
  }

  private CallingThread enter(String operation, long bytes) {
    CallingThread thread = threads.current();
    thread.enter(operation, bytes);
    return thread;
  }

  /// The rank that error messages name.
  void setRank(int worldRank) {
    rank = worldRank;
  }

  private MethodHandle bind(String name, String signature) {
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
    return gate == null ? uniform : gated(uniform, gate);
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
      if ((int) errorString.invokeExact(code, words, arena.allocate(ValueLayout.JAVA_INT)) == 0) {
        text = words.getString(0).strip().replaceAll("\\s+", " ");
      }
    } catch (Throwable e) {
      throw unexpected(e);
    }
    throw new CommunicationException("%s failed on rank %d: %s".formatted(function, rank, text));
  }

  void initThread(MemorySegment argc, MemorySegment argv, int required, MemorySegment provided) {
    int code;
    try {
      code = (int) initThread.invokeExact(argc, argv, required, provided);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check("MPI_Init_thread", code);
  }

  void finish() {
    int code;
    try {
      code = (int) finish.invokeExact();
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check("MPI_Finalize", code);
  }

  void abort(long comm, int status) {
    int code;
    try {
      code = (int) abort.invokeExact(comm, status);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check("MPI_Abort", code);
  }

  void commRank(long comm, MemorySegment rank) {
    int code;
    try {
      code = (int) commRank.invokeExact(comm, rank);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check("MPI_Comm_rank", code);
  }

  void commSize(long comm, MemorySegment size) {
    int code;
    try {
      code = (int) commSize.invokeExact(comm, size);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check("MPI_Comm_size", code);
  }

  void commDup(long comm, MemorySegment duplicate) {
    int code;
    CallingThread thread = enter("split", 0);
    try {
      code = (int) commDup.invokeExact(comm, duplicate);
    } catch (Throwable e) {
      throw unexpected(e);
    } finally {
      thread.leave();
    }
    check("MPI_Comm_dup", code);
  }

  void commSplit(long comm, int color, int key, MemorySegment part) {
    int code;
    CallingThread thread = enter("split", 0);
    try {
      code = (int) commSplit.invokeExact(comm, color, key, part);
    } catch (Throwable e) {
      throw unexpected(e);
    } finally {
      thread.leave();
    }
    check("MPI_Comm_split", code);
  }

  void commFree(MemorySegment comm) {
    int code;
    try {
      code = (int) commFree.invokeExact(comm);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check("MPI_Comm_free", code);
  }

  void commSetErrhandler(long comm, long handler) {
    int code;
    try {
      code = (int) commSetErrhandler.invokeExact(comm, handler);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check("MPI_Comm_set_errhandler", code);
  }

  void barrier(long comm) {
    int code;
    CallingThread thread = enter("barrier", 0);
    try {
      code = (int) barrier.invokeExact(comm);
    } catch (Throwable e) {
      throw unexpected(e);
    } finally {
      thread.leave();
    }
    check("MPI_Barrier", code);
  }

  void ibarrier(long comm, MemorySegment request) {
    int code;
    try {
      code = (int) ibarrier.invokeExact(comm, request);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check("MPI_Ibarrier", code);
  }

  void bcast(MemorySegment buffer, int count, long type, int root, long comm) {
    int code;
    CallingThread thread = enter("broadcast", buffer.byteSize());
    try {
      code = (int) bcast.invokeExact(buffer, count, type, root, comm);
    } catch (Throwable e) {
      throw unexpected(e);
    } finally {
      thread.leave();
    }
    check("MPI_Bcast", code);
  }

  void ibcast(
      MemorySegment buffer, int count, long type, int root, long comm, MemorySegment request) {
    int code;
    try {
      code = (int) ibcast.invokeExact(buffer, count, type, root, comm, request);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check("MPI_Ibcast", code);
  }

  void allreduce(
      MemorySegment send, MemorySegment receive, int count, long type, long op, long comm) {
    int code;
    CallingThread thread = enter("all-reduce", receive.byteSize());
    try {
      code = (int) allreduce.invokeExact(send, receive, count, type, op, comm);
    } catch (Throwable e) {
      throw unexpected(e);
    } finally {
      thread.leave();
    }
    check("MPI_Allreduce", code);
  }

  void iallreduce(
      MemorySegment send,
      MemorySegment receive,
      int count,
      long type,
      long op,
      long comm,
      MemorySegment request) {
    int code;
    try {
      code = (int) iallreduce.invokeExact(send, receive, count, type, op, comm, request);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check("MPI_Iallreduce", code);
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
    int code;
    try {
      code = (int) ireduce.invokeExact(send, receive, count, type, op, root, comm, request);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check("MPI_Ireduce", code);
  }

  void reduceScatterBlock(
      MemorySegment send, MemorySegment receive, int count, long type, long op, long comm) {
    int code;
    CallingThread thread = enter("reduce-scatter", send.byteSize());
    try {
      code = (int) reduceScatterBlock.invokeExact(send, receive, count, type, op, comm);
    } catch (Throwable e) {
      throw unexpected(e);
    } finally {
      thread.leave();
    }
    check("MPI_Reduce_scatter_block", code);
  }

  void allgather(
      MemorySegment send,
      int sendCount,
      long sendType,
      MemorySegment receive,
      int receiveCount,
      long receiveType,
      long comm) {
    int code;
    CallingThread thread = enter("all-gather", receive.byteSize());
    try {
      code =
          (int)
              allgather.invokeExact(
                  send, sendCount, sendType, receive, receiveCount, receiveType, comm);
    } catch (Throwable e) {
      throw unexpected(e);
    } finally {
      thread.leave();
    }
    check("MPI_Allgather", code);
  }

  void alltoall(
      MemorySegment send,
      int sendCount,
      long sendType,
      MemorySegment receive,
      int receiveCount,
      long receiveType,
      long comm) {
    int code;
    CallingThread thread = enter("all-to-all", send.byteSize());
    try {
      code =
          (int)
              alltoall.invokeExact(
                  send, sendCount, sendType, receive, receiveCount, receiveType, comm);
    } catch (Throwable e) {
      throw unexpected(e);
    } finally {
      thread.leave();
    }
    check("MPI_Alltoall", code);
  }

  void send(MemorySegment buffer, int count, long type, int peer, int tag, long comm) {
    int code;
    CallingThread thread = enter("send", count);
    try {
      code =
          (int) PointToPoint.Bound.SEND.invokeExact(buffer.address(), count, type, peer, tag, comm);
    } catch (Throwable e) {
      throw unexpected(e);
    } finally {
      thread.leave();
      Reference.reachabilityFence(buffer);
    }
    check("MPI_Send", code);
  }

  /// Bytes of the message that came.
  long recv(MemorySegment buffer, int count, long type, int peer, int tag, long comm) {
    int code;
    CallingThread thread = enter("receive", count);
    MemorySegment status = thread.status();
    try {
      code =
          (int)
              PointToPoint.Bound.RECEIVE.invokeExact(
                  buffer.address(), count, type, peer, tag, comm, status.address());
    } catch (Throwable e) {
      throw unexpected(e);
    } finally {
      thread.leave();
      Reference.reachabilityFence(buffer);
    }
    check("MPI_Recv", code);
    return flavour().receivedBytes(status);
  }

  /// Whether a message has come that nobody has received yet.
  void iprobe(int peer, int tag, long comm, MemorySegment flag, MemorySegment status) {
    int code;
    try {
      code = (int) iprobe.invokeExact(peer, tag, comm, flag, status);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check("MPI_Iprobe", code);
  }

  void isend(
      MemorySegment buffer,
      int count,
      long type,
      int peer,
      int tag,
      long comm,
      MemorySegment request) {
    int code;
    try {
      code = (int) isend.invokeExact(buffer, count, type, peer, tag, comm, request);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check("MPI_Isend", code);
  }

  void irecv(
      MemorySegment buffer,
      int count,
      long type,
      int peer,
      int tag,
      long comm,
      MemorySegment request) {
    int code;
    try {
      code = (int) irecv.invokeExact(buffer, count, type, peer, tag, comm, request);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check("MPI_Irecv", code);
  }

  void testall(int count, MemorySegment requests, MemorySegment flag, MemorySegment statuses) {
    int code;
    try {
      code = (int) testall.invokeExact(count, requests, flag, statuses);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    check("MPI_Testall", code);
  }

  /// @param operation that the requests are, of `bytes` bytes
  void waitall(
      String operation, long bytes, int count, MemorySegment requests, MemorySegment statuses) {
    int code;
    CallingThread thread = enter(operation, bytes);
    try {
      code = (int) waitall.invokeExact(count, requests, statuses);
    } catch (Throwable e) {
      throw unexpected(e);
    } finally {
      thread.leave();
    }
    check("MPI_Waitall", code);
  }
}
