package dev.gossamer.matrix;

import dev.gossamer.base.Workers;
import java.lang.foreign.Arena;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;

/// A program whose kernels run while another thread closes the arena of one of their operands at a
/// random moment.
final class ClosingArenas {
  /// As often each operand is closed.
  static final int ROUNDS = 10;

  private final Workers workers = new Workers(2);
  private final Random random = new Random(7);
  private int operands;
  private int closed;
  private int refusedToRun;
  private int refusedToClose;

  private ClosingArenas() {}

  public static void main(String[] arguments) throws InterruptedException {
    ClosingArenas program = new ClosingArenas();
    for (AddressKernels.Kernel kernel : AddressKernels.all().values()) {
      int count = program.operandsOf(kernel);
      program.operands += count;
      for (int i = 0; i < count * ROUNDS; i++) {
        program.close(kernel, i % count);
      }
    }
    System.out.printf(
        "%d operands, %d closed, %d refused to run, %d refused to close%n",
        program.operands, program.closed, program.refusedToRun, program.refusedToClose);
    program.workers.close();
  }

  private int operandsOf(AddressKernels.Kernel kernel) {
    AddressKernels.Operands none = new AddressKernels.Operands(-1);
    Runnable _ = kernel.on(none, 64, workers);
    return none.count();
  }

  /// Closes an operand while the kernel runs again and again, and lets it run once more. A kernel
  /// that has refused it pauses, so that the second attempt succeeds.
  private void close(AddressKernels.Kernel kernel, int chosen) throws InterruptedException {
    AddressKernels.Operands made = new AddressKernels.Operands(chosen);
    // Large enough for memory that the system takes back when it is freed.
    Runnable call = kernel.on(made, 1 << 13, workers);
    Arena arena = made.closable();
    int spins = random.nextInt(20_000);
    AtomicBoolean refused = new AtomicBoolean();
    Thread closing = Thread.ofPlatform().start(() -> close(arena, spins, refused));
    try {
      while (arena.scope().isAlive()) {
        call.run();
        while (refused.get() && arena.scope().isAlive()) {
          Thread.onSpinWait();
        }
      }
    } catch (IllegalStateException e) {
      // It was closed between two looks.
    }
    // The virtual machine interrupts a thread that it finds in memory that is being closed.
    Thread.interrupted();
    closing.join();
    closed++;
    refusedToClose += refused.get() ? 1 : 0;
    try {
      call.run();
    } catch (IllegalStateException e) {
      refusedToRun++;
    }
  }

  private static void close(Arena arena, int spins, AtomicBoolean refused) {
    for (int i = 0; i < spins; i++) {
      Thread.onSpinWait();
    }
    while (arena.scope().isAlive()) {
      try {
        arena.close();
      } catch (IllegalStateException e) {
        // A kernel runs.
        refused.set(true);
      }
    }
  }
}
