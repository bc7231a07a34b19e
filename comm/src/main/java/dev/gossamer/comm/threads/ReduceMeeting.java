package dev.gossamer.comm.threads;

import dev.gossamer.comm.Element;
import dev.gossamer.comm.ElementwiseReduction;
import dev.gossamer.comm.Reduction;
import dev.gossamer.comm.Slices;
import java.lang.foreign.MemorySegment;

/// All-reduce and reduce-scatter. The work is divided into pieces of consecutive elements; each
/// piece is reduced over all ranks in rank order in a small array and written to its destination,
/// so no segment is copied and the order of the sum never changes.
final class ReduceMeeting extends JointMeeting<ReduceMeeting.Operands> {
  private static final int PIECE_BYTES = 256 << 10;

  /// @param from this rank's elements, of the whole length
  /// @param to where the result goes: all of it, or this rank's block
  record Operands(MemorySegment from, MemorySegment to) {}

  private final int size;
  private final Element element;
  private final Reduction reduction;
  private final boolean scatters;
  private final long elements;
  private final long pieceElements;
  private final long piecesPerBlock;

  /// When the slices for rank `j` that rank `i` sends arrive, at `i size + j`.
  private final long[] arrivals;

  /// @param elements of the result on one rank
  /// @param scatters whether each rank gets its own block of the result, not all of it
  ReduceMeeting(
      RankGroup group, Element element, Reduction reduction, long elements, boolean scatters) {
    super(group);
    size = group.size();
    this.element = element;
    this.reduction = reduction;
    this.scatters = scatters;
    this.elements = elements;
    pieceElements = PIECE_BYTES / element.bytes();
    piecesPerBlock = Math.ceilDiv(elements, pieceElements);
    arrivals = new long[size * size];
  }

  @Override
  void depart(int rank, Operands share) {
    long now = group.world.now();
    for (int step = 0; step < size; step++) {
      int peer = (rank + step) % size;
      long bytes = sliceBytes(peer);
      arrivals[rank * size + peer] =
          step == 0 || bytes == 0 ? now : group.deliver(rank, peer, now, bytes);
    }
  }

  private long sliceBytes(int rank) {
    return element.bytes() * (scatters ? elements : Slices.elements(elements, size, rank));
  }

  @Override
  int begin(long[] ends) {
    for (int rank = 0; rank < size; rank++) {
      ends[rank] = arrivals[rank];
      for (int peer = 1; peer < size; peer++) {
        ends[rank] = later(ends[rank], arrivals[peer * size + rank]);
      }
    }
    if (!scatters) {
      gather(ends);
    }
    return Math.toIntExact(scatters ? size * piecesPerBlock : piecesPerBlock);
  }

  /// The second half of an all-reduce on the link: each rank sends its reduced slice to all.
  private void gather(long[] ends) {
    long[] reduced = ends.clone();
    for (int rank = 0; rank < size; rank++) {
      long bytes = sliceBytes(rank);
      for (int step = 1; step < size && bytes > 0; step++) {
        int peer = (rank + step) % size;
        long arrival = group.deliver(rank, peer, reduced[rank], bytes);
        ends[peer] = later(ends[peer], arrival);
      }
    }
  }

  @Override
  void work(int piece) {
    int block = (int) (piece / piecesPerBlock);
    long first = piece % piecesPerBlock * pieceElements;
    long count = Math.min(pieceElements, elements - first);
    long from = (block * elements + first) * element.bytes();
    MemorySegment[] inputs = new MemorySegment[size];
    for (int rank = 0; rank < size; rank++) {
      inputs[rank] = shares.get(rank).from.asSlice(from, count * element.bytes());
    }
    MemorySegment[] outputs = new MemorySegment[scatters ? 1 : size];
    for (int i = 0; i < outputs.length; i++) {
      outputs[i] =
          shares
              .get(scatters ? block : i)
              .to
              .asSlice(first * element.bytes(), count * element.bytes());
    }
    ElementwiseReduction.run(inputs, outputs, element, reduction);
  }
}
