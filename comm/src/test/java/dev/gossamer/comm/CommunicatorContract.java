package dev.gossamer.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;

/// What every communicator must do, as checks that all ranks of a world run together. Any number of
/// ranks; expected values come from formulas of (rank, place), never from another operation.
public final class CommunicatorContract {
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final long[] SIZES = {0, 1, 7, 64, 1000, 30_011};

  /// How many checks there are.
  public static final int CHECKS = 19;

  private static final byte GUARD = 0x5a;

  private final Communicator world;
  private final int rank;
  private final int size;
  private final Arena arena;

  private CommunicatorContract(Communicator world, Arena arena) {
    this.world = world;
    this.arena = arena;
    rank = world.rank();
    size = world.size();
  }

  /// Runs all checks, names the one that fails.
  ///
  /// @return how many there were
  public static int check(Communicator world) throws Exception {
    try (Arena arena = Arena.ofShared()) {
      Map<String, RankBody> checks = new CommunicatorContract(world, arena).checks();
      for (Map.Entry<String, RankBody> check : checks.entrySet()) {
        try {
          check.getValue().run(world);
        } catch (RankFailedException e) {
          throw e;
        } catch (Throwable e) {
          throw new AssertionError(
              "%s, rank %d of %d".formatted(check.getKey(), world.rank(), world.size()), e);
        }
        world.barrier();
      }
      return checks.size();
    }
  }

  private Map<String, RankBody> checks() {
    Map<String, RankBody> checks = new LinkedHashMap<>();
    checks.put("broadcast", ignored -> broadcast());
    checks.put("all-reduce", ignored -> allReduce());
    checks.put("all-reduce gives the same bits everywhere and always", ignored -> sameBits());
    checks.put("reduce-scatter", ignored -> reduceScatter());
    checks.put("all-gather", ignored -> allGather());
    checks.put("all-gather of unequal blocks", ignored -> allGatherV());
    checks.put("all-to-all", ignored -> allToAll());
    checks.put("all-to-all of unequal blocks", ignored -> allToAllV());
    checks.put("messages around a ring", ignored -> ring());
    checks.put("tags out of order", ignored -> tagsOutOfOrder());
    checks.put("many outstanding messages", ignored -> manyOutstanding());
    checks.put("a message to itself", ignored -> toItself());
    checks.put("operations in flight together", ignored -> inFlight());
    checks.put("await any", ignored -> awaitAny());
    checks.put("rows and columns of a grid at once", ignored -> grid());
    checks.put("split by key", ignored -> splitByKey());
    checks.put("bytes gathered on the first rank", ignored -> gatheredBytes());
    checks.put("traffic", ignored -> traffic());
    checks.put("wrong arguments", ignored -> wrongArguments());
    return checks;
  }

  /// Byte `i` of what `from` has for `to`.
  private static byte pattern(int from, int to, long i) {
    return (byte) (31 * from + 57 * to + i + (i >> 8));
  }

  private MemorySegment filled(int from, int to, long bytes) {
    MemorySegment segment = arena.allocate(bytes, 8);
    fill(segment, from, to);
    return segment;
  }

  private static void fill(MemorySegment segment, int from, int to) {
    for (long i = 0; i < segment.byteSize(); i++) {
      segment.set(BYTE, i, pattern(from, to, i));
    }
  }

  private MemorySegment guarded(long bytes) {
    MemorySegment segment = arena.allocate(bytes, 8);
    segment.fill(GUARD);
    return segment;
  }

  private static void assertPattern(MemorySegment segment, int from, int to) {
    for (long i = 0; i < segment.byteSize(); i++) {
      if (segment.get(BYTE, i) != pattern(from, to, i)) {
        throw new AssertionError(
            "byte %d of %d from rank %d for %d: expected %d, found %d"
                .formatted(
                    i, segment.byteSize(), from, to, pattern(from, to, i), segment.get(BYTE, i)));
      }
    }
  }

  private static void assertGuard(MemorySegment segment) {
    for (long i = 0; i < segment.byteSize(); i++) {
      if (segment.get(BYTE, i) != GUARD) {
        throw new AssertionError("guard byte %d was overwritten".formatted(i));
      }
    }
  }

  private void broadcast() {
    for (int root = 0; root < size; root++) {
      for (long bytes : SIZES) {
        MemorySegment whole = guarded(bytes + 20);
        MemorySegment part = whole.asSlice(9, bytes);
        if (rank == root) {
          fill(part, root, 0);
        }
        world.broadcast(root, part);
        assertPattern(part, root, 0);
        assertGuard(whole.asSlice(0, 9));
        assertGuard(whole.asSlice(9 + bytes));
      }
    }
  }

  /// Integers, so that sums are exact in every order.
  private static long value(int rank, long i) {
    return (rank + 1) * (i % 1000 + 1) * ((i & 1) == 0 ? 1 : -1);
  }

  private long expected(Reduction reduction, long i) {
    long result = value(0, i);
    for (int peer = 1; peer < size; peer++) {
      long next = value(peer, i);
      result = reduction == Reduction.SUM ? result + next : Math.max(result, next);
    }
    return result;
  }

  private static void set(MemorySegment segment, Element element, long i, double value) {
    switch (element) {
      case FLOAT -> segment.set(FLOAT, i * Float.BYTES, (float) value);
      case DOUBLE -> segment.set(DOUBLE, i * Double.BYTES, value);
      case LONG -> segment.set(LONG, i * Long.BYTES, (long) value);
    }
  }

  private static double get(MemorySegment segment, Element element, long i) {
    return switch (element) {
      case FLOAT -> segment.get(FLOAT, i * Float.BYTES);
      case DOUBLE -> segment.get(DOUBLE, i * Double.BYTES);
      case LONG -> segment.get(LONG, i * Long.BYTES);
    };
  }

  private static void assertElement(MemorySegment segment, Element element, long i, long expected) {
    double found = get(segment, element, i);
    if (found != (double) expected) {
      throw new AssertionError(
          "%s %d: expected %s, found %s".formatted(element, i, expected, found));
    }
  }

  private void allReduce() {
    for (Element element : Element.values()) {
      for (Reduction reduction : Reduction.values()) {
        for (long n : new long[] {0, 1, size - 1, size, size + 1, 1000, 30_011}) {
          MemorySegment segment = arena.allocate(n * element.bytes(), 8);
          for (long i = 0; i < n; i++) {
            set(segment, element, i, (double) value(rank, i));
          }
          world.allReduce(segment, element, reduction);
          for (long i = 0; i < n; i++) {
            assertElement(segment, element, i, expected(reduction, i));
          }
        }
      }
    }
  }

  /// Sums follow the ranks to the bit, so they are the same everywhere, run after run: of few
  /// elements, of many, and of more than go at once.
  private void sameBits() {
    for (Element element : List.of(Element.FLOAT, Element.DOUBLE)) {
      for (int n : new int[] {1, size + 1, 5003, 525_001}) {
        int block = n / size;
        MemorySegment segment = arena.allocate((long) n * element.bytes(), 8);
        for (int i = 0; i < n; i++) {
          set(segment, element, i, fraction(rank, i));
        }
        MemorySegment own = arena.allocate((long) block * element.bytes(), 8);
        world.reduceScatter(segment.asSlice(0, size * own.byteSize()), own, element, Reduction.SUM);
        world.allReduce(segment, element, Reduction.SUM);
        for (int i = 0; i < n; i++) {
          double sum = fraction(0, i);
          for (int peer = 1; peer < size; peer++) {
            sum += fraction(peer, i);
            sum = element == Element.FLOAT ? (float) sum : sum;
          }
          assertSame(get(segment, element, i), sum, i);
          if (block > 0 && i / block == rank) {
            assertSame(get(own, element, i % block), sum, i);
          }
        }
      }
    }
  }

  /// A `float32` in -0.5..0.5 whose bits have no pattern.
  private static double fraction(int peer, int i) {
    return (float) (new SplittableRandom(((long) peer << 32) + i).nextDouble() - 0.5);
  }

  private static void assertSame(double found, double expected, int i) {
    if (found != expected) {
      throw new AssertionError("element %d: expected %s, found %s".formatted(i, expected, found));
    }
  }

  private void gatheredBytes() {
    List<byte[]> all = GatheredBytes.onFirst(world, bytesOf(rank));
    assertThat(all).hasSize(rank == 0 ? size : 0);
    for (int from = 0; from < all.size(); from++) {
      assertThat(all.get(from)).isEqualTo(bytesOf(from));
    }
  }

  /// Of a length of its own, none for rank 0.
  private static byte[] bytesOf(int from) {
    byte[] bytes = new byte[7 * from];
    Arrays.fill(bytes, (byte) from);
    return bytes;
  }

  private void reduceScatter() {
    for (Element element : Element.values()) {
      for (Reduction reduction : Reduction.values()) {
        for (long n : new long[] {0, 1, 5, 30_011}) {
          MemorySegment send = arena.allocate(n * size * element.bytes(), 8);
          for (long i = 0; i < n * size; i++) {
            set(send, element, i, (double) value(rank, i));
          }
          MemorySegment receive = arena.allocate(n * element.bytes(), 8);
          world.reduceScatter(send, receive, element, reduction);
          for (long i = 0; i < n; i++) {
            assertElement(receive, element, i, expected(reduction, rank * n + i));
          }
        }
      }
    }
  }

  private void allGather() {
    for (long bytes : SIZES) {
      MemorySegment receive = arena.allocate(bytes * size, 8);
      world.allGather(filled(rank, 0, bytes), receive);
      assertGathered(receive, bytes);
      MemorySegment inPlace = arena.allocate(bytes * size, 8);
      MemorySegment own = inPlace.asSlice(rank * bytes, bytes);
      fill(own, rank, 0);
      world.allGather(own, inPlace);
      assertGathered(inPlace, bytes);
    }
  }

  private void assertGathered(MemorySegment receive, long bytes) {
    for (int peer = 0; peer < size; peer++) {
      assertPattern(receive.asSlice(peer * bytes, bytes), peer, 0);
    }
  }

  /// Bytes of rank `peer`; one rank has nothing.
  private long unequal(int peer) {
    return peer == 1 ? 0 : 1000L * peer + 3;
  }

  private void allGatherV() {
    long[] offsets = new long[size];
    long[] counts = new long[size];
    long end = 5;
    for (int peer = size - 1; peer >= 0; peer--) {
      offsets[peer] = end;
      counts[peer] = unequal(peer);
      end += counts[peer] + 5;
    }
    PeerBlocks blocks = PeerBlocks.of(offsets, counts);
    MemorySegment receive = guarded(end);
    world.allGatherV(filled(rank, 0, unequal(rank)), receive, blocks);
    assertBlocks(receive, blocks, 0);
    MemorySegment inPlace = guarded(end);
    MemorySegment own = inPlace.asSlice(offsets[rank], counts[rank]);
    fill(own, rank, 0);
    world.beginAllGatherV(own, inPlace, blocks).await();
    assertBlocks(inPlace, blocks, 0);
  }

  /// Each block has its pattern, and five guard bytes before it.
  private void assertBlocks(MemorySegment receive, PeerBlocks blocks, int to) {
    for (int peer = 0; peer < size; peer++) {
      assertPattern(receive.asSlice(blocks.offset(peer), blocks.bytes(peer)), peer, to);
      assertGuard(receive.asSlice(blocks.offset(peer) - 5, 5));
    }
  }

  private void allToAll() {
    for (long bytes : SIZES) {
      MemorySegment send = arena.allocate(bytes * size, 8);
      for (int peer = 0; peer < size; peer++) {
        fill(send.asSlice(peer * bytes, bytes), rank, peer);
      }
      MemorySegment receive = arena.allocate(bytes * size, 8);
      world.allToAll(send, receive);
      for (int peer = 0; peer < size; peer++) {
        assertPattern(receive.asSlice(peer * bytes, bytes), peer, rank);
      }
    }
  }

  /// What `from` has for `to`: a third of the pairs have nothing for each other.
  private static long pairBytes(int from, int to, int scale) {
    return (from + 2L * to) % 3 == 0 ? 0 : (17L * from + 5L * to + 1) * scale;
  }

  private PeerBlocks gapped(boolean sends, int scale) {
    long[] offsets = new long[size];
    long[] counts = new long[size];
    long end = 5;
    for (int peer = size - 1; peer >= 0; peer--) {
      offsets[peer] = end;
      counts[peer] = sends ? pairBytes(rank, peer, scale) : pairBytes(peer, rank, scale);
      end += counts[peer] + 5;
    }
    return PeerBlocks.of(offsets, counts);
  }

  private MemorySegment packed(PeerBlocks blocks) {
    MemorySegment send = guarded(blocks.end() + 5);
    for (int peer = 0; peer < size; peer++) {
      fill(send.asSlice(blocks.offset(peer), blocks.bytes(peer)), rank, peer);
    }
    return send;
  }

  private void allToAllV() {
    for (int scale : new int[] {1, 400}) {
      PeerBlocks sends = gapped(true, scale);
      PeerBlocks receives = gapped(false, scale);
      MemorySegment receive = guarded(receives.end() + 100);
      world.allToAllV(packed(sends), sends, receive, receives);
      assertBlocks(receive, receives, rank);
      assertGuard(receive.asSlice(receives.end()));
    }
    PeerBlocks nothing = PeerBlocks.uniform(size, 0);
    world.allToAllV(MemorySegment.NULL, nothing, MemorySegment.NULL, nothing);
  }

  private void ring() {
    int next = (rank + 1) % size;
    int previous = (rank + size - 1) % size;
    for (long bytes : SIZES) {
      Request send = world.beginSend(next, 3, filled(rank, next, bytes));
      MemorySegment whole = guarded(bytes + 16);
      world.receive(previous, 3, whole.asSlice(8, bytes));
      send.await();
      assertPattern(whole.asSlice(8, bytes), previous, rank);
      assertGuard(whole.asSlice(0, 8));
      assertGuard(whole.asSlice(8 + bytes));
      assertThat(send.test()).isTrue();
    }
  }

  private void tagsOutOfOrder() {
    int partner = rank ^ 1;
    if (partner >= size) {
      return;
    }
    if (rank < partner) {
      List<Request> sends = new ArrayList<>();
      for (int tag = 0; tag < 10; tag++) {
        sends.add(world.beginSend(partner, tag * 3000, filled(rank, tag, 100 + tag)));
        sends.add(world.beginSend(partner, tag * 3000, filled(rank, tag + 50, 100 + tag)));
      }
      Request.awaitAll(sends);
    } else {
      for (int tag = 9; tag >= 0; tag--) {
        MemorySegment first = arena.allocate(100 + tag);
        MemorySegment second = arena.allocate(100 + tag);
        world.receive(partner, tag * 3000, first);
        world.receive(partner, tag * 3000, second);
        assertPattern(first, partner, tag);
        assertPattern(second, partner, tag + 50);
      }
    }
  }

  private void manyOutstanding() {
    int each = 50;
    List<Request> requests = new ArrayList<>();
    List<MemorySegment> received = new ArrayList<>();
    for (int i = 0; i < each; i++) {
      for (int peer = 0; peer < size; peer++) {
        if (peer != rank) {
          MemorySegment segment = arena.allocate(16 + i);
          received.add(segment);
          requests.add(world.beginReceive(peer, i, segment));
          requests.add(world.beginSend(peer, each - 1 - i, filled(rank, peer, 16 + each - 1 - i)));
        }
      }
    }
    Collections.shuffle(requests, new Random(rank));
    Request.awaitAll(requests);
    int at = 0;
    for (int i = 0; i < each; i++) {
      for (int peer = 0; peer < size; peer++) {
        if (peer != rank) {
          assertPattern(received.get(at++), peer, rank);
        }
      }
    }
  }

  private void toItself() {
    MemorySegment receive = arena.allocate(100);
    Request pending = world.beginReceive(rank, 1, receive);
    world.send(rank, 1, filled(rank, rank, 100));
    pending.await();
    assertPattern(receive, rank, rank);
  }

  private void inFlight() {
    List<Request> requests = new ArrayList<>();
    List<MemorySegment> broadcasts = new ArrayList<>();
    for (int root = 0; root < size; root++) {
      MemorySegment segment = root == rank ? filled(root, 0, 5000) : arena.allocate(5000);
      broadcasts.add(segment);
      requests.add(world.beginBroadcast(root, segment));
    }
    MemorySegment sum = arena.allocate(LONG, 1000);
    for (int i = 0; i < 1000; i++) {
      sum.setAtIndex(LONG, i, value(rank, i));
    }
    requests.add(world.beginAllReduce(sum, Element.LONG, Reduction.SUM));
    PeerBlocks sends = gapped(true, 10);
    PeerBlocks receives = gapped(false, 10);
    MemorySegment receive = guarded(receives.end() + 5);
    requests.add(world.beginAllToAllV(packed(sends), sends, receive, receives));
    for (Request request : requests.reversed()) {
      request.await();
    }
    for (int root = 0; root < size; root++) {
      assertPattern(broadcasts.get(root), root, 0);
    }
    for (int i = 0; i < 1000; i++) {
      assertThat(sum.getAtIndex(LONG, i)).isEqualTo(expected(Reduction.SUM, i));
    }
    assertBlocks(receive, receives, rank);
  }

  private void awaitAny() {
    if (rank > 1 || size < 2) {
      return;
    }
    if (rank == 1) {
      world.send(0, 7, filled(1, 7, 10));
      world.receive(0, 9, arena.allocate(1));
      world.send(0, 8, filled(1, 8, 10));
      return;
    }
    MemorySegment late = arena.allocate(10);
    MemorySegment early = arena.allocate(10);
    List<Request> requests =
        List.of(world.beginReceive(1, 8, late), world.beginReceive(1, 7, early));
    assertThat(Request.awaitAny(requests)).isEqualTo(1);
    assertPattern(early, 1, 7);
    assertThat(requests.get(0).test()).isFalse();
    world.send(1, 9, arena.allocate(1));
    assertThat(Request.awaitAny(requests.subList(0, 1))).isZero();
    assertPattern(late, 1, 8);
    assertThatThrownBy(() -> Request.awaitAny(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private void grid() {
    int columns = size % 2 == 0 ? size / 2 : size;
    try (Communicator row = world.split(rank / columns, rank);
        Communicator column = world.split(rank % columns, rank)) {
      assertThat(row.size()).isEqualTo(columns);
      assertThat(column.size()).isEqualTo(size / columns);
      assertThat(row.rank()).isEqualTo(rank % columns);
      assertThat(column.rank()).isEqualTo(rank / columns);
      MemorySegment rowSum = ofLong(rank);
      MemorySegment columnSum = ofLong(rank);
      MemorySegment fromRowRoot = ofLong(rank);
      Request first = row.beginAllReduce(rowSum, Element.LONG, Reduction.SUM);
      Request second = column.beginAllReduce(columnSum, Element.LONG, Reduction.SUM);
      row.broadcast(columns - 1, fromRowRoot);
      second.await();
      first.await();
      long expectedRow = 0;
      long expectedColumn = 0;
      for (int peer = 0; peer < size; peer++) {
        expectedRow += peer / columns == rank / columns ? peer : 0;
        expectedColumn += peer % columns == rank % columns ? peer : 0;
      }
      assertThat(rowSum.get(LONG, 0)).isEqualTo(expectedRow);
      assertThat(columnSum.get(LONG, 0)).isEqualTo(expectedColumn);
      assertThat(fromRowRoot.get(LONG, 0)).isEqualTo(rank / columns * columns + columns - 1);
    }
  }

  private MemorySegment ofLong(long value) {
    MemorySegment segment = arena.allocate(LONG);
    segment.set(LONG, 0, value);
    return segment;
  }

  private void splitByKey() {
    Traffic.Snapshot before = world.traffic().snapshot();
    try (Communicator backwards = world.split(0, -rank)) {
      assertThat(backwards.rank()).isEqualTo(size - 1 - rank);
      MemorySegment segment = ofLong(rank);
      backwards.broadcast(0, segment);
      assertThat(segment.get(LONG, 0)).isEqualTo(size - 1);
      if (size > 1 && backwards.rank() == 1) {
        backwards.send(0, 0, segment);
      } else if (size > 1 && backwards.rank() == 0) {
        backwards.receive(1, 0, segment);
      }
    }
    Traffic.Snapshot sent = world.traffic().snapshot().minus(before);
    if (size > 1) {
      // Rank 1 of the part is rank size-2 of the world; its peer is rank size-1.
      assertThat(sent.bytes(Operation.SEND, size - 1)).isEqualTo(rank == size - 2 ? 8 : 0);
    }
  }

  private void traffic() {
    Traffic.Snapshot before = world.traffic().snapshot();
    int root = size - 1;
    world.broadcast(root, arena.allocate(100));
    MemorySegment reduced = arena.allocate(FLOAT, 10);
    world.allReduce(reduced, Element.FLOAT, Reduction.SUM);
    world.reduceScatter(
        arena.allocate(12L * size), arena.allocate(12), Element.FLOAT, Reduction.SUM);
    world.allGather(arena.allocate(9), arena.allocate(9L * size));
    PeerBlocks sends = gapped(true, 2);
    PeerBlocks receives = gapped(false, 2);
    world.allToAllV(packed(sends), sends, arena.allocate(receives.end()), receives);
    int next = (rank + 1) % size;
    Request sending = world.beginSend(next, 0, arena.allocate(33));
    world.receive((rank + size - 1) % size, 0, arena.allocate(33));
    sending.await();
    world.barrier();
    Traffic.Snapshot sent = world.traffic().snapshot().minus(before);
    for (int peer = 0; peer < size; peer++) {
      boolean other = peer != rank;
      long slices = 4 * (slice(peer) + slice(rank));
      assertThat(sent.bytes(Operation.BROADCAST, peer)).isEqualTo(other && rank == root ? 100 : 0);
      assertThat(sent.bytes(Operation.ALL_REDUCE, peer)).isEqualTo(other ? slices : 0);
      assertThat(sent.bytes(Operation.REDUCE_SCATTER, peer)).isEqualTo(other ? 12 : 0);
      assertThat(sent.bytes(Operation.ALL_GATHER, peer)).isEqualTo(other ? 9 : 0);
      assertThat(sent.messages(Operation.ALL_GATHER, peer)).isEqualTo(other ? 1 : 0);
      long pair = pairBytes(rank, peer, 2);
      assertThat(sent.bytes(Operation.ALL_TO_ALL, peer)).isEqualTo(other ? pair : 0);
      assertThat(sent.messages(Operation.ALL_TO_ALL, peer)).isEqualTo(other && pair > 0 ? 1 : 0);
      assertThat(sent.bytes(Operation.SEND, peer)).isEqualTo(other && peer == next ? 33 : 0);
    }
    assertThat(sent.messages(Operation.BARRIER))
        .isEqualTo(Integer.SIZE - Integer.numberOfLeadingZeros(size - 1));
    assertThat(sent.bytes(Operation.BARRIER)).isZero();
  }

  /// Of 10 elements.
  private long slice(int peer) {
    return 10L / size + (peer < 10 % size ? 1 : 0);
  }

  private void wrongArguments() {
    MemorySegment ten = arena.allocate(10);
    assertIllegal("whole elements", () -> world.allReduce(ten, Element.FLOAT, Reduction.SUM));
    assertIllegal("expected a rank in", () -> world.broadcast(size, ten));
    assertIllegal("expected a rank in", () -> world.send(-1, 0, ten));
    assertIllegal("expected a tag in", () -> world.receive(0, 32768, ten));
    assertIllegal("read-only", () -> world.receive(0, 0, ten.asReadOnly()));
    assertIllegal("Java heap", () -> world.send(0, 0, MemorySegment.ofArray(new byte[3])));
    assertIllegal("expected", () -> world.allGather(ten, arena.allocate(10L * size + 1)));
    assertIllegal("color", () -> world.split(-1, 0));
    PeerBlocks blocks = PeerBlocks.uniform(size, 10);
    assertIllegal(
        "the blocks end at byte",
        () ->
            world.allToAllV(
                arena.allocate(10L * size - 1), blocks, arena.allocate(10L * size), blocks));
    assertIllegal(
        "blocks for",
        () ->
            world.allToAllV(
                ten, PeerBlocks.uniform(size + 1, 0), ten, PeerBlocks.uniform(size, 0)));
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment mine = confined.allocate(8);
      assertIllegal("Arena.ofShared()", () -> world.broadcast(0, mine));
    }
  }

  private static void assertIllegal(String words, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }
}
