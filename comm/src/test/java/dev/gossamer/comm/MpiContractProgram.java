package dev.gossamer.comm;

import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.mpi.MpiRanks;
import dev.gossamer.matrix.io.InvalidInputException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/// What `mpirun` starts in [MpiCommunicatorTest]: the contract, or a way to fail.
final class MpiContractProgram {
  private MpiContractProgram() {}

  /// `<scenario> [limit=<bytes>] [one-thread] [library=<name>] [timeout=<ms>]`
  public static void main(String[] arguments) {
    MpiOptions options = MpiOptions.DEFAULT;
    for (String argument : arguments) {
      String value = argument.substring(argument.indexOf('=') + 1);
      if (argument.startsWith("limit=")) {
        options = options.withMessageLimitBytes(Long.parseLong(value));
      } else if (argument.startsWith("library=")) {
        options = options.withLibrary(value);
      } else if (argument.startsWith("timeout=")) {
        options = options.withTimeout(Duration.ofMillis(Long.parseLong(value)));
      } else if (argument.equals("one-thread")) {
        options = options.withOneThreadAtATime(true);
      }
    }
    LaunchEnvironment environment = LaunchEnvironment.detect(System.getenv());
    beforeMpi(arguments[0], environment.rank());
    try {
      MpiRanks.run(environment, options, world -> run(arguments[0], world));
    } catch (InvalidInputException e) {
      System.err.println(e.getMessage());
      System.exit(2);
    }
  }

  /// Rank 1 is killed before it starts MPI, or while it waits for rank 2 to do so.
  private static void beforeMpi(String scenario, int rank) {
    if (scenario.equals("killed-early") && rank == 1) {
      killThis();
    }
    if (scenario.equals("killed-starting")) {
      if (rank == 1) {
        new Thread(
                () -> {
                  pause(2);
                  killThis();
                })
            .start();
      } else if (rank == 2) {
        pause(4);
      }
    }
  }

  private static void pause(int seconds) {
    try {
      Thread.sleep(1000L * seconds);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void killThis() {
    try {
      new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid()))
          .start()
          .waitFor();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Closes the memory of a receive that waits, before its message is sent.
  private static void closing(Communicator world) throws InterruptedException {
    // Once unhurriedly, so that the second time is quick.
    MemorySegment first = Arena.ofAuto().allocate(1 << 20);
    if (world.rank() == 1) {
      world.receive(0, 5, first);
    } else {
      world.send(1, 5, first);
    }
    world.barrier();
    if (world.rank() == 1) {
      Arena arena = Arena.ofShared();
      MemorySegment segment = arena.allocate(1 << 20);
      Thread other =
          new Thread(() -> {
            try {
              Thread.sleep(500);
              arena.close();
            } catch (IllegalStateException | InterruptedException e) {
              System.out.println(e.getMessage());
            }
          });
      other.start();
      world.receive(0, 5, segment);
      other.join();
      arena.close();
      System.out.println("received");
    } else {
      Thread.sleep(1500);
      world.send(1, 5, first);
    }
    world.barrier();
  }

  private static void run(String scenario, Communicator world) throws Exception {
    switch (scenario) {
      case "contract" -> {
        int checks = CommunicatorContract.check(world);
        MemorySegment sum = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
        sum.set(ValueLayout.JAVA_LONG, 0, checks);
        world.allReduce(sum, Element.LONG, Reduction.SUM);
        if (world.rank() == 0) {
          System.out.println("checks " + sum.get(ValueLayout.JAVA_LONG, 0));
        }
      }
      case "throw" -> {
        world.barrier();
        if (world.rank() == 1) {
          throw new IllegalStateException("no more rows");
        }
        world.barrier();
      }
      case "bad-input" -> {
        if (world.rank() == 1) {
          throw new InvalidInputException("data: no such folder");
        }
        world.barrier();
      }
      case "closing" -> closing(world);
      case "closed" -> {
        Arena arena = Arena.ofShared();
        Request request = world.beginReceive(1 - world.rank(), 5, arena.allocate(1 << 20));
        arena.close();
        request.await();
      }
      case "disagree" -> {
        MemorySegment receive = Arena.ofShared().allocate(100);
        if (world.rank() == 1) {
          world.send(0, 5, Arena.ofShared().allocate(99));
        } else if (world.rank() == 0) {
          world.receive(1, 5, receive);
        }
        world.barrier();
      }
      case "killed" -> {
        world.barrier();
        if (world.rank() == 2) {
          killThis();
        }
        while (true) {
          world.allReduce(Arena.ofAuto().allocate(1 << 20), Element.FLOAT, Reduction.SUM);
        }
      }
      case "blocked-0", "blocked-2" -> {
        world.barrier();
        if (scenario.endsWith(Integer.toString(world.rank()))) {
          new CountDownLatch(1).await();
        }
        world.allReduce(Arena.ofAuto().allocate(64), Element.LONG, Reduction.MAX);
      }
      default -> throw new IllegalArgumentException(scenario);
    }
  }
}
