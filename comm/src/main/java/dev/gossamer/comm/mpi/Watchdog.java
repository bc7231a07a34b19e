package dev.gossamer.comm.mpi;

import dev.gossamer.comm.CommunicationException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// A thread that ends the run when a rank waits in one operation longer than allowed.
///
/// A blocking call of the library has no timeout, and polling would cost latency. So threads record
/// when they enter and leave a call ([CallingThread]), and the watchdog checks these records. A
/// rank that has waited too long notifies the first rank, which gives later ranks time to do the
/// same and then ends the run with a one-line message that names the ranks that did not wait: the
/// others waited for them. If the first rank is stopped, another rank ends the run.
final class Watchdog {
  private static final long LONGEST_PERIOD = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long SHORTEST_PERIOD = TimeUnit.MILLISECONDS.toNanos(10);

  private static final long SHORTEST_GATHERING = TimeUnit.SECONDS.toNanos(1);
  private static final long LONGEST_GATHERING = TimeUnit.SECONDS.toNanos(30);

  /// How much longer than the first rank gathers complaints the second one waits for it to act.
  private static final long ANSWERING = TimeUnit.SECONDS.toNanos(2);

  private static final int NOTE_BYTES = 256;

  private record Sight(long steps, long sinceNanos) {}

  /// Ends the run of all ranks.
  @FunctionalInterface
  interface Ending {
    /// Does not return, except in tests.
    ///
    /// @param rank in whose name the run ends
    void end(int rank, Throwable cause);
  }

  private final MpiCalls calls;
  private final int rank;
  private final int size;
  private final long timeoutNanos;

  /// How long the first rank gathers complaints: a rank that came to the operation this much later
  /// than the first does not count as missing.
  private final long gatheringNanos;

  private final long notes;
  private final int noteTag;
  private final Arena arena = Arena.ofAuto();
  private final MemorySegment note = arena.allocate(NOTE_BYTES, 8);
  private final MemorySegment flag = arena.allocate(ValueLayout.JAVA_INT);
  private final MemorySegment status;
  private final Map<CallingThread, Sight> sights = new HashMap<>();

  /// What the ranks that have waited too long wait in; of interest on the first rank.
  private final Map<Integer, String> complaints = new TreeMap<>();

  private final Ending ending;
  private volatile @Nullable String expired;
  private long complainedAt;
  private volatile boolean ended;
  private final Thread thread =
      Thread.ofPlatform().daemon().name("mpi-watchdog").unstarted(this::serve);

  /// @param notes handle of the group of all ranks
  /// @param noteTag tag in it that is not used elsewhere
  Watchdog(
      MpiCalls calls,
      int rank,
      int size,
      long notes,
      int noteTag,
      long timeoutNanos,
      Ending ending) {
    this.calls = calls;
    this.ending = ending;
    this.rank = rank;
    this.size = size;
    this.notes = notes;
    this.noteTag = noteTag;
    this.timeoutNanos = timeoutNanos;
    gatheringNanos = Math.clamp(timeoutNanos / 2, SHORTEST_GATHERING, LONGEST_GATHERING);
    status = arena.allocate(calls.flavour().statusBytes(), 8);
  }

  void start() {
    thread.start();
  }

  long timeoutNanos() {
    return timeoutNanos;
  }

  /// Called when a thread has polled for too long.
  void expire(String operation) {
    expired = operation;
  }

  private void serve() {
    long period = Math.clamp(timeoutNanos / 20, SHORTEST_PERIOD, LONGEST_PERIOD);
    try {
      while (!ended) {
        LockSupport.parkNanos(this, period);
        if (!ended) {
          look(System.nanoTime());
        }
      }
    } catch (Throwable e) {
      ending.end(rank, e);
    }
  }

  /// Checks the operations that the threads of this rank wait in, and reacts to timeouts.
  ///
  /// @param now in nanoseconds of one clock
  void look(long now) {
    for (CallingThread caller : calls.threads().all()) {
      long steps = caller.steps();
      Sight sight = sights.get(caller);
      if (sight == null || sight.steps != steps) {
        sights.put(caller, new Sight(steps, now));
      } else if (steps % 2 != 0 && now - sight.sinceNanos > timeoutNanos) {
        expired = caller.describe();
      }
    }
    String waitsIn = expired;
    if (rank == 0) {
      gather(waitsIn, now);
    } else if (waitsIn != null) {
      complain(waitsIn, now);
    }
  }

  /// Notifies the first rank once; acts in its place if it does not respond.
  private void complain(String waitsIn, long now) {
    if (complaints.putIfAbsent(rank, waitsIn) == null) {
      complainedAt = now;
      byte[] words = waitsIn.getBytes(StandardCharsets.UTF_8);
      note.fill((byte) 0);
      note.set(ValueLayout.JAVA_INT, 0, rank);
      MemorySegment.copy(words, 0, note, ValueLayout.JAVA_BYTE, Integer.BYTES, words.length);
      calls.send(note, NOTE_BYTES, calls.flavour().typeByte(), 0, noteTag, notes);
    } else if (now - complainedAt > Math.min(rank, 2) * (gatheringNanos + ANSWERING)) {
      ending.end(rank, patienceLost(rank, waitsIn, "; rank 0 does not answer"));
    }
  }

  /// Reads what the others have to say, and ends the run some time after the first complaint.
  private void gather(@Nullable String waitsIn, long now) {
    if (waitsIn != null) {
      complaints.putIfAbsent(0, waitsIn);
    }
    while (hasNote()) {
      calls.recv(
          note,
          NOTE_BYTES,
          calls.flavour().typeByte(),
          calls.flavour().anySource(),
          noteTag,
          notes);
      complaints.put(note.get(ValueLayout.JAVA_INT, 0), note.getString(Integer.BYTES));
    }
    if (complaints.isEmpty()) {
      complainedAt = now;
    } else if (now - complainedAt > gatheringNanos || complaints.size() == size) {
      String missing =
          IntStream.range(0, size)
              .filter(peer -> !complaints.containsKey(peer))
              .mapToObj(peer -> "rank " + peer)
              .collect(Collectors.joining(", "));
      Map.Entry<Integer, String> first = complaints.entrySet().iterator().next();
      ending.end(
          first.getKey(),
          patienceLost(
              first.getKey(),
              first.getValue(),
              missing.isEmpty() ? ", and so did all others" : " for " + missing));
    }
  }

  private boolean hasNote() {
    calls.iprobe(calls.flavour().anySource(), noteTag, notes, flag, status);
    return flag.get(ValueLayout.JAVA_INT, 0) != 0;
  }

  private CommunicationException patienceLost(int waiting, String waitsIn, String forWhom) {
    return new CommunicationException(
        "rank %d waited more than %.1f s in %s%s"
            .formatted(
                waiting, timeoutNanos / (double) TimeUnit.SECONDS.toNanos(1), waitsIn, forWhom));
  }

  /// Ends the thread; no rank may be waiting for another.
  void end() {
    ended = true;
    boolean interrupted = false;
    while (thread.isAlive()) {
      LockSupport.unpark(thread);
      try {
        thread.join(10);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
