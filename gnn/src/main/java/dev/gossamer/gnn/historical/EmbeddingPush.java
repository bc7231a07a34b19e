package dev.gossamer.gnn.historical;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.PeerBlocks;
import dev.gossamer.comm.Request;
import dev.gossamer.graph.Features;
import dev.gossamer.matrix.Workers;
import dev.gossamer.run.memory.GrowingSegment;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The asynchronous embedding push, AEP (MB, Algorithm 2): what a batch has computed of vertices
/// that are halo elsewhere goes to the caches there, and arrives `d` batches later.
///
/// A batch takes three steps: [#announce] when it is drawn tells each rank how much will come,
/// [#send] when it is computed sends, and `d` batches later [#await] and [#store]. Between them the
/// ranks compute. One message a batch goes to each rank, with the rows of all layers: for each
/// layer the vertices, then the packed rows.
final class EmbeddingPush implements AutoCloseable {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  /// Numbers that announce the rows of one layer: how many, and their bytes.
  private static final int ANNOUNCED = 2;

  private final Communicator comm;
  private final List<HistoricalCache> caches;
  private final Flight[] flights;
  private final Workers workers;

  /// @param comm a group that nothing else uses; closed with this
  /// @param caches one for each layer
  EmbeddingPush(Communicator comm, List<HistoricalCache> caches, int delay, Workers workers) {
    this.comm = comm;
    this.caches = List.copyOf(caches);
    this.workers = workers;
    flights = new Flight[delay + 1];
    for (int i = 0; i < flights.length; i++) {
      flights[i] = new Flight();
    }
  }

  /// What is on the way for one batch.
  private final class Flight {
    private final Arena arena = Arena.ofShared();
    private final GrowingSegment outgoing = new GrowingSegment();
    private final GrowingSegment incoming = new GrowingSegment();
    private final MemorySegment announced = numbers();
    private final MemorySegment expected = numbers();
    private @Nullable Request announcement;
    private @Nullable Request rows;
    private MemorySegment received = MemorySegment.NULL;

    private MemorySegment numbers() {
      return arena.allocate(ValueLayout.JAVA_LONG, (long) comm.size() * numbersOfPeer());
    }

    /// Bytes for each peer, as announced.
    private PeerBlocks blocks(MemorySegment numbers) {
      long[] bytes = new long[comm.size()];
      for (int peer = 0; peer < bytes.length; peer++) {
        for (int l = 0; l < caches.size(); l++) {
          bytes[peer] += count(numbers, peer, l) * Integer.BYTES + bytes(numbers, peer, l);
        }
      }
      return PeerBlocks.packed(bytes);
    }
  }

  private int numbersOfPeer() {
    return ANNOUNCED * caches.size();
  }

  private long at(int peer, int layer) {
    return (long) peer * numbersOfPeer() + (long) ANNOUNCED * layer;
  }

  private long count(MemorySegment numbers, int peer, int layer) {
    return numbers.getAtIndex(ValueLayout.JAVA_LONG, at(peer, layer));
  }

  private long bytes(MemorySegment numbers, int peer, int layer) {
    return numbers.getAtIndex(ValueLayout.JAVA_LONG, at(peer, layer) + 1);
  }

  private Flight flight(int turn) {
    return flights[turn % flights.length];
  }

  /// Tells each rank what will come. Collective, and does not wait.
  ///
  /// @param features of the solid vertices
  void announce(int turn, PushPlan plan, Features features) {
    Flight flight = flight(turn);
    for (int peer = 0; peer < comm.size(); peer++) {
      for (int l = 0; l < caches.size(); l++) {
        long at = at(peer, l);
        int[] rows = plan.rows(l, peer);
        long bytes = caches.get(l).lines().packedBytes(features, rows);
        flight.announced.setAtIndex(ValueLayout.JAVA_LONG, at, rows.length);
        flight.announced.setAtIndex(ValueLayout.JAVA_LONG, at + 1, bytes);
      }
    }
    PeerBlocks blocks = PeerBlocks.uniform(comm.size(), (long) numbersOfPeer() * Long.BYTES);
    flight.announcement = comm.beginAllToAllV(flight.announced, blocks, flight.expected, blocks);
  }

  /// Sends what was announced. Collective; waits for the announcements only.
  ///
  /// @param inputs of each layer, in rows that the plan speaks of
  /// @return bytes
  long send(int turn, PushPlan plan, List<Features> inputs) {
    Flight flight = flight(turn);
    PeerBlocks sends = flight.blocks(flight.announced);
    MemorySegment out = flight.outgoing.ofBytes(sends.totalBytes());
    for (int peer = 0; peer < comm.size(); peer++) {
      long next = sends.offset(peer);
      for (int l = 0; l < caches.size(); l++) {
        int[] rows = plan.rows(l, peer);
        for (int i = 0; i < rows.length; i++) {
          out.set(INT, next + (long) i * Integer.BYTES, plan.vertex(l, rows[i]));
        }
        next += (long) rows.length * Integer.BYTES;
        long bytes = bytes(flight.announced, peer, l);
        if (rows.length > 0) {
          caches.get(l).lines().pack(inputs.get(l), rows, out.asSlice(next, bytes), workers);
        }
        next += bytes;
      }
    }
    require(flight.announcement).await();
    PeerBlocks receives = flight.blocks(flight.expected);
    flight.received = flight.incoming.ofBytes(receives.totalBytes());
    flight.rows = comm.beginAllToAllV(out, sends, flight.received, receives);
    return sends.totalBytes();
  }

  /// Waits for the rows of a batch.
  void await(int turn) {
    require(flight(turn).rows).await();
  }

  /// Stores the rows of a batch that have come.
  void store(int turn) {
    Flight flight = flight(turn);
    PeerBlocks blocks = flight.blocks(flight.expected);
    for (int peer = 0; peer < comm.size(); peer++) {
      long next = blocks.offset(peer);
      for (int l = 0; l < caches.size(); l++) {
        int count = Math.toIntExact(count(flight.expected, peer, l));
        int[] vertices = new int[count];
        MemorySegment.copy(flight.received, INT, next, vertices, 0, count);
        next += (long) count * Integer.BYTES;
        long bytes = bytes(flight.expected, peer, l);
        caches.get(l).store(vertices, flight.received.asSlice(next, bytes), turn, workers);
        next += bytes;
      }
    }
    flight.rows = null;
    flight.announcement = null;
  }

  private static Request require(@Nullable Request request) {
    if (request == null) {
      throw new IllegalStateException("push: a step was left out; announce, send, receive");
    }
    return request;
  }

  @Override
  public void close() {
    for (Flight flight : flights) {
      flight.outgoing.close();
      flight.incoming.close();
      flight.arena.close();
    }
    comm.close();
  }
}
