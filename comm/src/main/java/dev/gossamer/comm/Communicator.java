package dev.gossamer.comm;

import java.lang.foreign.MemorySegment;

/// A group of ranks `0..size-1` that work together, as one of them sees it.
///
/// **Collective** operations are called by every rank of the group, in the same order and with
/// matching arguments; the others are **local** to the ranks that they name. An operation called
/// `begin...` returns at once and completes later, while the rank computes; collectives of one
/// group are matched in the order in which they begin, whichever way they are waited for.
///
/// **Segments** are off-heap and not confined to a thread (`Arena.ofShared()`, mapped, global).
/// Counts and offsets are 64-bit and in bytes; the size of a segment is the size of the message, so
/// slice to send a part. Empty segments are allowed. What an operation reads may be read by others
/// at the same time, what it fills must not overlap anything else in the operation, except where
/// said.
///
/// **Reductions** add in a fixed order, so that the same ranks with the same data get the same bits
/// in every run, threads and processes alike, and all ranks the same ones: in the order of ranks,
/// `((x0 + x1) + x2) + ...`. Under MPI such a sum over more than two ranks is complete when
/// [#beginAllReduce] returns.
///
/// **Failure** of one rank ends all: the others get a [RankFailedException] from what they wait in
/// or call next (threads), or their processes end (MPI). Wrong arguments that a rank can see alone
/// are [IllegalArgumentException]s; a disagreement between ranks is a [CommunicationException] that
/// names them. Neither implementation buffers: a send may wait for its receive.
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

  /// {@return what this rank has sent, on this group and all others} Local.
  Traffic traffic();

  /// Returns when every rank has called it. Collective.
  void barrier();

  /// Copies the root's segment to all other ranks. Collective.
  ///
  /// @param root the rank that has the data
  /// @param segment read on the root, overwritten elsewhere; the same size on all ranks
  void broadcast(int root, MemorySegment segment);

  /// Replaces each element by the reduction of the elements of all ranks at its place. Collective.
  ///
  /// @param segment overwritten; the same size on all ranks, whole elements
  /// @param element what the segment has
  /// @param reduction of the elements
  void allReduce(MemorySegment segment, Element element, Reduction reduction);

  /// Reduces the elements of all ranks place by place, and gives the `r`-th of `size` equal blocks
  /// of the result to rank `r`. Collective.
  ///
  /// @param send `size` blocks, read
  /// @param receive one block, overwritten; the same size on all ranks, whole elements
  /// @param element what the segments have
  /// @param reduction of the elements
  void reduceScatter(
      MemorySegment send, MemorySegment receive, Element element, Reduction reduction);

  /// Gives the blocks of all ranks, in rank order, to all ranks. Collective.
  ///
  /// @param send this rank's block, read; the same size on all ranks; may be block `rank()` of
  ///   `receive`
  /// @param receive `size` blocks, overwritten
  void allGather(MemorySegment send, MemorySegment receive);

  /// Gives the blocks of all ranks, of different sizes, to all ranks. Collective.
  ///
  /// @param send this rank's block, read: `blocks.bytes(rank())` bytes; may be that very block of
  ///   `receive`
  /// @param receive overwritten where the blocks lie
  /// @param blocks where each rank's block goes in `receive`; the same counts on all ranks, the
  ///   offsets may differ
  void allGatherV(MemorySegment send, MemorySegment receive, PeerBlocks blocks);

  /// Gives block `j` of each rank to rank `j`. Collective.
  ///
  /// @param send `size` blocks of equal size, the same on all ranks, read
  /// @param receive as many bytes, overwritten: block `i` comes from rank `i`
  void allToAll(MemorySegment send, MemorySegment receive);

  /// Gives each rank its own block, of any size: the exchange of rows packed by destination.
  /// Collective. A rank's own block is copied too. Ranks without bytes for each other do not wait
  /// for each other.
  ///
  /// @param send read where `sendBlocks` says; blocks may overlap
  /// @param sendBlocks for each rank, what it gets; as many blocks as ranks
  /// @param receive overwritten where `receiveBlocks` says, untouched elsewhere
  /// @param receiveBlocks for each rank, where what it sends goes; rank `i` must send this rank
  ///   exactly `receiveBlocks.bytes(i)` bytes
  void allToAllV(
      MemorySegment send, PeerBlocks sendBlocks, MemorySegment receive, PeerBlocks receiveBlocks);

  /// Sends a message. Local to the two ranks. Messages from one rank to another with the same tag
  /// arrive in the order in which they began. May wait for the receive.
  ///
  /// @param peer the receiving rank; may be this one, if the receive has begun or will elsewhere
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
  /// @return the operation, to be waited for
  Request beginSend(int peer, int tag, MemorySegment segment);

  /// Begins [#receive].
  ///
  /// @param peer as in [#receive]
  /// @param tag as in [#receive]
  /// @param segment as in [#receive]
  /// @return the operation, to be waited for
  Request beginReceive(int peer, int tag, MemorySegment segment);

  /// Begins [#broadcast].
  ///
  /// @param root as in [#broadcast]
  /// @param segment as in [#broadcast]
  /// @return the operation, to be waited for
  Request beginBroadcast(int root, MemorySegment segment);

  /// Begins [#allReduce].
  ///
  /// @param segment as in [#allReduce]
  /// @param element as in [#allReduce]
  /// @param reduction as in [#allReduce]
  /// @return the operation, to be waited for
  Request beginAllReduce(MemorySegment segment, Element element, Reduction reduction);

  /// Begins [#allGatherV].
  ///
  /// @param send as in [#allGatherV]
  /// @param receive as in [#allGatherV]
  /// @param blocks as in [#allGatherV]
  /// @return the operation, to be waited for
  Request beginAllGatherV(MemorySegment send, MemorySegment receive, PeerBlocks blocks);

  /// Begins [#allToAllV].
  ///
  /// @param send as in [#allToAllV]
  /// @param sendBlocks as in [#allToAllV]
  /// @param receive as in [#allToAllV]
  /// @param receiveBlocks as in [#allToAllV]
  /// @return the operation, to be waited for
  Request beginAllToAllV(
      MemorySegment send, PeerBlocks sendBlocks, MemorySegment receive, PeerBlocks receiveBlocks);

  /// Divides the group: ranks with the same color form a new one, numbered by key, and by their
  /// numbers here where keys are equal. Collective. The new group works independently of this one
  /// and counts in the same [Traffic].
  ///
  /// @param color at least 0
  /// @param key the rank's place in its new group
  /// @return the new group of this rank
  Communicator split(int color, int key);

  /// Ends the run on all ranks because this rank cannot continue. Local; does not return.
  ///
  /// @param cause why; the other ranks, or the launcher's output, name it
  void abort(Throwable cause);

  /// Gives back what the group holds. Collective for groups made by [#split]; the world is closed
  /// by what started the ranks. No request of the group may be pending.
  @Override
  void close();
}
