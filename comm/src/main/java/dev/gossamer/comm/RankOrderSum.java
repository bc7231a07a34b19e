package dev.gossamer.comm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Sums in rank order, built from exchanges, for communicators whose library adds in its own order:
/// results of ranks as processes are bit-identical to those of ranks as threads (`ReduceMeeting`).
/// Every rank receives its slice from all ranks, adds, and sends the sum to all, which sends no
/// more bytes than any other all-reduce; for few elements, all ranks receive everything and add it
/// themselves, which avoids waiting for a second message.
///
/// Long segments are divided into pieces: the additional memory is at most [#PIECE_BYTES], which is
/// reused between calls.
final class RankOrderSum {
  private static final long PIECE_BYTES = 4 << 20;
  private static final long GATHERED_BYTES = 64 << 10;

  private final MeteredCommunicator comm;
  private MemorySegment scratch = MemorySegment.NULL;

  RankOrderSum(MeteredCommunicator comm) {
    this.comm = comm;
  }

  void allReduce(MemorySegment segment, Element element) {
    long bytes = segment.byteSize();
    if (bytes * comm.size() <= GATHERED_BYTES) {
      MemorySegment all = scratch(bytes * comm.size());
      comm.moveAllGather(segment, all);
      add(all, segment, element);
      return;
    }
    for (long at = 0; at < bytes; at += PIECE_BYTES) {
      addPiece(segment.asSlice(at, Math.min(PIECE_BYTES, bytes - at)), element);
    }
  }

  private void addPiece(MemorySegment piece, Element element) {
    PeerBlocks slices = slices(piece.byteSize() / element.bytes(), element);
    long own = slices.bytes(comm.rank());
    MemorySegment all = scratch(own * comm.size());
    comm.moveAllToAllV(piece, slices, all, PeerBlocks.uniform(comm.size(), own));
    MemorySegment sum = piece.asSlice(slices.offset(comm.rank()), own);
    add(all, sum, element);
    comm.moveAllGatherV(sum, piece, slices);
  }

  private PeerBlocks slices(long elements, Element element) {
    long[] counts = new long[comm.size()];
    Arrays.setAll(counts, rank -> element.bytes() * Slices.elements(elements, counts.length, rank));
    return PeerBlocks.packed(counts);
  }

  void reduceScatter(MemorySegment send, MemorySegment receive, Element element) {
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
      add(all, receive.asSlice(at, bytes), element);
    }
  }

  /// @param all one block of each rank
  private void add(MemorySegment all, MemorySegment sum, Element element) {
    MemorySegment[] blocks = new MemorySegment[comm.size()];
    long bytes = sum.byteSize();
    Arrays.setAll(blocks, rank -> all.asSlice(rank * bytes, bytes));
    ElementwiseReduction.run(blocks, new MemorySegment[] {sum}, element, Reduction.SUM);
  }

  private MemorySegment scratch(long bytes) {
    if (scratch.byteSize() < bytes) {
      scratch = Arena.ofAuto().allocate(bytes, Long.BYTES);
    }
    return scratch.asSlice(0, bytes);
  }
}
