package dev.gossamer.comm.mpi;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// The threads of this process that have called the library.
final class CallingThreads {
  private final List<CallingThread> all = new CopyOnWriteArrayList<>();
  private final ThreadLocal<CallingThread> current;

  /// @param statusBytes bytes of an `MPI_Status`
  CallingThreads(int statusBytes) {
    current =
        ThreadLocal.withInitial(() -> {
          CallingThread thread = new CallingThread(statusBytes);
          all.add(thread);
          return thread;
        });
  }

  /// The thread that asks.
  CallingThread current() {
    return current.get();
  }

  List<CallingThread> all() {
    return all;
  }
}
