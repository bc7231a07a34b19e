package dev.gossamer.comm.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/// One thread that calls the library: the operation that it waits in, and the status of a blocking
/// receive. Written by the thread, read by the [Watchdog].
final class CallingThread {
  private final MemorySegment status;

  /// Goes up by one when the thread enters an operation and when it leaves: odd inside.
  private final AtomicLong steps = new AtomicLong();

  private String operation = "";
  private long bytes;

  /// @param statusBytes bytes of an `MPI_Status`
  CallingThread(int statusBytes) {
    status = Arena.ofAuto().allocate(statusBytes, 8);
  }

  MemorySegment status() {
    return status;
  }

  /// Called when the thread enters an operation that waits for other ranks. Plain stores, because
  /// every message calls it.
  void enter(String newOperation, long newBytes) {
    operation = newOperation;
    bytes = newBytes;
    step();
  }

  /// The thread has left the operation.
  void leave() {
    step();
  }

  private void step() {
    steps.lazySet(steps.getPlain() + 1);
  }

  /// A number that stays the same while the thread is in one operation; even if it is in none.
  long steps() {
    return steps.getAcquire();
  }

  /// The operation in words: `all-reduce of 64 bytes`.
  String describe() {
    return bytes == 0 ? operation : "%s of %d bytes".formatted(operation, bytes);
  }
}
