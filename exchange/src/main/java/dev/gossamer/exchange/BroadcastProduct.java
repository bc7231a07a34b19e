package dev.gossamer.exchange;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.Request;
import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.nn.clock.Phase;
import dev.gossamer.nn.clock.PhaseClock;
import dev.gossamer.nn.layers.Kernels;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// The sparsity-oblivious product: in each stage the owner of a block broadcasts all of it in its
/// process column, and every rank multiplies a tile (CAGNET's 1D and 1.5D; MG, Figure 3).
///
/// With two buffers, the next broadcast runs while a tile is multiplied (MG, section 4.3); with one
/// buffer, stages run one after the other. Empty blocks are not broadcast. Blocks are broadcast in
/// packed form and unpacked in the buffer in which they arrive. The rank's own block is packed into
/// the buffer of its stage, which receives nothing, unless its memory already has the message
/// format; the next use of the buffer waits until the block is sent.
final class BroadcastProduct implements RowProduct {
  private final ProcessGrid grid;
  private final RowDistribution distribution;
  private final TileSum sum;
  private final RowFormat wire;
  private final List<DenseMatrix> buffers;
  private final Workers workers;
  private final PhaseClock clock;
  private final List<String> broadcasts;
  private final List<String> waits;

  /// @param buffers one or two, each as large as the largest remote block, and as the rank's own
  ///   block if that is packed for sending
  BroadcastProduct(
      ProcessGrid grid,
      RowDistribution distribution,
      TileSum sum,
      RowFormat wire,
      List<DenseMatrix> buffers,
      Kernels kernels) {
    this.grid = grid;
    this.distribution = distribution;
    this.sum = sum;
    this.wire = wire;
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
  public void multiply(ColumnBlock x, ColumnBlock y, RowEpilogue epilogue) {
    boolean overlap = buffers.size() > 1;
    boolean packs = wire != RowFormat.FLOAT32 || !x.isAll();
    int stages = grid.stages();
    sum.begin(y, epilogue);
    int own = grid.ownStage();
    Request sent = null;
    Request current = overlap ? begin(0, x) : null;
    for (int k = 0; k < stages; k++) {
      Request request = overlap ? current : begin(k, x);
      if (packs && sent != null && k + 1 == own + buffers.size()) {
        await(own, x, sent);
        sent = null;
      }
      current = overlap && k + 1 < stages ? begin(k + 1, x) : null;
      if (overlap && k == own) {
        // What the rank sends it has already: it waits for the others to have it when the buffer
        // that it may be packed in is needed again, or at the end.
        sent = request;
      } else {
        await(k, x, request);
      }
      sum.add(k, rows(k, x), y, epilogue);
    }
    await(own, x, sent);
  }

  private @Nullable Request begin(int k, ColumnBlock x) {
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
                root == grid.row()
                    ? wire.packed(x, buffer(k).data(), workers)
                    : wire.arrival(arriving(k, x.cols()))));
  }

  private void await(int k, ColumnBlock x, @Nullable Request request) {
    if (request != null) {
      clock.measure(
          Phase.EXCHANGE,
          waits.get(k),
          () -> {
            request.await();
            if (k != grid.ownStage()) {
              wire.unpackArrived(arriving(k, x.cols()), workers);
            }
          });
    }
  }

  /// The block of stage `k`: the rank's own, or the buffer that it arrives in.
  private ColumnBlock rows(int k, ColumnBlock x) {
    return grid.firstStage() + k == grid.row() ? x : ColumnBlock.all(arriving(k, x.cols()));
  }

  private DenseMatrix arriving(int k, int cols) {
    return buffer(k).reshaped(distribution.count(grid.firstStage() + k), cols);
  }

  private DenseMatrix buffer(int k) {
    return buffers.get(k % buffers.size());
  }
}
