package dev.gossamer.base;

import dev.gossamer.base.memory.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// A fixed team of threads for the kernels of one rank, including the calling thread.
///
/// A kernel divides its work into tasks by the sizes of its operands only, never by the number of
/// threads, and each task writes its own part of the result; so results are bit-identical for any
/// team size. Tasks are taken in ascending order, one at a time. Each member owns a piece of
/// scratch memory, so that kernels need not allocate.
///
/// One caller at a time; calls do not nest.
public final class Workers implements AutoCloseable {
  static {
    VirtualMachine.require();
  }

  /// Scratch bytes of each member: enough for tiles and packed panels of the kernels, and small
  /// enough for an L2 cache.
  public static final int SCRATCH_BYTES = 1 << 20;

  /// Elements of each of a member's Java arrays: repeated passes of a kernel are faster on an array
  /// than on a segment, and 16 KiB fit in an L1 cache.
  public static final int SCRATCH_ELEMENTS = 1 << 12;

  /// Bytes of the scratch memory that all members share: packed operands that every task reads, or
  /// the partial results of a sum that is divided into a fixed number of parts.
  public static final int SHARED_BYTES = 4 << 20;

  /// Work that is divided into tasks.
  @FunctionalInterface
  public interface Task {
    /// Runs one task.
    ///
    /// @param task number of the task, `0..tasks-1`
    /// @param worker number of the member that runs it, `0..threads-1`: the index of its scratch
    ///   memory
    void run(int task, int worker);
  }

  private final int threads;
  private final List<Thread> helpers = new ArrayList<>();
  private final Arena arena;
  private final MemorySegment[] scratch;
  private final int[][] scratchInts;
  private final float[][] scratchFloats;

  private final MemorySegment shared;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition begun = lock.newCondition();
  private final Condition ended = lock.newCondition();
  private final AtomicInteger next = new AtomicInteger();
  private long round;
  private int busy;
  private boolean closed;
  private int tasks;
  private @Nullable Task task;
  private @Nullable Throwable failure;

  /// Starts a team.
  ///
  /// @param threads number of members, including the caller; at least 1
  public Workers(int threads) {
    this(
        threads,
        Arena.ofShared(),
        Thread.ofPlatform().daemon().name("gossamer-worker-", 1).factory());
  }

  /// @param arena of the scratch memory; the team closes it, also if its construction fails
  /// @param factory of the helper threads
  Workers(int threads, Arena arena, ThreadFactory factory) {
    this.threads = threads;
    this.arena = arena;
    try {
      if (threads < 1) {
        throw new IllegalArgumentException("threads: expected at least 1, found " + threads);
      }
      scratch = new MemorySegment[threads];
      for (int i = 0; i < threads; i++) {
        scratch[i] = Memory.undefined(SCRATCH_BYTES, arena);
      }
      scratchInts = new int[threads][SCRATCH_ELEMENTS];
      scratchFloats = new float[threads][SCRATCH_ELEMENTS];
      shared = Memory.undefined(SHARED_BYTES, arena);
      for (int i = 1; i < threads; i++) {
        int worker = i;
        Thread helper = factory.newThread(() -> serve(worker));
        helper.start();
        helpers.add(helper);
      }
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  /// {@return the number of members, including the caller}
  public int threads() {
    return threads;
  }

  /// {@return the scratch memory of a member: [#SCRATCH_BYTES] bytes, page-aligned, contents
  /// undefined}
  ///
  /// @param worker number of the member
  public MemorySegment scratch(int worker) {
    return scratch[worker];
  }

  /// {@return a member's array of [#SCRATCH_ELEMENTS] integers, contents undefined}
  ///
  /// @param worker number of the member
  public int[] scratchInts(int worker) {
    return scratchInts[worker];
  }

  /// {@return a member's array of [#SCRATCH_ELEMENTS] floats, contents undefined}
  ///
  /// @param worker number of the member
  public float[] scratchFloats(int worker) {
    return scratchFloats[worker];
  }

  /// {@return the scratch memory of the whole team: [#SHARED_BYTES] bytes, page-aligned, contents
  /// undefined} A kernel must assign parts of it by task numbers, never by members.
  public MemorySegment sharedScratch() {
    return shared;
  }

  /// {@return the bytes of off-heap memory of a team}
  ///
  /// @param threads number of members, including the caller
  public static long bytes(int threads) {
    return SHARED_BYTES + (long) threads * SCRATCH_BYTES;
  }

  /// Runs tasks `0..tasks-1` and returns when all are done. If one throws, the remaining tasks are
  /// skipped and the first failure is thrown.
  ///
  /// For tasks that access memory through segments; see [#run(int, Task, MemorySegment...)].
  ///
  /// @param tasks number of tasks, at least 0
  /// @param task runs one of them
  public void run(int tasks, Task task) {
    if (threads == 1 || tasks <= 1) {
      for (int i = 0; i < tasks; i++) {
        task.run(i, 0);
      }
      return;
    }
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("workers: already closed");
      }
      this.tasks = tasks;
      this.task = task;
      failure = null;
      next.set(0);
      busy = helpers.size();
      round++;
      begun.signalAll();
    } finally {
      lock.unlock();
    }
    take(tasks, task, 0);
    lock.lock();
    try {
      while (busy > 0) {
        ended.awaitUninterruptibly();
      }
      this.task = null;
      if (failure != null) {
        throw rethrown(failure);
      }
    } finally {
      lock.unlock();
    }
  }

  /// Runs tasks like [#run(int, Task)], for tasks that use addresses: scratch memory and operands
  /// are held until all tasks are done, so that closing one of their arenas throws.
  ///
  /// @param tasks number of tasks, at least 0
  /// @param task runs one of them
  /// @param operands off-heap; nulls are ignored
  /// @throws IllegalStateException if an operand, or this team, is already closed
  public void run(int tasks, Task task, @Nullable MemorySegment... operands) {
    hold(() -> run(tasks, task), operands);
  }

  /// Runs a kernel that consists of several runs, while scratch memory and operands are held.
  ///
  /// @param kernel that uses addresses
  /// @param operands off-heap; nulls are ignored
  /// @throws IllegalStateException if an operand, or this team, is already closed
  public void hold(Runnable kernel, @Nullable MemorySegment... operands) {
    @Nullable MemorySegment[] held = Arrays.copyOf(operands, operands.length + 1);
    held[operands.length] = shared;
    Memory.hold(kernel, held);
  }

  /// Ends the helper threads and frees the scratch memory.
  ///
  /// @throws IllegalStateException if it is running tasks; it then stays open
  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      if (task != null) {
        throw new IllegalStateException("workers: expected to be idle when closed, found at work");
      }
      // Fails if a kernel holds it, and lets no other begin.
      arena.close();
      closed = true;
      begun.signalAll();
    } finally {
      lock.unlock();
    }
    for (Thread helper : helpers) {
      boolean interrupted = false;
      while (helper.isAlive()) {
        try {
          helper.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void serve(int worker) {
    long seen = 0;
    while (true) {
      int count;
      Task work;
      lock.lock();
      try {
        while (round == seen && !closed) {
          begun.awaitUninterruptibly();
        }
        if (closed) {
          return;
        }
        seen = round;
        count = tasks;
        work = task;
      } finally {
        lock.unlock();
      }
      if (work != null) {
        take(count, work, worker);
      }
      lock.lock();
      try {
        if (--busy == 0) {
          ended.signalAll();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  private void take(int count, Task work, int worker) {
    try {
      for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
        work.run(i, worker);
      }
    } catch (Throwable e) {
      next.set(count);
      lock.lock();
      try {
        if (failure == null) {
          failure = e;
        }
      } finally {
        lock.unlock();
      }
    }
  }

  private static RuntimeException rethrown(Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof RuntimeException e ? e : new IllegalStateException(failure);
  }
}
