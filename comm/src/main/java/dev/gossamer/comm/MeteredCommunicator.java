package dev.gossamer.comm;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The common part of all communicators: checks arguments, counts traffic and records operations on
/// the rank's timeline. Implementations move the bytes.
public abstract class MeteredCommunicator implements Communicator {
  /// Never started: memory that it may touch is not confined to a thread.
  private static final Thread STRANGER = Thread.ofPlatform().unstarted(() -> {});

  private final int rank;
  private final int size;
  private final Traffic traffic;
  private @Nullable RankOrderReduction rankOrder;

  /// Creates one rank of a group.
  ///
  /// @param rank number of this rank in the group
  /// @param size number of ranks of the group
  /// @param traffic the rank's counter
  protected MeteredCommunicator(int rank, int size, Traffic traffic) {
    this.rank = rank;
    this.size = size;
    this.traffic = traffic;
  }

  @Override
  public final int rank() {
    return rank;
  }

  @Override
  public final int size() {
    return size;
  }

  @Override
  public final Traffic traffic() {
    return traffic;
  }

  /// {@return the number in the world of a rank of this group}
  ///
  /// @param peer `0..size-1`
  protected abstract int worldRank(int peer);

  @Override
  public final void barrier() {
    Passage passage = passage(Operation.BARRIER);
    for (int distance = 1; distance < size; distance <<= 1) {
      passage.sends(worldRank((rank + distance) % size), 0);
    }
    moveBarrier();
    passage.end();
  }

  @Override
  public final void broadcast(int root, MemorySegment segment) {
    Passage passage = admitBroadcast(root, segment);
    moveBroadcast(root, segment);
    passage.end();
  }

  @Override
  public final Request beginBroadcast(int root, MemorySegment segment) {
    Passage passage = admitBroadcast(root, segment);
    return passage.follow(startBroadcast(root, segment));
  }

  private Passage admitBroadcast(int root, MemorySegment segment) {
    checkPeer("broadcast", root);
    Passage passage;
    if (rank == root) {
      checkReadable("broadcast", segment);
      passage = passage(Operation.BROADCAST);
      sendToOthers(passage, segment.byteSize());
    } else {
      checkWritable("broadcast", segment);
      passage = passage(Operation.BROADCAST);
      receiveBlock(passage, root, segment.byteSize());
    }
    return passage;
  }

  @Override
  public final void allReduce(MemorySegment segment, Element element, Reduction reduction) {
    Passage passage = admitAllReduce(segment, element);
    moveAllReduce(segment, element, reduction);
    passage.end();
  }

  @Override
  public final Request beginAllReduce(MemorySegment segment, Element element, Reduction reduction) {
    Passage passage = admitAllReduce(segment, element);
    return passage.follow(startAllReduce(segment, element, reduction));
  }

  private Passage admitAllReduce(MemorySegment segment, Element element) {
    checkWritable("all-reduce", segment);
    long elements = wholeElements("all-reduce", segment, element);
    long own = element.bytes() * Slices.elements(elements, size, rank);
    Passage passage = passage(Operation.ALL_REDUCE);
    for (int peer = 0; peer < size; peer++) {
      long slice = element.bytes() * Slices.elements(elements, size, peer);
      sendBlock(passage, peer, slice);
      sendBlock(passage, peer, own);
      receiveBlock(passage, peer, own + slice);
    }
    return passage;
  }

  @Override
  public final void reduceScatter(
      MemorySegment send, MemorySegment receive, Element element, Reduction reduction) {
    checkReadable("reduce-scatter", send);
    checkWritable("reduce-scatter", receive);
    wholeElements("reduce-scatter", receive, element);
    checkBytes("reduce-scatter: send", size * receive.byteSize(), send.byteSize());
    Passage passage = passage(Operation.REDUCE_SCATTER);
    sendToOthers(passage, receive.byteSize());
    receiveFromOthers(passage, receive.byteSize());
    moveReduceScatter(send, receive, element, reduction);
    passage.end();
  }

  @Override
  public final void allGather(MemorySegment send, MemorySegment receive) {
    checkReadable("all-gather", send);
    checkWritable("all-gather", receive);
    checkBytes("all-gather: receive", size * send.byteSize(), receive.byteSize());
    Passage passage = passage(Operation.ALL_GATHER);
    sendToOthers(passage, send.byteSize());
    receiveFromOthers(passage, send.byteSize());
    moveAllGather(send, receive);
    passage.end();
  }

  @Override
  public final void allGatherV(MemorySegment send, MemorySegment receive, PeerBlocks blocks) {
    Passage passage = admitAllGatherV(send, receive, blocks);
    moveAllGatherV(send, receive, blocks);
    passage.end();
  }

  @Override
  public final Request beginAllGatherV(
      MemorySegment send, MemorySegment receive, PeerBlocks blocks) {
    Passage passage = admitAllGatherV(send, receive, blocks);
    return passage.follow(startAllGatherV(send, receive, blocks));
  }

  private Passage admitAllGatherV(MemorySegment send, MemorySegment receive, PeerBlocks blocks) {
    checkReadable("all-gather", send);
    checkWritable("all-gather", receive);
    checkBlocks("all-gather: receive", receive, blocks);
    checkBytes("all-gather: send", blocks.bytes(rank), send.byteSize());
    Passage passage = passage(Operation.ALL_GATHER);
    sendToOthers(passage, send.byteSize());
    receiveBlocks(passage, blocks);
    return passage;
  }

  @Override
  public final void allToAll(MemorySegment send, MemorySegment receive) {
    checkReadable("all-to-all", send);
    checkWritable("all-to-all", receive);
    checkBytes("all-to-all: receive", send.byteSize(), receive.byteSize());
    if (send.byteSize() % size != 0) {
      throw new IllegalArgumentException(
          "all-to-all: %d bytes cannot be divided into %d equal blocks"
              .formatted(send.byteSize(), size));
    }
    Passage passage = passage(Operation.ALL_TO_ALL);
    sendToOthers(passage, send.byteSize() / size);
    receiveFromOthers(passage, send.byteSize() / size);
    moveAllToAll(send, receive);
    passage.end();
  }

  @Override
  public final void allToAllV(
      MemorySegment send, PeerBlocks sendBlocks, MemorySegment receive, PeerBlocks receiveBlocks) {
    Passage passage = admitAllToAllV(send, sendBlocks, receive, receiveBlocks);
    moveAllToAllV(send, sendBlocks, receive, receiveBlocks);
    passage.end();
  }

  @Override
  public final Request beginAllToAllV(
      MemorySegment send, PeerBlocks sendBlocks, MemorySegment receive, PeerBlocks receiveBlocks) {
    Passage passage = admitAllToAllV(send, sendBlocks, receive, receiveBlocks);
    return passage.follow(startAllToAllV(send, sendBlocks, receive, receiveBlocks));
  }

  private Passage admitAllToAllV(
      MemorySegment send, PeerBlocks sendBlocks, MemorySegment receive, PeerBlocks receiveBlocks) {
    checkReadable("all-to-all", send);
    checkWritable("all-to-all", receive);
    checkBlocks("all-to-all: send", send, sendBlocks);
    checkBlocks("all-to-all: receive", receive, receiveBlocks);
    checkBytes(
        "all-to-all: the rank's own block", sendBlocks.bytes(rank), receiveBlocks.bytes(rank));
    Passage passage = passage(Operation.ALL_TO_ALL);
    for (int peer = 0; peer < size; peer++) {
      sendBlock(passage, peer, sendBlocks.bytes(peer));
    }
    receiveBlocks(passage, receiveBlocks);
    return passage;
  }

  @Override
  public final void send(int peer, int tag, MemorySegment segment) {
    checkSend(peer, tag, segment);
    Passage passage = passage(Operation.SEND);
    moveSend(peer, tag, segment);
    // Counted while the message is on its way, not before it sets out.
    countSend(passage, peer, segment);
    passage.end();
  }

  @Override
  public final Request beginSend(int peer, int tag, MemorySegment segment) {
    checkSend(peer, tag, segment);
    Passage passage = passage(Operation.SEND);
    countSend(passage, peer, segment);
    return passage.follow(startSend(peer, tag, segment));
  }

  private void checkSend(int peer, int tag, MemorySegment segment) {
    checkPeer("send", peer);
    checkTag("send", tag);
    checkReadable("send", segment);
  }

  private void countSend(Passage passage, int peer, MemorySegment segment) {
    if (peer != rank) {
      passage.sends(worldRank(peer), segment.byteSize());
    }
  }

  @Override
  public final void receive(int peer, int tag, MemorySegment segment) {
    Passage passage = admitReceive(peer, tag, segment);
    moveReceive(peer, tag, segment);
    passage.end();
  }

  @Override
  public final Request beginReceive(int peer, int tag, MemorySegment segment) {
    Passage passage = admitReceive(peer, tag, segment);
    return passage.follow(startReceive(peer, tag, segment));
  }

  private Passage admitReceive(int peer, int tag, MemorySegment segment) {
    checkPeer("receive", peer);
    checkTag("receive", tag);
    checkWritable("receive", segment);
    Passage passage = new Passage(Operation.SEND, "receive", traffic);
    receiveBlock(passage, peer, segment.byteSize());
    return passage;
  }

  @Override
  public final Communicator split(int color, int key) {
    if (color < 0) {
      throw new IllegalArgumentException("split: expected a color of at least 0, found " + color);
    }
    return makeSplit(color, key);
  }

  /// Waits for [#barrier].
  protected abstract void moveBarrier();

  /// Begins to move the bytes of [#broadcast].
  ///
  /// @param root the rank that has the data
  /// @param segment read on the root, overwritten elsewhere
  /// @return the pending operation
  protected abstract Request startBroadcast(int root, MemorySegment segment);

  /// Begins to reduce for [#allReduce].
  ///
  /// @param segment overwritten
  /// @param element type of the elements
  /// @param reduction of the elements
  /// @return the pending operation
  protected abstract Request startAllReduce(
      MemorySegment segment, Element element, Reduction reduction);

  /// Reduces for [#reduceScatter].
  ///
  /// @param send `size` blocks
  /// @param receive one block, overwritten
  /// @param element type of the elements
  /// @param reduction of the elements
  protected abstract void moveReduceScatter(
      MemorySegment send, MemorySegment receive, Element element, Reduction reduction);

  /// Begins to move the bytes of [#allGatherV].
  ///
  /// @param send this rank's block
  /// @param receive overwritten at the positions of the blocks
  /// @param blocks positions of the blocks
  /// @return the pending operation
  protected abstract Request startAllGatherV(
      MemorySegment send, MemorySegment receive, PeerBlocks blocks);

  /// Begins to move the bytes of [#allToAllV].
  ///
  /// @param send holds the blocks to send
  /// @param sendBlocks positions of the blocks
  /// @param receive overwritten at the positions of the blocks
  /// @param receiveBlocks positions of the blocks
  /// @return the pending operation
  protected abstract Request startAllToAllV(
      MemorySegment send, PeerBlocks sendBlocks, MemorySegment receive, PeerBlocks receiveBlocks);

  /// Begins to move the bytes of [#send].
  ///
  /// @param peer the receiving rank
  /// @param tag the message's tag
  /// @param segment read
  /// @return the pending operation
  protected abstract Request startSend(int peer, int tag, MemorySegment segment);

  /// Begins to move the bytes of [#receive].
  ///
  /// @param peer the sending rank
  /// @param tag the message's tag
  /// @param segment overwritten
  /// @return the pending operation
  protected abstract Request startReceive(int peer, int tag, MemorySegment segment);

  /// [#split] with checked arguments.
  ///
  /// @param color at least 0
  /// @param key determines the rank's position in its new group
  /// @return the new group of this rank
  protected abstract Communicator makeSplit(int color, int key);

  /// Moves the bytes of [#broadcast].
  ///
  /// @param root the rank that has the data
  /// @param segment read on the root, overwritten elsewhere
  protected void moveBroadcast(int root, MemorySegment segment) {
    startBroadcast(root, segment).await();
  }

  /// Reduces for [#allReduce].
  ///
  /// @param segment overwritten
  /// @param element type of the elements
  /// @param reduction of the elements
  protected void moveAllReduce(MemorySegment segment, Element element, Reduction reduction) {
    startAllReduce(segment, element, reduction).await();
  }

  /// Reduces for [#allReduce] in rank order, by exchanges.
  ///
  /// @param segment overwritten
  /// @param element type of the elements
  /// @param reduction of the elements
  protected final void allReduceInRankOrder(
      MemorySegment segment, Element element, Reduction reduction) {
    rankOrder().allReduce(segment, element, reduction);
  }

  /// Reduces for [#reduceScatter] in rank order, by exchanges.
  ///
  /// @param send `size` blocks
  /// @param receive one block, overwritten
  /// @param element type of the elements
  /// @param reduction of the elements
  protected final void reduceScatterInRankOrder(
      MemorySegment send, MemorySegment receive, Element element, Reduction reduction) {
    rankOrder().reduceScatter(send, receive, element, reduction);
  }

  private RankOrderReduction rankOrder() {
    RankOrderReduction made = rankOrder;
    if (made == null) {
      made = new RankOrderReduction(this);
      rankOrder = made;
    }
    return made;
  }

  /// Moves the bytes of [#allGather].
  ///
  /// @param send this rank's block
  /// @param receive `size` blocks, overwritten
  protected void moveAllGather(MemorySegment send, MemorySegment receive) {
    moveAllGatherV(send, receive, PeerBlocks.uniform(size, send.byteSize()));
  }

  /// Moves the bytes of [#allGatherV].
  ///
  /// @param send this rank's block
  /// @param receive overwritten at the positions of the blocks
  /// @param blocks positions of the blocks
  protected void moveAllGatherV(MemorySegment send, MemorySegment receive, PeerBlocks blocks) {
    startAllGatherV(send, receive, blocks).await();
  }

  /// Moves the bytes of [#allToAll].
  ///
  /// @param send `size` blocks
  /// @param receive `size` blocks, overwritten
  protected void moveAllToAll(MemorySegment send, MemorySegment receive) {
    PeerBlocks blocks = PeerBlocks.uniform(size, send.byteSize() / size);
    moveAllToAllV(send, blocks, receive, blocks);
  }

  /// Moves the bytes of [#allToAllV].
  ///
  /// @param send holds the blocks to send
  /// @param sendBlocks positions of the blocks
  /// @param receive overwritten at the positions of the blocks
  /// @param receiveBlocks positions of the blocks
  protected void moveAllToAllV(
      MemorySegment send, PeerBlocks sendBlocks, MemorySegment receive, PeerBlocks receiveBlocks) {
    startAllToAllV(send, sendBlocks, receive, receiveBlocks).await();
  }

  /// Moves the bytes of [#send].
  ///
  /// @param peer the receiving rank
  /// @param tag the message's tag
  /// @param segment read
  protected void moveSend(int peer, int tag, MemorySegment segment) {
    startSend(peer, tag, segment).await();
  }

  /// Moves the bytes of [#receive].
  ///
  /// @param peer the sending rank
  /// @param tag the message's tag
  /// @param segment overwritten
  protected void moveReceive(int peer, int tag, MemorySegment segment) {
    startReceive(peer, tag, segment).await();
  }

  private Passage passage(Operation operation) {
    return new Passage(operation, operation.label(), traffic);
  }

  private void sendToOthers(Passage passage, long bytes) {
    for (int peer = 0; peer < size; peer++) {
      sendBlock(passage, peer, bytes);
    }
  }

  private void receiveFromOthers(Passage passage, long bytes) {
    for (int peer = 0; peer < size; peer++) {
      receiveBlock(passage, peer, bytes);
    }
  }

  private void receiveBlocks(Passage passage, PeerBlocks blocks) {
    for (int peer = 0; peer < size; peer++) {
      receiveBlock(passage, peer, blocks.bytes(peer));
    }
  }

  /// In a collective, an empty block is no message; nor is what a rank gives itself.
  private void sendBlock(Passage passage, int peer, long bytes) {
    if (peer != rank && bytes > 0) {
      passage.sends(worldRank(peer), bytes);
    }
  }

  private void receiveBlock(Passage passage, int peer, long bytes) {
    if (peer != rank && bytes > 0) {
      passage.receives(worldRank(peer), bytes);
    }
  }

  private void checkPeer(String what, int peer) {
    if (peer < 0 || peer >= size) {
      throw new IllegalArgumentException(
          "%s: expected a rank in 0..%d, found %d".formatted(what, size - 1, peer));
    }
  }

  private static void checkTag(String what, int tag) {
    if (tag < 0 || tag > MAX_TAG) {
      throw new IllegalArgumentException(
          "%s: expected a tag in 0..%d, found %d".formatted(what, MAX_TAG, tag));
    }
  }

  private static void checkReadable(String what, MemorySegment segment) {
    if (!segment.isNative()) {
      throw new IllegalArgumentException(
          what + ": the segment lies on the Java heap; allocate it from an arena");
    }
    if (!segment.isAccessibleBy(STRANGER)) {
      throw new IllegalArgumentException(
          what + ": the segment is confined to one thread; allocate it from Arena.ofShared()");
    }
  }

  private static void checkWritable(String what, MemorySegment segment) {
    checkReadable(what, segment);
    if (segment.isReadOnly()) {
      throw new IllegalArgumentException(what + ": the segment to fill is read-only");
    }
  }

  private void checkBlocks(String what, MemorySegment segment, PeerBlocks blocks) {
    if (blocks.size() != size) {
      throw new IllegalArgumentException(
          "%s: expected blocks for %d ranks, found %d".formatted(what, size, blocks.size()));
    }
    if (blocks.end() > segment.byteSize()) {
      throw new IllegalArgumentException(
          "%s: the blocks end at byte %d but the segment has %d bytes"
              .formatted(what, blocks.end(), segment.byteSize()));
    }
  }

  private static void checkBytes(String what, long expected, long found) {
    if (expected != found) {
      throw new IllegalArgumentException(
          "%s: expected %d bytes, found %d".formatted(what, expected, found));
    }
  }

  private static long wholeElements(String what, MemorySegment segment, Element element) {
    if (segment.byteSize() % element.bytes() != 0) {
      throw new IllegalArgumentException(
          "%s: %d bytes are not whole elements of %d bytes"
              .formatted(what, segment.byteSize(), element.bytes()));
    }
    return segment.byteSize() / element.bytes();
  }
}
