package dev.gossamer.cli;

import java.util.concurrent.CountDownLatch;

/// Makes of an order to end the process, such as Ctrl-C, a wish that training stops, and lets the
/// process go on until what training leaves is written: until this is closed.
final class StopOnExit implements AutoCloseable {
  private final CountDownLatch finished = new CountDownLatch(1);
  private final Thread hook;
  private boolean listens;

  /// @param stop asks the training to stop
  StopOnExit(Runnable stop) {
    hook =
        Thread.ofPlatform()
            .name("stop")
            .unstarted(() -> {
              stop.run();
              try {
                finished.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  /// From now on.
  void listen() {
    if (!listens) {
      listens = true;
      Runtime.getRuntime().addShutdownHook(hook);
    }
  }

  @Override
  public void close() {
    finished.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending already; the hook is part of that.
    }
  }
}
