package dev.gossamer;

import java.util.ArrayList;
import java.util.List;

/// Asks a training to stop after the epoch that runs now, with a checkpoint if it has a folder.
/// From any thread.
public final class StopSignal {
  private final List<Runnable> receivers = new ArrayList<>();
  private boolean requested;
  private boolean begun;

  /// Creates a signal that has not been given.
  public StopSignal() {}

  /// Asks. Once is enough.
  ///
  /// @return whether a training has begun its epochs; one that is still being set up has nothing to
  ///   keep
  public boolean request() {
    List<Runnable> told;
    boolean keeps;
    synchronized (receivers) {
      requested = true;
      keeps = begun;
      told = List.copyOf(receivers);
    }
    told.forEach(Runnable::run);
    return keeps;
  }

  /// Tells a receiver until the registration is closed, now if the signal was given already.
  Registration whenRequested(Runnable receiver) {
    boolean now;
    synchronized (receivers) {
      begun = true;
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
