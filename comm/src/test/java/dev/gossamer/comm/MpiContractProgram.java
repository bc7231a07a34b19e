package dev.gossamer.comm;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.TrainingFailedException;
import dev.gossamer.comm.mpi.MpiOptions;
import dev.gossamer.comm.mpi.MpiRanks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// What `mpirun` starts in [MpiCommunicatorTest]: the contract, or a way to fail.
final class MpiContractProgram {
  private final String scenario;

  /// Files by which the processes, and the test, know how far another one is.
  private final Path signs;

  private MpiContractProgram(String scenario, Path signs) {
    this.scenario = scenario;
    this.signs = signs;
  }

  /// `<scenario> signs=<folder> [limit=<bytes>] [one-thread] [library=<name>] [timeout=<ms>]`
  public static void main(String[] arguments) {
    MpiOptions options = MpiOptions.DEFAULT;
    Path signs = Path.of("");
    for (String argument : arguments) {
      String value = argument.substring(argument.indexOf('=') + 1);
      if (argument.startsWith("limit=")) {
        options = options.withMessageLimitBytes(Long.parseLong(value));
      } else if (argument.startsWith("signs=")) {
        signs = Path.of(value);
      } else if (argument.startsWith("library=")) {
        options = options.withLibrary(value);
      } else if (argument.startsWith("timeout=")) {
        options = options.withTimeout(Duration.ofMillis(Long.parseLong(value)));
      } else if (argument.equals("one-thread")) {
        options = options.withOneThreadAtATime(true);
      }
    }
    LaunchEnvironment environment = LaunchEnvironment.detect(System.getenv());
    MpiContractProgram program = new MpiContractProgram(arguments[0], signs);
    program.beforeMpi(environment.rank());
    try {
      MpiRanks.run(environment, options, program::run);
    } catch (InvalidInputException e) {
      System.err.println(e.getMessage());
      System.exit(2);
    }
  }

  private void sign(String name, String content) {
    try {
      Path written = Files.writeString(signs.resolve(name + ".part"), content);
      Files.move(written, signs.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Waits for a sign of another process, and reads it.
  private String await(String name) {
    Path sign = signs.resolve(name);
    lookUntil(() -> Files.exists(sign));
    try {
      return Files.readString(sign);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void lookUntil(BooleanSupplier seen) {
    while (!seen.getAsBoolean()) {
      LockSupport.parkNanos(1_000_000);
    }
  }

  /// Whether a thread has entered a function of the library.
  private static boolean isInLibrary(Thread thread, String function) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(frame ->
            frame.getClassName().endsWith(".MpiCalls") && frame.getMethodName().matches(function));
  }

  /// Rank 1 ends or is killed before it starts MPI, or is killed while it waits for rank 2 to do
  /// so.
  private void beforeMpi(int rank) {
    if (scenario.equals("ended-early") && rank == 1) {
      System.exit(0);
    }
    if (scenario.equals("killed-early") && rank == 1) {
      killThis();
    }
    if (scenario.equals("killed-starting")) {
      if (rank == 1) {
        Thread starting = Thread.currentThread();
        new Thread(
                () -> {
                  lookUntil(() -> isInLibrary(starting, "initThread"));
                  killThis();
                })
            .start();
      } else if (rank == 2) {
        long pid = Long.parseLong(await("killed"));
        lookUntil(() -> ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
      }
    }
  }

  private void killThis() {
    String pid = Long.toString(ProcessHandle.current().pid());
    sign("killed", pid);
    try {
      new ProcessBuilder("kill", "-9", pid).start().waitFor();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Rank 1 closes the memory of a receive that waits, whose message is only sent when that has
  /// been refused.
  private void closing(Communicator world) throws InterruptedException {
    if (world.rank() == 0) {
      await("refused");
      world.send(1, 5, Arena.ofAuto().allocate(1 << 20));
    } else {
      while (!receiveWhileClosing(world)) {
        // The arena was closed between the call and the moment from which it is held.
      }
      System.out.println("received");
    }
    world.barrier();
  }

  private boolean receiveWhileClosing(Communicator world) throws InterruptedException {
    Arena arena = Arena.ofShared();
    MemorySegment segment = arena.allocate(1 << 20);
    Thread receiving = Thread.currentThread();
    Thread other =
        Thread.ofPlatform()
            .start(() -> {
              lookUntil(() -> isInLibrary(receiving, "recv|waitall|testall"));
              try {
                arena.close();
              } catch (IllegalStateException e) {
                System.out.println(e.getMessage());
                sign("refused", "");
              }
            });
    try {
      world.receive(0, 5, segment);
    } catch (IllegalStateException e) {
      return false;
    } finally {
      other.join();
    }
    arena.close();
    return true;
  }

  /// Waits without MPI, so that nobody's patience suffers, until all ranks have come here.
  private void meet(Communicator world) {
    sign("up-" + world.rank(), "");
    for (int peer = 0; peer < world.size(); peer++) {
      await("up-" + peer);
    }
  }

  private void run(Communicator world) throws Exception {
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
      case "diverge" -> {
        if (world.rank() == 1) {
          throw new TrainingFailedException("epoch 2: the loss is NaN");
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
        meet(world);
        if (scenario.endsWith(Integer.toString(world.rank()))) {
          new CountDownLatch(1).await();
        }
        world.allReduce(Arena.ofAuto().allocate(64), Element.LONG, Reduction.MAX);
      }
      default -> throw new IllegalArgumentException(scenario);
    }
  }
}
