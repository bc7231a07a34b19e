package dev.gossamer.exchange;

import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.PeerBlocks;
import dev.gossamer.comm.Request;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.kernel.RowGather;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Moves exactly the rows that ranks need of a matrix that is spread over them in blocks of rows
/// (SA, Algorithm 1), and back.
///
/// `gather` fills a **target** with one row for each remote row that this rank needs, in ascending
/// global order, and so grouped by owner. `scatterAdd` is its transpose: it adds the rows of a
/// target to the owners' rows. For any `x` and `y` of fitting shapes, summed over ranks,
/// `<gather(x), y> = <x, scatterAdd(y)>`.
///
/// One operation at a time, in the same order on all ranks. Nothing is allocated per call but a few
/// numbers per peer: rows to send are packed into one buffer, `rowsToSend x widest`. Not
/// thread-safe.
public final class RowExchange {
  /// The tag of messages outside of collectives.
  private static final int TAG = 1;

  /// What has begun and not ended.
  private enum State {
    IDLE,
    GATHER,
    SCATTER
  }

  private final ExchangePattern pattern;
  private final DenseMatrix buffer;
  private final Workers workers;
  private final @Nullable Request[] arrivals;
  private final List<Request> pending = new ArrayList<>();
  private State state = State.IDLE;
  private int scatterWidth;

  /// An exchange with a buffer that others may use between calls.
  ///
  /// @param pattern who needs what
  /// @param buffer at least `rowsToSend x widest` elements of memory that is not confined to a
  ///   thread, overwritten
  /// @param workers the threads that pack
  public RowExchange(ExchangePattern pattern, DenseMatrix buffer, Workers workers) {
    this.pattern = pattern;
    this.buffer = buffer;
    this.workers = workers;
    arrivals = new Request[pattern.comm().size()];
  }

  /// Agrees on the pattern and allocates the buffer. Collective.
  ///
  /// @param comm a group whose rank `i` owns block `i`; borrowed
  /// @param rows global numbers of the rows that this rank needs, strictly ascending; its own ones
  ///   never travel
  /// @param widest most columns that a matrix will have
  /// @param workers the threads that pack; borrowed
  /// @param arena shared, owner of the buffer
  public static RowExchange of(
      Communicator comm,
      RowDistribution distribution,
      int[] rows,
      int widest,
      Workers workers,
      Arena arena) {
    ExchangePattern pattern = new ExchangePattern(comm, distribution, rows);
    DenseMatrix buffer = DenseMatrix.allocate(arena, pattern.rowsToSend(), widest);
    return new RowExchange(pattern, buffer, workers);
  }

  /// Who needs what.
  public ExchangePattern pattern() {
    return pattern;
  }

  /// Rows of a target.
  public int rowsNeeded() {
    return pattern.rowsNeeded();
  }

  /// Rows that this rank sends in a gather, and receives in a scatter.
  public long rowsToSend() {
    return pattern.rowsToSend();
  }

  /// Fills the target with the rows that this rank needs. Collective: one all-to-all.
  ///
  /// @param local this rank's block, `ownRows x f`
  /// @param target `rowsNeeded x f`, overwritten
  /// @throws IllegalArgumentException if a shape does not fit
  public void gather(DenseMatrix local, DenseMatrix target) {
    DenseMatrix packed = pack(local, target);
    pattern
        .comm()
        .allToAllV(packed.data(), rowsByReceiver(packed), target.data(), rowsByOwner(target));
  }

  /// Begins [#gather]. When it returns, `local` may change already; `target` is full after
  /// [#finishGather].
  public void beginGather(DenseMatrix local, DenseMatrix target) {
    DenseMatrix packed = pack(local, target);
    pending.add(
        pattern
            .comm()
            .beginAllToAllV(
                packed.data(), rowsByReceiver(packed), target.data(), rowsByOwner(target)));
    state = State.GATHER;
  }

  /// Begins [#gather] as messages that are waited for one by one (SA, Algorithm 2): [#awaitOwner]
  /// in any order, [#finishGather] at the end. Ranks that need no rows of each other exchange no
  /// message.
  public void beginGatherByOwner(DenseMatrix local, DenseMatrix target) {
    DenseMatrix packed = pack(local, target);
    PeerBlocks receives = rowsByOwner(target);
    PeerBlocks sends = rowsByReceiver(packed);
    Communicator comm = pattern.comm();
    for (int peer = 0; peer < comm.size(); peer++) {
      if (receives.bytes(peer) > 0) {
        Request request =
            comm.beginReceive(
                peer, TAG, target.data().asSlice(receives.offset(peer), receives.bytes(peer)));
        arrivals[peer] = request;
        pending.add(request);
      }
    }
    for (int distance = 1; distance < comm.size(); distance++) {
      int peer = (comm.rank() + distance) % comm.size();
      if (sends.bytes(peer) > 0) {
        pending.add(
            comm.beginSend(
                peer, TAG, packed.data().asSlice(sends.offset(peer), sends.bytes(peer))));
      }
    }
    state = State.GATHER;
  }

  /// Waits until the rows of one owner are in the target.
  public void awaitOwner(int owner) {
    Request request = arrivals[owner];
    if (request != null) {
      request.await();
    }
  }

  /// Waits until the target is full and the buffer may be used again.
  ///
  /// @throws IllegalStateException if no gather has begun
  public void finishGather() {
    require(State.GATHER);
    awaitPending();
  }

  /// Adds each row of a target to the owner's row. Rows of several ranks for one row are added in
  /// the order of ranks. Collective: one all-to-all.
  ///
  /// @param source `rowsNeeded x f`, laid out as a target
  /// @param local this rank's block, `ownRows x f`, added to
  /// @throws IllegalArgumentException if a shape does not fit
  public void scatterAdd(DenseMatrix source, DenseMatrix local) {
    beginScatterAdd(source);
    finishScatterAdd(local);
  }

  /// Begins [#scatterAdd]; `source` must not change before [#finishScatterAdd].
  public void beginScatterAdd(DenseMatrix source) {
    require(State.IDLE);
    checkRows("rows needed", source, pattern.rowsNeeded());
    DenseMatrix received = buffer.reshaped(pattern.rowsToSend(), source.cols());
    pending.add(
        pattern
            .comm()
            .beginAllToAllV(
                source.data(), rowsByOwner(source), received.data(), rowsByReceiver(received)));
    state = State.SCATTER;
    scatterWidth = source.cols();
  }

  /// Waits for the rows of other ranks and adds them.
  ///
  /// @param local this rank's block, as wide as the source, added to
  /// @throws IllegalArgumentException if the shape does not fit
  /// @throws IllegalStateException if no scatter has begun
  public void finishScatterAdd(DenseMatrix local) {
    require(State.SCATTER);
    checkRows("block", local, pattern.ownRows());
    if (local.cols() != scatterWidth) {
      throw new IllegalArgumentException(
          "exchange: the block is %s but the source has %d columns; the widths must agree"
              .formatted(local, scatterWidth));
    }
    awaitPending();
    DenseMatrix received = buffer.reshaped(pattern.rowsToSend(), local.cols());
    RowGather.scatterAdd(received, pattern.sentRows(), local, workers);
  }

  private DenseMatrix pack(DenseMatrix local, DenseMatrix target) {
    require(State.IDLE);
    checkRows("block", local, pattern.ownRows());
    checkRows("target", target, pattern.rowsNeeded());
    if (local.cols() != target.cols()) {
      throw new IllegalArgumentException(
          "exchange: the block is %s but the target is %s; the widths must agree"
              .formatted(local, target));
    }
    DenseMatrix packed = buffer.reshaped(pattern.rowsToSend(), local.cols());
    RowGather.gather(local, pattern.sentRows(), packed, workers);
    return packed;
  }

  private PeerBlocks rowsByReceiver(DenseMatrix packed) {
    return pattern.rowsByReceiver((long) packed.cols() * Float.BYTES);
  }

  private PeerBlocks rowsByOwner(DenseMatrix target) {
    return pattern.rowsByOwner((long) target.cols() * Float.BYTES);
  }

  private void awaitPending() {
    Request.awaitAll(pending);
    pending.clear();
    Arrays.fill(arrivals, null);
    state = State.IDLE;
  }

  private void require(State expected) {
    if (state != expected) {
      throw new IllegalStateException(
          "exchange: expected %s, found %s; an operation that begins must be finished before the next"
              .formatted(expected, state));
    }
  }

  private static void checkRows(String what, DenseMatrix matrix, long rows) {
    if (matrix.rows() != rows) {
      throw new IllegalArgumentException(
          "exchange: the %s is %s; expected %d rows".formatted(what, matrix, rows));
    }
  }
}
