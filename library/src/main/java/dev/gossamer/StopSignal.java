package dev.gossamer;

import java.util.ArrayList;
import java.util.List;

/// Asks a training to stop after the current epoch, with a checkpoint if it has a folder.
/// Thread-safe.
public final class StopSignal {
  private final List<Runnable> receivers = new ArrayList<>();
  private boolean requested;
  private boolean begun;

  /// Creates a signal that has not been given.
  public StopSignal() {}

  /// Gives the signal. Repeated calls have no further effect.
  ///
  /// @return whether a training has begun its epochs; before that there is nothing to save
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

  /// Notifies a receiver until the registration is closed, at once if the signal was given already.
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

  /// Ends notification when closed.
  interface Registration extends AutoCloseable {
    @Override
    void close();
  }
}
