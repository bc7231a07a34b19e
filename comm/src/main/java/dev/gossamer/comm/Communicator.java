package dev.gossamer.comm;

import java.lang.foreign.MemorySegment;

/// A group of cooperating ranks `0..size-1`, from the perspective of one rank.
///
/// **Collective** operations are called by every rank of the group, in the same order and with
/// matching arguments; all other operations are **local** to the ranks that they name. An operation
/// `begin...` returns at once and completes later, while the rank computes; collectives of one
/// group are matched in the order in which they begin, regardless of the order in which they are
/// awaited.
///
/// **Segments** are off-heap and not confined to a thread (`Arena.ofShared()`, mapped, global).
/// Counts and offsets are 64-bit and in bytes; the size of a segment is the size of the message, so
/// slice to send a part. Empty segments are allowed. Segments that an operation reads may be read
/// concurrently; a segment that it fills must not overlap any other segment of the operation,
/// except where stated.
///
/// **Reductions** add in a fixed order, so that the same data on the same number of ranks give
/// bit-identical results in every run, for threads and processes, and on all ranks: in the order of
/// ranks, `((x0 + x1) + x2) + ...`. Under MPI such a sum over more than two ranks is complete when
/// [#beginAllReduce] returns, over sockets every reduction.
///
/// **Failure** of one rank ends all: the others get a [RankFailedException] from their current or
/// next operation (threads, sockets), or their processes end (MPI). Arguments that are invalid on
/// one rank are [IllegalArgumentException]s; a disagreement between ranks is a
/// [CommunicationException] that names them. No implementation buffers: a send may wait for its
/// receive.
///
/// **Threads**: one thread of a rank at a time calls collectives on a group. Several groups, and
/// messages between two ranks, may be in use from several threads at once.
public interface Communicator extends AutoCloseable {
  /// Largest tag of a message.
  int MAX_TAG = 32767;

  /// {@return this rank's number in the group, `0..size-1`} Local.
  int rank();

  /// {@return the number of ranks of the group} Local.
  int size();

  /// {@return the traffic that this rank has sent, on all its groups} Local.
  Traffic traffic();

  /// Returns when every rank has called it. Collective.
  void barrier();

  /// Copies the root's segment to all other ranks. Collective.
  ///
  /// @param root the rank that has the data
  /// @param segment read on the root, overwritten elsewhere; the same size on all ranks
  void broadcast(int root, MemorySegment segment);

  /// Replaces each element by the reduction of the elements of all ranks at its position.
  /// Collective.
  ///
  /// @param segment overwritten; the same size on all ranks, whole elements
  /// @param element type of the elements
  /// @param reduction of the elements
  void allReduce(MemorySegment segment, Element element, Reduction reduction);

  /// Reduces the elements of all ranks elementwise and scatters the result: rank `r` gets the
  /// `r`-th of `size` equal blocks. Collective.
  ///
  /// @param send `size` blocks, read
  /// @param receive one block, overwritten; the same size on all ranks, whole elements
  /// @param element type of the elements
  /// @param reduction of the elements
  void reduceScatter(
      MemorySegment send, MemorySegment receive, Element element, Reduction reduction);

  /// Gathers the blocks of all ranks, in rank order, on all ranks. Collective.
  ///
  /// @param send this rank's block, read; the same size on all ranks; may be block `rank()` of
  ///   `receive`
  /// @param receive `size` blocks, overwritten
  void allGather(MemorySegment send, MemorySegment receive);

  /// Gathers the blocks of all ranks, of different sizes, on all ranks. Collective.
  ///
  /// @param send this rank's block, read: `blocks.bytes(rank())` bytes; may be that block of
  ///   `receive`
  /// @param receive overwritten at the positions of the blocks
  /// @param blocks position of each rank's block in `receive`; counts must be the same on all
  ///   ranks, offsets may differ
  void allGatherV(MemorySegment send, MemorySegment receive, PeerBlocks blocks);

  /// Sends block `j` of each rank to rank `j`. Collective.
  ///
  /// @param send `size` blocks of equal size, the same on all ranks, read
  /// @param receive the same number of bytes, overwritten: block `i` comes from rank `i`
  void allToAll(MemorySegment send, MemorySegment receive);

  /// Sends a separate block, of any size, to each rank: the exchange of rows packed by destination.
  /// Collective. A rank's block for itself is copied. Ranks without data for each other do not wait
  /// for each other.
  ///
  /// @param send read at the positions in `sendBlocks`; blocks may overlap
  /// @param sendBlocks the block for each rank; one block per rank
  /// @param receive overwritten at the positions in `receiveBlocks`, unchanged elsewhere
  /// @param receiveBlocks the position for the block of each rank; rank `i` must send this rank
  ///   exactly `receiveBlocks.bytes(i)` bytes
  void allToAllV(
      MemorySegment send, PeerBlocks sendBlocks, MemorySegment receive, PeerBlocks receiveBlocks);

  /// Sends a message. Local to the two ranks. Messages from one rank to another with the same tag
  /// arrive in the order in which they were sent. May block until the receive starts.
  ///
  /// @param peer the receiving rank; may be this rank, if the receive has started or starts on
  ///   another thread
  /// @param tag `0..MAX_TAG`
  /// @param segment read
  void send(int peer, int tag, MemorySegment segment);

  /// Receives a message. Local to the two ranks.
  ///
  /// @param peer the sending rank
  /// @param tag the message's tag
  /// @param segment overwritten; exactly the size of the message
  void receive(int peer, int tag, MemorySegment segment);

  /// Begins [#send].
  ///
  /// @param peer as in [#send]
  /// @param tag as in [#send]
  /// @param segment as in [#send]
  /// @return the pending operation, which must be awaited
  Request beginSend(int peer, int tag, MemorySegment segment);

  /// Begins [#receive].
  ///
  /// @param peer as in [#receive]
  /// @param tag as in [#receive]
  /// @param segment as in [#receive]
  /// @return the pending operation, which must be awaited
  Request beginReceive(int peer, int tag, MemorySegment segment);

  /// Begins [#broadcast].
  ///
  /// @param root as in [#broadcast]
  /// @param segment as in [#broadcast]
  /// @return the pending operation, which must be awaited
  Request beginBroadcast(int root, MemorySegment segment);

  /// Begins [#allReduce].
  ///
  /// @param segment as in [#allReduce]
  /// @param element as in [#allReduce]
  /// @param reduction as in [#allReduce]
  /// @return the pending operation, which must be awaited
  Request beginAllReduce(MemorySegment segment, Element element, Reduction reduction);

  /// Begins [#allGatherV].
  ///
  /// @param send as in [#allGatherV]
  /// @param receive as in [#allGatherV]
  /// @param blocks as in [#allGatherV]
  /// @return the pending operation, which must be awaited
  Request beginAllGatherV(MemorySegment send, MemorySegment receive, PeerBlocks blocks);

  /// Begins [#allToAllV].
  ///
  /// @param send as in [#allToAllV]
  /// @param sendBlocks as in [#allToAllV]
  /// @param receive as in [#allToAllV]
  /// @param receiveBlocks as in [#allToAllV]
  /// @return the pending operation, which must be awaited
  Request beginAllToAllV(
      MemorySegment send, PeerBlocks sendBlocks, MemorySegment receive, PeerBlocks receiveBlocks);

  /// Splits the group: ranks with the same color form a new group, ordered by key, and by their
  /// numbers in this group if keys are equal. Collective. The new group works independently of this
  /// one and counts in the same [Traffic].
  ///
  /// @param color at least 0
  /// @param key determines the rank's position in its new group
  /// @return the new group of this rank
  Communicator split(int color, int key);

  /// Ends the run on all ranks because this rank cannot continue. Local; does not return.
  ///
  /// @param cause the cause, which the other ranks, or the launcher's output, report
  void abort(Throwable cause);

  /// Releases the resources of the group. Collective for groups created by [#split]; the world is
  /// closed by the code that started the ranks. No request of the group may be pending.
  @Override
  void close();
}
