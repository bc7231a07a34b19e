package dev.gossamer;

import java.util.ArrayList;
import java.util.List;

/// Asks a training to stop after the epoch that runs now, with a checkpoint if it has a folder.
/// From any thread.
public final class StopSignal {
  private final List<Runnable> receivers = new ArrayList<>();
  private boolean requested;

  /// Makes a signal that nobody has given yet.
  public StopSignal() {}

  /// Asks. Once is enough.
  public void request() {
    List<Runnable> told;
    synchronized (receivers) {
      requested = true;
      told = List.copyOf(receivers);
    }
    told.forEach(Runnable::run);
  }

  /// Tells a receiver until the registration is closed, now if the signal was given already.
  Registration whenRequested(Runnable receiver) {
    boolean now;
    synchronized (receivers) {
      receivers.add(receiver);
      now = requested;
    }
    if (now) {
      receiver.run();
    }
    return () -> {
      synchronized (receivers) {
        receivers.remove(receiver);
      }
    };
  }

  /// A receiver that is told, until this is closed.
  interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
