package dev.gossamer.comm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Reductions in rank order, built from exchanges, for communicators that have none of their own or
/// one that adds in another order: results of ranks as processes are bit-identical to those of
/// ranks as threads (`ReduceMeeting`). Every rank receives its slice from all ranks, reduces it,
/// and sends the result to all, which sends no more bytes than any other all-reduce; for few
/// elements, all ranks receive everything and reduce it themselves, which avoids waiting for a
/// second message.
///
/// Long segments are divided into pieces: the additional memory is at most [#PIECE_BYTES], which is
/// reused between calls.
final class RankOrderReduction {
  private static final long PIECE_BYTES = 4 << 20;
  private static final long GATHERED_BYTES = 64 << 10;

  private final MeteredCommunicator comm;
  private MemorySegment scratch = MemorySegment.NULL;

  RankOrderReduction(MeteredCommunicator comm) {
    this.comm = comm;
  }

  void allReduce(MemorySegment segment, Element element, Reduction reduction) {
    long bytes = segment.byteSize();
    if (bytes * comm.size() <= GATHERED_BYTES) {
      MemorySegment all = scratch(bytes * comm.size());
      comm.moveAllGather(segment, all);
      reduce(all, segment, element, reduction);
      return;
    }
    for (long at = 0; at < bytes; at += PIECE_BYTES) {
      reducePiece(segment.asSlice(at, Math.min(PIECE_BYTES, bytes - at)), element, reduction);
    }
  }

  private void reducePiece(MemorySegment piece, Element element, Reduction reduction) {
    PeerBlocks slices = slices(piece.byteSize() / element.bytes(), element);
    long own = slices.bytes(comm.rank());
    MemorySegment all = scratch(own * comm.size());
    comm.moveAllToAllV(piece, slices, all, PeerBlocks.uniform(comm.size(), own));
    MemorySegment result = piece.asSlice(slices.offset(comm.rank()), own);
    reduce(all, result, element, reduction);
    comm.moveAllGatherV(result, piece, slices);
  }

  private PeerBlocks slices(long elements, Element element) {
    long[] counts = new long[comm.size()];
    Arrays.setAll(counts, rank -> element.bytes() * Slices.elements(elements, counts.length, rank));
    return PeerBlocks.packed(counts);
  }

  void reduceScatter(
      MemorySegment send, MemorySegment receive, Element element, Reduction reduction) {
    int size = comm.size();
    long block = receive.byteSize();
    long most = Math.max(1, PIECE_BYTES / size / Long.BYTES) * Long.BYTES;
    for (long at = 0; at < block; at += most) {
      long bytes = Math.min(most, block - at);
      long[] offsets = new long[size];
      long[] counts = new long[size];
      for (int peer = 0; peer < size; peer++) {
        offsets[peer] = peer * block + at;
        counts[peer] = bytes;
      }
      MemorySegment all = scratch(bytes * size);
      PeerBlocks from = PeerBlocks.uniform(size, bytes);
      comm.moveAllToAllV(send, PeerBlocks.of(offsets, counts), all, from);
      reduce(all, receive.asSlice(at, bytes), element, reduction);
    }
  }

  /// @param all one block of each rank
  private void reduce(
      MemorySegment all, MemorySegment result, Element element, Reduction reduction) {
    MemorySegment[] blocks = new MemorySegment[comm.size()];
    long bytes = result.byteSize();
    Arrays.setAll(blocks, rank -> all.asSlice(rank * bytes, bytes));
    ElementwiseReduction.run(blocks, new MemorySegment[] {result}, element, reduction);
  }

  private MemorySegment scratch(long bytes) {
    if (scratch.byteSize() < bytes) {
      scratch = Arena.ofAuto().allocate(bytes, Long.BYTES);
    }
    return scratch.asSlice(0, bytes);
  }
}
