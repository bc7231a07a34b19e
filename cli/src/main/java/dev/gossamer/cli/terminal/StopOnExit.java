package dev.gossamer.cli.terminal;

import dev.gossamer.base.io.AtomicOutput;
import java.io.File;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Turns the first Ctrl-C or other request to end the process into a request to stop training, and
/// lets the process continue until its results are written: until this is closed. A second Ctrl-C
/// ends it at once.
public final class StopOnExit implements AutoCloseable {
  /// The signal of Ctrl-C, on every POSIX system.
  private static final int SIGINT = 2;

  private final CountDownLatch finished = new CountDownLatch(1);
  private final Thread hook;
  private AtomicOutput.@Nullable Finishing outputs;

  /// @param stop asks the training to stop, and returns whether it has something to write first
  public StopOnExit(BooleanSupplier stop) {
    hook =
        Thread.ofPlatform()
            .name("stop")
            .unstarted(() -> {
              try {
                endAtNextInterrupt();
              } finally {
                if (stop.getAsBoolean()) {
                  awaitFinished();
                }
                endOutputs();
              }
            });
  }

  /// Listens from now on.
  public synchronized void listen() {
    if (outputs == null) {
      outputs = AtomicOutput.finishing();
      Runtime.getRuntime().addShutdownHook(hook);
    }
  }

  /// The virtual machine hears no second signal while it ends. Without its handler, the system ends
  /// the process.
  private static void endAtNextInterrupt() {
    if (File.separatorChar != '/') {
      return;
    }
    Linker linker = Linker.nativeLinker();
    try {
      MemorySegment _ =
          (MemorySegment)
              linker
                  .downcallHandle(
                      linker.defaultLookup().findOrThrow("signal"),
                      FunctionDescriptor.of(
                          ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.ADDRESS))
                  .invokeExact(SIGINT, MemorySegment.NULL);
    } catch (Throwable e) {
      throw new IllegalStateException("signal cannot be called", e);
    }
  }

  private void awaitFinished() {
    try {
      finished.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void endOutputs() {
    if (outputs != null) {
      outputs.close();
      outputs = null;
    }
  }

  @Override
  public void close() {
    finished.countDown();
    endOutputs();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending already; the hook is part of that.
    }
  }
}
