package dev.gossamer.gnn.historical;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.PeerBlocks;
import dev.gossamer.comm.Request;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.run.memory.GrowingSegment;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The asynchronous embedding push, AEP (MB, Algorithm 2): embeddings computed in a batch are sent
/// to the caches of the ranks where their vertices are halo, and arrive `d` batches later, possibly
/// in the next epoch.
///
/// A batch has three steps: [#announce], when it is drawn, tells each rank the number of rows;
/// [#send], when it is computed, sends them; [#store], `d` batches later, stores them. The ranks
/// compute in between. Each rank receives one message per batch with the rows of all layers: for
/// each layer the vertices, then the packed rows.
final class EmbeddingPush implements AutoCloseable {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  private final Communicator comm;
  private final List<HistoricalCache> caches;
  private final int delay;
  private final Workers workers;

  /// Those with rows that are not stored, oldest first, and behind them one that was announced.
  private final Deque<Flight> flights = new ArrayDeque<>();

  private final Deque<Flight> unused = new ArrayDeque<>();

  /// @param comm a group that nothing else uses; closed with this
  /// @param caches one for each layer but the first
  EmbeddingPush(Communicator comm, List<HistoricalCache> caches, int delay, Workers workers) {
    this.comm = comm;
    this.caches = List.copyOf(caches);
    this.delay = delay;
    this.workers = workers;
  }

  /// The messages of one batch: numbers of rows by peer and layer, and the rows.
  final class Flight {
    private int turn;
    private final Arena arena = Arena.ofShared();
    private final GrowingSegment outgoing = new GrowingSegment();
    private final GrowingSegment incoming = new GrowingSegment();
    private final MemorySegment announced = arena.allocate(INT, numbersOfBatch());
    private final MemorySegment expected = arena.allocate(INT, numbersOfBatch());
    private @Nullable Request announcement;
    private @Nullable Request rows;
    private MemorySegment received = MemorySegment.NULL;

    /// Returns the batch that computed the rows.
    int turn() {
      return turn;
    }

    /// Returns the numbers of received rows, by peer and layer. Borrowed.
    MemorySegment numbers() {
      return expected;
    }

    /// Returns the received rows. Borrowed.
    MemorySegment rows() {
      return received;
    }

    /// Bytes for each peer, as announced.
    private PeerBlocks blocks(MemorySegment numbers) {
      long[] bytes = new long[comm.size()];
      for (int peer = 0; peer < bytes.length; peer++) {
        for (int e = 0; e < caches.size(); e++) {
          bytes[peer] += bytesOf(e, count(numbers, peer, e));
        }
      }
      return PeerBlocks.packed(bytes);
    }

    /// Waits for the rows.
    private void land() {
      if (rows != null) {
        rows.await();
        rows = null;
      }
    }

    private void close() {
      outgoing.close();
      incoming.close();
      arena.close();
    }
  }

  /// Returns the number of values in the announcement of a batch.
  int numbersOfBatch() {
    return comm.size() * caches.size();
  }

  private int count(MemorySegment numbers, int peer, int e) {
    return numbers.getAtIndex(INT, (long) peer * caches.size() + e);
  }

  /// Bytes of the rows of one layer, and of their tags.
  private long bytesOf(int e, int count) {
    return (long) count * Integer.BYTES + caches.get(e).lines().packedBytes(count);
  }

  private Flight begin(int turn) {
    Flight flight = unused.isEmpty() ? new Flight() : unused.removeLast();
    flight.turn = turn;
    flights.addLast(flight);
    return flight;
  }

  /// Announces the rows to each rank. Collective; does not wait.
  ///
  /// @return bytes
  long announce(int turn, PushPlan plan) {
    Flight flight = begin(turn);
    for (int peer = 0; peer < comm.size(); peer++) {
      for (int e = 0; e < caches.size(); e++) {
        flight.announced.setAtIndex(
            INT, (long) peer * caches.size() + e, plan.rows(e, peer).length);
      }
    }
    long bytes = (long) caches.size() * Integer.BYTES;
    PeerBlocks blocks = PeerBlocks.uniform(comm.size(), bytes);
    flight.announcement = comm.beginAllToAllV(flight.announced, blocks, flight.expected, blocks);
    return (comm.size() - 1) * bytes;
  }

  /// Sends what was announced. Collective; waits for the announcements only.
  ///
  /// @param inputs of each layer but the first; the plan names their rows
  /// @return bytes
  long send(PushPlan plan, List<DenseMatrix> inputs) {
    Flight flight = flights.getLast();
    PeerBlocks sends = flight.blocks(flight.announced);
    MemorySegment out = flight.outgoing.ofBytes(sends.totalBytes());
    for (int peer = 0; peer < comm.size(); peer++) {
      long next = sends.offset(peer);
      for (int e = 0; e < caches.size(); e++) {
        int[] rows = plan.rows(e, peer);
        for (int i = 0; i < rows.length; i++) {
          out.set(INT, next + (long) i * Integer.BYTES, plan.vertex(e, rows[i]));
        }
        long head = (long) rows.length * Integer.BYTES;
        if (rows.length > 0) {
          DenseLines lines = caches.get(e).lines();
          MemorySegment to = out.asSlice(next + head, lines.packedBytes(rows.length));
          lines.pack(inputs.get(e), rows, to, workers);
        }
        next += bytesOf(e, rows.length);
      }
    }
    if (flight.announcement == null) {
      throw new IllegalStateException("push: announce a batch before it is sent");
    }
    flight.announcement.await();
    flight.announcement = null;
    PeerBlocks receives = flight.blocks(flight.expected);
    flight.received = flight.incoming.ofBytes(receives.totalBytes());
    flight.rows = comm.beginAllToAllV(out, sends, flight.received, receives);
    return sends.totalBytes();
  }

  /// Waits for the rows that are due before a batch.
  ///
  /// @return whether there are any
  boolean land(int turn) {
    Flight first = flights.peekFirst();
    boolean due = first != null && (long) first.turn + delay <= turn;
    if (due) {
      first.land();
    }
    return due;
  }

  /// Stores the rows that [#land] has waited for.
  void store() {
    Flight flight = flights.removeFirst();
    PeerBlocks blocks = flight.blocks(flight.expected);
    for (int peer = 0; peer < comm.size(); peer++) {
      long next = blocks.offset(peer);
      for (int e = 0; e < caches.size(); e++) {
        int[] vertices = new int[count(flight.expected, peer, e)];
        MemorySegment.copy(flight.received, INT, next, vertices, 0, vertices.length);
        long head = (long) vertices.length * Integer.BYTES;
        long bytes = bytesOf(e, vertices.length);
        caches
            .get(e)
            .store(
                vertices, flight.received.asSlice(next + head, bytes - head), flight.turn, workers);
        next += bytes;
      }
    }
    unused.addLast(flight);
  }

  /// Waits for all rows in flight; they are stored when they are due.
  ///
  /// @return the received rows, oldest first; borrowed
  Collection<Flight> landAll() {
    flights.forEach(Flight::land);
    return flights;
  }

  /// {@return bytes of a message with some numbers of rows by peer and layer}
  long bytesOf(int[] numbers) {
    long bytes = 0;
    for (int i = 0; i < numbers.length; i++) {
      bytes += bytesOf(i % caches.size(), numbers[i]);
    }
    return bytes;
  }

  /// Passes on the vertices of a message, peer by peer and layer by layer.
  void eachVertices(int[] numbers, MemorySegment message, Consumer<int[]> action) {
    long next = 0;
    for (int i = 0; i < numbers.length; i++) {
      int[] vertices = new int[numbers[i]];
      MemorySegment.copy(message, INT, next, vertices, 0, vertices.length);
      action.accept(vertices);
      next += bytesOf(i % caches.size(), numbers[i]);
    }
  }

  /// Restores rows that an earlier run has received but not stored.
  void restore(int turn, MemorySegment numbers, MemorySegment rows) {
    Flight flight = begin(turn);
    flight.expected.copyFrom(numbers);
    flight.received = flight.incoming.ofBytes(rows.byteSize());
    flight.received.copyFrom(rows);
  }

  @Override
  public void close() {
    flights.forEach(Flight::close);
    unused.forEach(Flight::close);
    comm.close();
  }
}
