package dev.gossamer.comm.threads;

import dev.gossamer.comm.CommunicationException;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.RankBody;
import dev.gossamer.comm.RankFailedException;
import dev.gossamer.comm.Traffic;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/// Runs ranks as threads of this process.
public final class ThreadRanks {
  /// Time that computing ranks have to notice that another rank has failed, before they are
  /// interrupted, and again before they are abandoned.
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private ThreadRanks() {}

  /// Runs `body` once for each rank, each in its own thread named `rank-<r>`, and returns when all
  /// have ended.
  ///
  /// A rank that throws, or waits in one operation longer than the timeout, ends the others:
  /// waiting ranks get a [RankFailedException] at once, computing ranks get it from the next
  /// operation that they call; after two seconds they are interrupted, and after two more seconds
  /// this method returns without them (the threads are daemons).
  ///
  /// A single rank runs in the calling thread, and its failure is thrown unchanged.
  ///
  /// @param size number of ranks, at least 1; may exceed the number of cores
  /// @param options of the ranks
  /// @param body the code that each rank runs
  /// @throws RankFailedException if one of several ranks failed, with its exception as the cause;
  ///   also if a single rank failed with a checked exception
  public static void run(int size, ThreadOptions options, RankBody body) {
    ThreadFactory factory = Thread.ofPlatform().daemon().name("rank-", 0).factory();
    run(size, options, body, factory, System::nanoTime);
  }

  /// Like the public method, with threads of a factory and the caller's clock for the link, the
  /// timeout and traces.
  static void run(
      int size, ThreadOptions options, RankBody body, ThreadFactory factory, LongSupplier clock) {
    if (size < 1) {
      throw new IllegalArgumentException("ranks: expected at least 1, found " + size);
    }
    if (size == 1) {
      runAlone(body);
      return;
    }
    ThreadWorld world = new ThreadWorld(size, options, clock);
    int[] all = new int[size];
    for (int rank = 0; rank < size; rank++) {
      all[rank] = rank;
    }
    RankGroup group = new RankGroup(world, all);
    List<Thread> threads = new ArrayList<>();
    try {
      for (int rank = 0; rank < size; rank++) {
        int number = rank;
        Thread thread = factory.newThread(() -> live(world, group, number, body));
        thread.start();
        threads.add(thread);
      }
    } catch (Throwable e) {
      // The ranks that have begun would wait for this one.
      world.fail(threads.size(), e);
    }
    join(world, threads);
    RankFailedException failure = world.failure();
    if (failure != null) {
      throw failure;
    }
  }

  /// Runs ranks with [ThreadOptions#DEFAULT].
  ///
  /// @param size number of ranks, at least 1; may exceed the number of cores
  /// @param body the code that each rank runs
  public static void run(int size, RankBody body) {
    run(size, ThreadOptions.DEFAULT, body);
  }

  private static void runAlone(RankBody body) {
    try {
      body.run(alone());
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new RankFailedException(0, 1, e);
    }
  }

  /// {@return a world of one rank, which is the calling thread} It does not have to be closed.
  public static Communicator alone() {
    ThreadWorld world = new ThreadWorld(1, ThreadOptions.DEFAULT, System::nanoTime);
    RankGroup group = new RankGroup(world, new int[] {0});
    return new ThreadCommunicator(group, 0, new Traffic(1));
  }

  private static void live(ThreadWorld world, RankGroup group, int rank, RankBody body) {
    try {
      body.run(new ThreadCommunicator(group, rank, new Traffic(world.size, world::now)));
      world.end(rank);
    } catch (Throwable e) {
      // The first failure is the one that counts: later ones are its consequences.
      world.fail(rank, e);
    }
  }

  private static void join(ThreadWorld world, List<Thread> threads) {
    boolean interrupted = false;
    long graceBegan = 0;
    boolean failed = false;
    boolean hurried = false;
    while (threads.stream().anyMatch(Thread::isAlive)) {
      long now = System.nanoTime();
      if (world.failure() != null && !failed) {
        failed = true;
        graceBegan = now;
      } else if (failed && now - graceBegan > GRACE_NANOS) {
        if (hurried) {
          break;
        }
        hurried = true;
        graceBegan = now;
        threads.forEach(Thread::interrupt);
      }
      try {
        alive(threads).join(20);
      } catch (InterruptedException e) {
        interrupted = true;
        world.fail(0, new CommunicationException("the starter of the ranks was interrupted", e));
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static Thread alive(List<Thread> threads) {
    return threads.stream().filter(Thread::isAlive).findFirst().orElse(threads.getFirst());
  }
}
