package dev.gossamer;

import java.util.ArrayList;
import java.util.List;

/// Asks a training to stop after the epoch that runs now, with a checkpoint if it has a folder. From
/// any thread.
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

  /// Tells a receiver, now if the signal was given already.
  void whenRequested(Runnable receiver) {
    synchronized (receivers) {
      receivers.add(receiver);
      if (!requested) {
        return;
      }
    }
    receiver.run();
  }
}
