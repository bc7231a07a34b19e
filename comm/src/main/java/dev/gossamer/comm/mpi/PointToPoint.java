package dev.gossamer.comm.mpi;

import java.lang.invoke.MethodHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// `MPI_Send` and `MPI_Recv` as constants. These calls dominate the latency of small messages, and
/// the compiler inlines only constant method handles. One library is loaded and started once in a
/// process, so one pair is enough.
final class PointToPoint {
  private static volatile @Nullable MethodHandle send;
  private static volatile @Nullable MethodHandle receive;

  private PointToPoint() {}

  /// Decides what [Bound] will be, before its first use.
  static void bind(MethodHandle sendCall, MethodHandle receiveCall) {
    send = sendCall;
    receive = receiveCall;
  }

  /// The calls. Initialised at its first use.
  static final class Bound {
    static final MethodHandle SEND = Objects.requireNonNull(send);
    static final MethodHandle RECEIVE = Objects.requireNonNull(receive);

    private Bound() {}
  }
}
