package dev.gossamer.matrix.attention;

import dev.gossamer.base.memory.Memory;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/// One row at a time of a sparse product whose entries have a weight for each head: `y[h] = sum
/// over k of w[k][h] x[id[k]][h]`, where `x[i][h]` is head `h`'s part of a row. A weight is
/// broadcast over its head's columns (MB, section 3.3, "Broadcast Support for AGG"): a shuffle puts
/// into each lane of a vector the weight of the head whose column is there, so that heads of any
/// width are summed in one pass over the entries. If there are more heads than lanes, vectors go
/// one by one, each with the weights of the heads from its first one on.
///
/// Eight, four, two and one accumulators ([HeadLoops]), as in
/// [dev.gossamer.matrix.sparse.SpmmRows], and for the same reasons behind an interface and without
/// a method that takes vectors. Rows are addresses.
///
/// Instances are immutable and safe to share.
final class HeadSpmm {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final long BYTES = SPECIES.vectorByteSize();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  /// Vectors of the stripes of columns, widest first; the last one may go beyond the row.
  private static final int[] VECTORS = {8, 4, 2, 1, 1};

  private static final int SINGLE = 3;

  private static final Stripe[] STRIPES = {
    HeadLoops::sum8, HeadLoops::sum4, HeadLoops::sum2, HeadLoops::sum1, HeadSpmm::rest
  };

  /// Sums some vectors of a row's columns, from vector `first` on.
  @FunctionalInterface
  private interface Stripe {
    void sum(
        HeadSpmm heads,
        int first,
        int[] ids,
        float[] weights,
        int count,
        long x,
        long pitch,
        long y,
        boolean add);
  }

  private final int columns;
  private final boolean together;

  /// Floats from one entry's weights to the next one's.
  final int stride;

  /// The first head of each vector of columns.
  final int[] firstHead;

  /// Where the weight of each lane of a vector is, from that of the vector's first head on.
  final VectorShuffle<Float>[] heads;

  /// @param heads `K`
  /// @param width `D`, columns of a head
  /// @param stride from one entry's weights to the next one's
  @SuppressWarnings({"unchecked", "rawtypes"})
  HeadSpmm(int heads, int width, int stride) {
    this.stride = stride;
    columns = heads * width;
    together = heads <= LANES;
    int vectors = Math.ceilDiv(columns, LANES);
    firstHead = new int[vectors];
    this.heads = new VectorShuffle[vectors];
    for (int i = 0; i < vectors; i++) {
      int column = i * LANES;
      int first = heads <= LANES ? 0 : column / width;
      firstHead[i] = first;
      this.heads[i] = VectorShuffle.fromOp(SPECIES, lane -> (column + lane) / width - first);
    }
  }

  /// Sums a row.
  ///
  /// @param ids of the entries
  /// @param weights those of entry `k` from `k stride` on; at least a vector longer than that
  /// @param count entries
  /// @param x address of row 0
  /// @param pitch bytes from row to row of `x`
  /// @param y address of the row
  /// @param add whether to add to it or to overwrite it
  void sum(int[] ids, float[] weights, int count, long x, long pitch, long y, boolean add) {
    int whole = columns / LANES;
    int done = 0;
    for (int kind = together ? 0 : SINGLE; kind < STRIPES.length; kind++) {
      int end = kind == STRIPES.length - 1 ? firstHead.length : whole;
      for (; done + VECTORS[kind] <= end; done += VECTORS[kind]) {
        long column = done * BYTES;
        STRIPES[kind].sum(this, done, ids, weights, count, x + column, pitch, y + column, add);
      }
    }
  }

  private void rest(
      int first, int[] ids, float[] weights, int count, long x, long pitch, long y, boolean add) {
    VectorMask<Float> inside = SPECIES.indexInRange(first * LANES, columns);
    int head = firstHead[first];
    VectorShuffle<Float> lanes = heads[first];
    long target = Memory.at(y);
    FloatVector sum = FloatVector.zero(SPECIES);
    if (add) {
      sum = FloatVector.fromMemorySegment(SPECIES, Memory.ALL, target, ORDER, inside);
    }
    for (int k = 0, at = 0; k < count; k++, at += stride) {
      long source = Memory.at(x + ids[k] * pitch);
      sum =
          FloatVector.fromArray(SPECIES, weights, at + head)
              .rearrange(lanes)
              .fma(FloatVector.fromMemorySegment(SPECIES, Memory.ALL, source, ORDER, inside), sum);
    }
    sum.intoMemorySegment(Memory.ALL, target, ORDER, inside);
  }
}
