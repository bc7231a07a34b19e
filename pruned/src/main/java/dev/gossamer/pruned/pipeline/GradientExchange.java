package dev.gossamer.pruned.pipeline;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.PeerBlocks;
import dev.gossamer.comm.Request;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.ModelState;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/// The sum of gradients over the replicas of a stage, bucket by bucket, while the backward pass
/// continues (SAMO, section IV-A). Only gradients of surviving weights are sent, so a pruned
/// network sends `1 - p` of the bytes.
///
/// A bucket of `n` elements in the message format takes two steps, like an all-reduce: each replica
/// receives its slice from all others, adds the slices in float32 in the order of replicas, and
/// sends the rounded sum to all. So sums are bit-identical on all replicas, for threads and MPI,
/// and each replica sends `2 (D - 1) / D` of a bucket.
///
/// Buckets begin in the same order on all replicas, because blocks finish in the same order. First
/// and second steps use separate groups, each in the order of buckets.
final class GradientExchange {
  /// Buckets that are under way at most; what they receive takes memory.
  private static final int UNDER_WAY = 2;

  private final Communicator first;
  private final Communicator second;
  private final int elementBytes;
  private final MemorySegment[] rooms = new MemorySegment[UNDER_WAY];
  private final MemorySegment sums;
  private final Deque<Bucket> reducing = new ArrayDeque<>();
  private final Deque<Request> gathering = new ArrayDeque<>();
  private long begun;
  private long sentBytes;
  private @Nullable ModelState state;

  /// @param arena shared
  /// @param replicas of this stage
  /// @param largest elements of the largest bucket
  GradientExchange(Arena arena, Replicas replicas, long largest, int elementBytes) {
    first = replicas.first();
    second = replicas.second();
    this.elementBytes = elementBytes;
    boolean alone = first.size() == 1;
    long slice = alone ? 0 : Math.ceilDiv(largest, first.size());
    for (int i = 0; i < UNDER_WAY; i++) {
      rooms[i] = arena.allocate(slice * first.size() * elementBytes, DenseMatrix.ALIGNMENT);
    }
    sums = arena.allocate(slice * Float.BYTES, DenseMatrix.ALIGNMENT);
  }

  /// Returns the bytes of its memory.
  static long bytes(int replicas, long largest, int elementBytes) {
    if (replicas == 1) {
      return 0;
    }
    long slice = Math.ceilDiv(largest, replicas);
    return slice * replicas * elementBytes * UNDER_WAY + slice * Float.BYTES;
  }

  /// One bucket on its way through the first step.
  private record Bucket(Request request, MemorySegment wire, MemorySegment room, PeerBlocks own) {}

  /// Begins the sum of a finished part of the gradients.
  ///
  /// @param begin first kept element
  /// @param end the element after the last
  void begin(ModelState of, long begin, long end) {
    state = of;
    of.narrowGradients(begin, end);
    if (first.size() == 1) {
      return;
    }
    while (reducing.size() >= UNDER_WAY) {
      reduceNext();
    }
    MemorySegment wire = of.wire().asSlice(begin * elementBytes, (end - begin) * elementBytes);
    PeerBlocks slices = slices(end - begin);
    long mine = slices.bytes(first.rank());
    MemorySegment room = rooms[(int) (begun++ % UNDER_WAY)].asSlice(0, mine * first.size());
    Request request =
        first.beginAllToAllV(wire, slices, room, PeerBlocks.uniform(first.size(), mine));
    sentBytes += wire.byteSize() - mine + mine * (first.size() - 1);
    reducing.add(new Bucket(request, wire, room, slices));
  }

  /// Processes what has arrived, without waiting.
  void poll() {
    while (!reducing.isEmpty() && reducing.getFirst().request().test()) {
      reduceNext();
    }
  }

  /// Waits for all sums.
  void finish() {
    while (!reducing.isEmpty()) {
      reduceNext();
    }
    while (!gathering.isEmpty()) {
      gathering.remove().await();
    }
  }

  /// Bytes of gradients that this rank has sent so far.
  long sentBytes() {
    return sentBytes;
  }

  /// Adds up this rank's slice of the oldest bucket, and begins to give it to all.
  private void reduceNext() {
    Bucket bucket = reducing.getFirst();
    bucket.request().await();
    reducing.remove();
    long bytes = bucket.own().bytes(first.rank());
    MemorySegment slice = bucket.wire().asSlice(bucket.own().offset(first.rank()), bytes);
    MemorySegment sum = sums.asSlice(0, bytes / elementBytes * Float.BYTES);
    for (int replica = 0; replica < first.size(); replica++) {
      MemorySegment part = bucket.room().asSlice(replica * bytes, bytes);
      if (replica == 0) {
        state().format().widen(part, sum);
      } else {
        state().format().addWidened(part, sum);
      }
    }
    state().format().narrow(sum, slice);
    gathering.add(second.beginAllGatherV(slice, bucket.wire(), bucket.own()));
  }

  private ModelState state() {
    if (state == null) {
      throw new IllegalStateException("no bucket has begun");
    }
    return state;
  }

  /// The slice of each replica in a bucket: as even as possible, the first ones an element longer.
  private PeerBlocks slices(long elements) {
    int replicas = first.size();
    long[] counts = new long[replicas];
    for (int r = 0; r < replicas; r++) {
      long count = elements / replicas + (r < elements % replicas ? 1 : 0);
      counts[r] = count * elementBytes;
    }
    return PeerBlocks.packed(counts);
  }
}
