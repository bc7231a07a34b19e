package dev.gossamer.exchange;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Request;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.nn.Kernels;
import dev.gossamer.nn.Phase;
import dev.gossamer.nn.PhaseClock;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The sparsity-oblivious product: in each stage the owner of a block broadcasts all of it in its
/// process column, and everybody multiplies a tile (CAGNET's 1D and 1.5D; MG, Figure 3).
///
/// With two buffers, the next broadcast is under way while a tile is multiplied (MG, section 4.3);
/// with one, stages follow each other. Empty blocks are not broadcast. Blocks are broadcast packed,
/// and unpacked in the buffer that they arrive in.
final class BroadcastProduct implements RowProduct {
  private final ProcessGrid grid;
  private final RowDistribution distribution;
  private final TileSum sum;
  private final RowFormat wire;
  private final MemorySegment room;
  private final List<DenseMatrix> buffers;
  private final Workers workers;
  private final PhaseClock clock;
  private final List<String> broadcasts;
  private final List<String> waits;

  /// @param room where the rank's own block is packed, if it is sent in another format than it has
  /// @param buffers one or two, each as large as the largest block of others
  BroadcastProduct(
      ProcessGrid grid,
      RowDistribution distribution,
      TileSum sum,
      RowFormat wire,
      MemorySegment room,
      List<DenseMatrix> buffers,
      Kernels kernels) {
    this.grid = grid;
    this.distribution = distribution;
    this.sum = sum;
    this.wire = wire;
    this.room = room;
    this.buffers = buffers;
    workers = kernels.workers();
    clock = kernels.clock();
    broadcasts = names("broadcast block ");
    waits = names("wait for block ");
  }

  private List<String> names(String what) {
    return IntStream.range(0, grid.stages()).mapToObj(k -> what + (grid.firstStage() + k)).toList();
  }

  @Override
  public void multiply(DenseMatrix x, DenseMatrix y, RowEpilogue epilogue) {
    boolean overlap = buffers.size() > 1;
    int stages = grid.stages();
    sum.begin(y, epilogue);
    int own = grid.ownStage();
    Request sent = null;
    Request current = overlap ? begin(0, x) : null;
    for (int k = 0; k < stages; k++) {
      Request request = overlap ? current : begin(k, x);
      current = overlap && k + 1 < stages ? begin(k + 1, x) : null;
      if (overlap && k == own) {
        // What the rank sends it has already: it waits for the others to have it at the end.
        sent = request;
      } else {
        await(k, x, request);
      }
      sum.add(k, rows(k, x), y, epilogue);
    }
    await(own, x, sent);
  }

  private @Nullable Request begin(int k, DenseMatrix x) {
    int root = grid.firstStage() + k;
    Communicator column = grid.processColumn();
    if (distribution.count(root) == 0 || column.size() == 1) {
      return null;
    }
    return clock.measured(
        Phase.EXCHANGE,
        broadcasts.get(k),
        () ->
            column.beginBroadcast(
                root,
                root == grid.row() ? wire.packed(x, room, workers) : wire.arrival(rows(k, x))));
  }

  private void await(int k, DenseMatrix x, @Nullable Request request) {
    if (request != null) {
      clock.measure(
          Phase.EXCHANGE,
          waits.get(k),
          () -> {
            request.await();
            if (k != grid.ownStage()) {
              wire.unpackArrived(rows(k, x), workers);
            }
          });
    }
  }

  /// The block of stage `k`: the rank's own, or the buffer that it arrives in.
  private DenseMatrix rows(int k, DenseMatrix x) {
    int owner = grid.firstStage() + k;
    if (owner == grid.row()) {
      return x;
    }
    return buffers.get(k % buffers.size()).reshaped(distribution.count(owner), x.cols());
  }
}
