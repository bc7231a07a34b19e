package dev.gossamer.comm;

import java.util.Arrays;

/// The positions of the bytes for (or from) each rank in one segment: an offset and a count of
/// bytes for each peer, 64-bit. Immutable, so that an exchange pattern is built once and used in
/// every epoch.
///
/// Blocks may leave gaps and be in any order. Blocks that are only read may overlap; others must
/// not.
public final class PeerBlocks {
  private final long[] offsets;
  private final long[] counts;
  private final long end;
  private final long total;

  private PeerBlocks(long[] offsets, long[] counts) {
    this.offsets = offsets;
    this.counts = counts;
    long farthest = 0;
    long sum = 0;
    for (int peer = 0; peer < counts.length; peer++) {
      if (counts[peer] < 0 || offsets[peer] < 0) {
        throw new IllegalArgumentException(
            "blocks: rank %d has %d bytes at offset %d; both must be at least 0"
                .formatted(peer, counts[peer], offsets[peer]));
      }
      sum = Math.addExact(sum, counts[peer]);
      if (counts[peer] > 0) {
        farthest = Math.max(farthest, Math.addExact(offsets[peer], counts[peer]));
      }
    }
    end = farthest;
    total = sum;
  }

  /// {@return blocks at given positions}
  ///
  /// @param offsets first byte of each rank's block
  /// @param counts bytes of each rank's block
  /// @throws IllegalArgumentException if the lengths differ or a number is negative
  public static PeerBlocks of(long[] offsets, long[] counts) {
    if (offsets.length != counts.length) {
      throw new IllegalArgumentException(
          "blocks: %d offsets but %d counts; each rank has one of both"
              .formatted(offsets.length, counts.length));
    }
    return new PeerBlocks(offsets.clone(), counts.clone());
  }

  /// {@return blocks in rank order without gaps}
  ///
  /// @param counts bytes of each rank's block
  /// @throws IllegalArgumentException if a count is negative
  /// @throws ArithmeticException if the sum overflows 64 bits
  public static PeerBlocks packed(long... counts) {
    long[] offsets = new long[counts.length];
    for (int peer = 1; peer < counts.length; peer++) {
      offsets[peer] = Math.addExact(offsets[peer - 1], counts[peer - 1]);
    }
    return new PeerBlocks(offsets, counts.clone());
  }

  /// {@return rows of equal width, grouped by rank, in rank order without gaps: `rows[peer]` rows
  /// of `rowBytes` bytes for each peer}
  ///
  /// @param rows of each rank
  /// @param rowBytes bytes of a row
  /// @throws IllegalArgumentException if a number is negative
  /// @throws ArithmeticException if the bytes overflow 64 bits
  public static PeerBlocks packedRows(long[] rows, long rowBytes) {
    long[] counts = new long[rows.length];
    for (int peer = 0; peer < rows.length; peer++) {
      counts[peer] = Math.multiplyExact(rows[peer], rowBytes);
    }
    return packed(counts);
  }

  /// {@return `size` adjacent blocks of `bytes` bytes}
  ///
  /// @param size number of ranks
  /// @param bytes of each block
  public static PeerBlocks uniform(int size, long bytes) {
    long[] counts = new long[size];
    Arrays.fill(counts, bytes);
    return packed(counts);
  }

  /// {@return the same `bytes` bytes at the segment's start for every rank, for reading only}
  ///
  /// @param size number of ranks
  /// @param bytes of the block
  public static PeerBlocks shared(int size, long bytes) {
    long[] counts = new long[size];
    Arrays.fill(counts, bytes);
    return new PeerBlocks(new long[size], counts);
  }

  /// {@return the same block at the segment's start for every rank except one, which has none}
  ///
  /// @param size number of ranks
  /// @param rank the rank without a block
  /// @param bytes of the block
  public static PeerBlocks toOthers(int size, int rank, long bytes) {
    long[] counts = new long[size];
    Arrays.fill(counts, bytes);
    counts[rank] = 0;
    return new PeerBlocks(new long[size], counts);
  }

  /// {@return one block, for `peer`, at the segment's start; the other ranks have empty ones}
  ///
  /// @param size number of ranks
  /// @param peer the rank with the block
  /// @param bytes of the block
  public static PeerBlocks single(int size, int peer, long bytes) {
    long[] counts = new long[size];
    counts[peer] = bytes;
    return new PeerBlocks(new long[size], counts);
  }

  /// {@return the number of blocks, including empty ones}
  public int size() {
    return counts.length;
  }

  /// {@return the first byte of the block of `peer`}
  ///
  /// @param peer a rank
  public long offset(int peer) {
    return offsets[peer];
  }

  /// {@return the bytes of the block of `peer`}
  ///
  /// @param peer a rank
  public long bytes(int peer) {
    return counts[peer];
  }

  /// {@return the total bytes of all blocks}
  public long totalBytes() {
    return total;
  }

  /// {@return the minimum bytes of a segment that contains all blocks}
  public long end() {
    return end;
  }

  @Override
  public String toString() {
    return "bytes " + Arrays.toString(counts) + " at " + Arrays.toString(offsets);
  }
}
