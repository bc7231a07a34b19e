package dev.gossamer.matrix.memory;

import dev.gossamer.matrix.Workers;
import java.lang.foreign.Arena;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/// A program whose kernels run while another thread closes the arena of one of their operands at a
/// random moment.
final class ClosingArenas {
  private ClosingArenas() {}

  public static void main(String[] arguments) throws InterruptedException {
    int rounds = Integer.parseInt(arguments[0]);
    Random random = new Random(7);
    int[] refusals = new int[2];
    try (Workers workers = new Workers(2)) {
      for (int round = 0; round < rounds; round++) {
        for (Map.Entry<String, AddressKernels.Kernel> kernel : AddressKernels.all().entrySet()) {
          int chosen = random.nextInt(operandsOf(kernel.getValue(), workers));
          AddressKernels.Operands operands = new AddressKernels.Operands(chosen);
          // Large enough for memory that the system takes back when it is freed.
          Runnable call = kernel.getValue().on(operands, 1 << 13, workers);
          Arena arena = operands.closable();
          long nanos = random.nextInt(300_000);
          Thread closing = Thread.ofPlatform().start(() -> close(arena, nanos, refusals));
          try {
            while (arena.scope().isAlive()) {
              call.run();
            }
          } catch (IllegalStateException e) {
            refusals[1]++;
          }
          // The virtual machine interrupts a thread that it finds in memory that is being closed.
          Thread.interrupted();
          closing.join();
        }
      }
    }
    System.out.printf("%d refused to close, %d refused to run%n", refusals[0], refusals[1]);
  }

  private static int operandsOf(AddressKernels.Kernel kernel, Workers workers) {
    AddressKernels.Operands operands = new AddressKernels.Operands(-1);
    Runnable _ = kernel.on(operands, 64, workers);
    return operands.count();
  }

  private static void close(Arena arena, long nanos, int[] refusals) {
    while (arena.scope().isAlive()) {
      LockSupport.parkNanos(nanos);
      try {
        arena.close();
      } catch (IllegalStateException e) {
        refusals[0]++;
      }
    }
  }
}
