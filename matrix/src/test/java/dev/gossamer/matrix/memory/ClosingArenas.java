package dev.gossamer.matrix.memory;

import dev.gossamer.matrix.Workers;
import java.lang.foreign.Arena;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/// A program whose kernels run while another thread closes the arena of one of their operands at a
/// random moment.
final class ClosingArenas {
  /// As often each operand is closed at least.
  private static final int ROUNDS = 10;

  /// An operand that is held is not closed in one of the first few attempts: after this many, it is
  /// not held.
  private static final int MOST_ROUNDS = 10_000;

  /// Operands that a kernel does not hold: it reaches them through segments, whose accesses the
  /// virtual machine checks itself.
  private static final Map<String, Set<Integer>> CHECKED =
      Map.ofEntries(
          Map.entry("y += x", Set.of(0, 1)),
          Map.entry("layer normalisation", Set.of(4)),
          Map.entry("layer normalisation, gradients", Set.of(2, 5)),
          Map.entry("batch normalisation", Set.of(2, 3)),
          Map.entry("batch normalisation, gradients", Set.of(2, 5)),
          Map.entry("narrow to FLOAT32", Set.of(0, 1)),
          Map.entry("widen from FLOAT32", Set.of(0, 1)),
          Map.entry("pack rows in FLOAT32", Set.of(0, 1)),
          Map.entry("unpack rows in FLOAT32", Set.of(0, 1)),
          Map.entry("add rows in FLOAT32", Set.of(0, 1)),
          Map.entry("column ids", Set.of(0)),
          Map.entry("sparse times dense", Set.of(0, 1, 2)),
          Map.entry("sparse times sparse", Set.of(0, 1, 2, 3)),
          Map.entry("attention", Set.of(0)),
          Map.entry("attention, gradients of targets", Set.of(0)),
          Map.entry("attention, gradients of sources", Set.of(0)));

  private final Workers workers = new Workers(2);
  private final Random random = new Random(7);
  private int operands;
  private int closed;
  private int refusedToRun;
  private int refusedToClose;
  private int checked;

  private ClosingArenas() {}

  public static void main(String[] arguments) throws InterruptedException {
    ClosingArenas program = new ClosingArenas();
    for (Map.Entry<String, AddressKernels.Kernel> kernel : AddressKernels.all().entrySet()) {
      int count = program.operandsOf(kernel.getValue());
      for (int chosen = 0; chosen < count; chosen++) {
        program.closeOftenEnough(kernel.getKey(), kernel.getValue(), chosen);
      }
    }
    System.out.printf(
        "%d operands, %d closed, %d refused to run, %d refused to close, %d checked%n",
        program.operands,
        program.closed,
        program.refusedToRun,
        program.refusedToClose,
        program.checked);
    program.workers.close();
  }

  private int operandsOf(AddressKernels.Kernel kernel) {
    AddressKernels.Operands none = new AddressKernels.Operands(-1);
    Runnable _ = kernel.on(none, 64, workers);
    return none.count();
  }

  /// Closes an operand some times, and one that is to be held until the kernel has kept it open.
  private void closeOftenEnough(String name, AddressKernels.Kernel kernel, int chosen)
      throws InterruptedException {
    operands++;
    boolean isChecked = CHECKED.getOrDefault(name, Set.of()).contains(chosen);
    checked += isChecked ? 1 : 0;
    int refusals = 0;
    for (int round = 0; round < ROUNDS || refusals == 0 && !isChecked; round++) {
      if (round == MOST_ROUNDS) {
        System.out.printf("%s: operand %d was never held%n", name, chosen);
        return;
      }
      refusals += closeOnce(kernel, chosen);
    }
    refusedToClose += isChecked ? 0 : 1;
  }

  /// {@return how often the arena could not be closed before it was}
  private int closeOnce(AddressKernels.Kernel kernel, int chosen) throws InterruptedException {
    AddressKernels.Operands made = new AddressKernels.Operands(chosen);
    // Large enough for memory that the system takes back when it is freed.
    Runnable call = kernel.on(made, 1 << 13, workers);
    Arena arena = made.closable();
    int spins = random.nextInt(20_000);
    int[] refusals = new int[1];
    Thread closing = Thread.ofPlatform().start(() -> refusals[0] = close(arena, spins));
    try {
      while (arena.scope().isAlive()) {
        call.run();
      }
    } catch (IllegalStateException e) {
      // It was closed between two looks.
    }
    // The virtual machine interrupts a thread that it finds in memory that is being closed.
    Thread.interrupted();
    closing.join();
    closed++;
    try {
      call.run();
    } catch (IllegalStateException e) {
      refusedToRun++;
    }
    return refusals[0];
  }

  private static int close(Arena arena, int spins) {
    for (int refusals = 0; ; refusals++) {
      for (int i = 0; i < spins; i++) {
        Thread.onSpinWait();
      }
      try {
        arena.close();
        return refusals;
      } catch (IllegalStateException e) {
        // A kernel runs.
      }
    }
  }
}
