package dev.gossamer.exchange;

import dev.gossamer.base.Workers;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.PeerBlocks;
import dev.gossamer.comm.Request;
import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Exchanges exactly the rows that ranks need of a matrix that is distributed over them in blocks
/// of rows (SA, Algorithm 1), and the reverse.
///
/// `gather` fills a **target** with one row for each remote row that this rank needs, in ascending
/// global order, and so grouped by owner. `scatterAdd` is its transpose: it adds the rows of a
/// target to the owners' rows. For any `x` and `y` of fitting shapes, summed over ranks,
/// `<gather(x), y> = <x, scatterAdd(y)>`.
///
/// Rows are sent in a [RowFormat]: in a format of fewer bits they are rounded once, and added in
/// float32, so that the equation holds up to that rounding. Received rows are unpacked in the
/// memory of the target, so no extra memory is needed.
///
/// One operation at a time, in the same order on all ranks. A call allocates only a few numbers per
/// peer: rows to send are packed into one buffer. Not thread-safe.
public final class RowExchange {
  /// The tag of messages outside of collectives.
  private static final int TAG = 1;

  /// The operation in progress.
  private enum State {
    IDLE,
    GATHER,
    SCATTER
  }

  /// Rows of a target that arrive with one request and are then unpacked.
  private record Arrival(Request request, DenseMatrix rows) {}

  private final ExchangePattern pattern;
  private final RowFormat format;
  private final MemorySegment buffer;
  private final Workers workers;
  private final @Nullable Arrival[] byOwner;
  private @Nullable Arrival fromAll;
  private final List<Request> pending = new ArrayList<>();
  private State state = State.IDLE;
  private int scatterWidth;

  /// Creates an exchange with a buffer that may be used for other purposes between calls.
  ///
  /// @param pattern which ranks need which rows
  /// @param format in which rows are sent
  /// @param buffer memory that is not confined to a thread, overwritten: at least `rowsToSend`
  ///   packed rows of the widest matrix; to scatter, [#scatterBytes]
  /// @param workers the threads that pack and unpack
  public RowExchange(
      ExchangePattern pattern, RowFormat format, MemorySegment buffer, Workers workers) {
    this.pattern = pattern;
    this.format = format;
    this.buffer = buffer;
    this.workers = workers;
    byOwner = new Arrival[pattern.comm().size()];
  }

  /// {@return the bytes of the buffer for [#scatterAdd], which also suffice for [#gather]}
  ///
  /// @param pattern which ranks need which rows
  /// @param format in which rows are sent
  /// @param widest maximum number of columns of a matrix
  public static long scatterBytes(ExchangePattern pattern, RowFormat format, int widest) {
    return scatterBytes(pattern.rowsToSend(), pattern.rowsNeeded(), format, widest);
  }

  /// Returns the same without a pattern.
  static long scatterBytes(long rowsToSend, long rowsNeeded, RowFormat format, int widest) {
    return format.bytes(rowsToSend, widest) + format.room(rowsNeeded, widest);
  }

  /// Agrees on the pattern and allocates the buffer. Collective.
  ///
  /// @param comm a group whose rank `i` owns block `i`; borrowed
  /// @param distribution which rank owns which rows
  /// @param rows global numbers of the rows that this rank needs, strictly ascending; its own rows
  ///   are never sent
  /// @param format in which rows are sent
  /// @param widest maximum number of columns of a matrix
  /// @param workers the threads that pack and unpack; borrowed
  /// @param arena shared, owner of the buffer
  /// @return the exchange
  public static RowExchange of(
      Communicator comm,
      RowDistribution distribution,
      int[] rows,
      RowFormat format,
      int widest,
      Workers workers,
      Arena arena) {
    ExchangePattern pattern = new ExchangePattern(comm, distribution, rows);
    long bytes = scatterBytes(pattern, format, widest);
    return new RowExchange(pattern, format, arena.allocate(bytes, DenseMatrix.ALIGNMENT), workers);
  }

  /// {@return which ranks need which rows}
  public ExchangePattern pattern() {
    return pattern;
  }

  /// {@return the number of rows of a target}
  public int rowsNeeded() {
    return pattern.rowsNeeded();
  }

  /// {@return the number of rows that this rank sends in a gather and receives in a scatter}
  public long rowsToSend() {
    return pattern.rowsToSend();
  }

  /// Fills the target with the rows that this rank needs. Collective: one all-to-all.
  ///
  /// @param local this rank's block, `ownRows x f`
  /// @param target `rowsNeeded x f`, overwritten
  /// @throws IllegalArgumentException if a shape does not fit
  public void gather(DenseMatrix local, DenseMatrix target) {
    ColumnBlock all = ColumnBlock.all(local);
    checkTarget(all, target);
    MemorySegment packed = pack(all);
    pattern
        .comm()
        .allToAllV(
            packed,
            rowsByReceiver(local.cols()),
            format.arrival(target),
            rowsByOwner(target.cols()));
    format.unpackArrived(target, workers);
  }

  /// Begins [#gather]. When it returns, `local` may be modified; `target` is complete after
  /// [#finishGather].
  ///
  /// @param local this rank's own rows
  /// @param target overwritten with the rows that it needs
  public void beginGather(DenseMatrix local, DenseMatrix target) {
    beginGather(ColumnBlock.all(local), target);
  }

  /// Does the same for some columns.
  ///
  /// @param local the columns of this rank's own rows
  /// @param target of the same width, overwritten with the rows that it needs
  public void beginGather(ColumnBlock local, DenseMatrix target) {
    checkTarget(local, target);
    fromAll = new Arrival(exchange(local, format.arrival(target)), target);
  }

  /// Begins a gather whose rows stay packed: they are in the target after [#finishGather].
  ///
  /// @param local this rank's block, `ownRows x f`
  /// @param target `rowsNeeded` packed rows of `f`, overwritten
  /// @throws IllegalArgumentException if the shape of the block does not fit
  public void beginGatherPacked(DenseMatrix local, MemorySegment target) {
    exchange(ColumnBlock.all(local), target);
  }

  private Request exchange(ColumnBlock local, MemorySegment target) {
    MemorySegment packed = pack(local);
    Request request =
        pattern
            .comm()
            .beginAllToAllV(
                packed, rowsByReceiver(local.cols()), target, rowsByOwner(local.cols()));
    pending.add(request);
    state = State.GATHER;
    return request;
  }

  /// Begins [#gather] as messages that are awaited one by one (SA, Algorithm 2): [#awaitOwner] in
  /// any order, [#finishGather] at the end. Ranks that need no rows of each other exchange no
  /// message.
  ///
  /// @param local this rank's own rows
  /// @param target overwritten with the rows that it needs
  public void beginGatherByOwner(DenseMatrix local, DenseMatrix target) {
    beginGatherByOwner(ColumnBlock.all(local), target);
  }

  /// Does the same for some columns.
  ///
  /// @param local the columns of this rank's own rows
  /// @param target of the same width, overwritten with the rows that it needs
  public void beginGatherByOwner(ColumnBlock local, DenseMatrix target) {
    checkTarget(local, target);
    MemorySegment packed = pack(local);
    receiveByOwner(target);
    PeerBlocks sends = rowsByReceiver(local.cols());
    Communicator comm = pattern.comm();
    for (int distance = 1; distance < comm.size(); distance++) {
      int peer = (comm.rank() + distance) % comm.size();
      if (sends.bytes(peer) > 0) {
        pending.add(
            comm.beginSend(peer, TAG, packed.asSlice(sends.offset(peer), sends.bytes(peer))));
      }
    }
    state = State.GATHER;
  }

  private void receiveByOwner(DenseMatrix target) {
    long begin = 0;
    for (int peer = 0; peer < byOwner.length; peer++) {
      DenseMatrix rows = target.rows(begin, begin + pattern.rowsNeeded(peer));
      begin += rows.rows();
      if (rows.data().byteSize() > 0) {
        Request request = pattern.comm().beginReceive(peer, TAG, format.arrival(rows));
        byOwner[peer] = new Arrival(request, rows);
        pending.add(request);
      }
    }
  }

  /// Waits until the rows of one owner are in the target.
  ///
  /// @param owner rank of the sender
  public void awaitOwner(int owner) {
    Arrival arrival = byOwner[owner];
    if (arrival != null) {
      byOwner[owner] = null;
      finish(arrival);
    }
  }

  private void finish(Arrival arrival) {
    arrival.request().await();
    format.unpackArrived(arrival.rows(), workers);
  }

  /// Waits until the target is complete and the buffer may be reused.
  ///
  /// @throws IllegalStateException if no gather has begun
  public void finishGather() {
    require(State.GATHER);
    Request.awaitAll(pending);
    Arrival whole = fromAll;
    if (whole != null) {
      fromAll = null;
      finish(whole);
    }
    for (int owner = 0; owner < byOwner.length; owner++) {
      awaitOwner(owner);
    }
    pending.clear();
    state = State.IDLE;
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
  ///
  /// @param source a row for each row that this rank needs
  public void beginScatterAdd(DenseMatrix source) {
    require(State.IDLE);
    checkRows("rows needed", ColumnBlock.all(source), pattern.rowsNeeded());
    MemorySegment received = travelling(source.cols());
    MemorySegment room = buffer.asSlice(received.byteSize());
    pending.add(
        pattern
            .comm()
            .beginAllToAllV(
                format.packed(source, room, workers),
                rowsByOwner(source.cols()),
                received,
                rowsByReceiver(source.cols())));
    state = State.SCATTER;
    scatterWidth = source.cols();
  }

  /// Waits for remote rows and adds them.
  ///
  /// @param local this rank's block, as wide as the source, added to
  /// @throws IllegalArgumentException if the shape does not fit
  /// @throws IllegalStateException if no scatter has begun
  public void finishScatterAdd(DenseMatrix local) {
    require(State.SCATTER);
    checkRows("block", ColumnBlock.all(local), pattern.ownRows());
    if (local.cols() != scatterWidth) {
      throw new IllegalArgumentException(
          "exchange: the block is %s but the source has %d columns; the widths must agree"
              .formatted(local, scatterWidth));
    }
    Request.awaitAll(pending);
    pending.clear();
    state = State.IDLE;
    format.scatterAdd(travelling(local.cols()), pattern.sentRows(), local, workers);
  }

  /// The part of the buffer for the rows that a gather sends or a scatter receives.
  private MemorySegment travelling(int cols) {
    return buffer.asSlice(0, format.bytes(pattern.rowsToSend(), cols));
  }

  private MemorySegment pack(ColumnBlock local) {
    require(State.IDLE);
    checkRows("block", local, pattern.ownRows());
    MemorySegment packed = travelling(local.cols());
    format.pack(local, pattern.sentRows(), packed, workers);
    return packed;
  }

  private void checkTarget(ColumnBlock local, DenseMatrix target) {
    checkRows("target", ColumnBlock.all(target), pattern.rowsNeeded());
    if (local.cols() != target.cols()) {
      throw new IllegalArgumentException(
          "exchange: the block is %s but the target is %s; the widths must agree"
              .formatted(local, target));
    }
  }

  private PeerBlocks rowsByReceiver(int cols) {
    return pattern.rowsByReceiver(format.bytes(1, cols));
  }

  private PeerBlocks rowsByOwner(int cols) {
    return pattern.rowsByOwner(format.bytes(1, cols));
  }

  private void require(State expected) {
    if (state != expected) {
      throw new IllegalStateException(
          "exchange: expected %s, found %s; an operation must be finished before the next one begins"
              .formatted(expected, state));
    }
  }

  private static void checkRows(String what, ColumnBlock matrix, long rows) {
    if (matrix.rows() != rows) {
      throw new IllegalArgumentException(
          "exchange: the %s is %s; expected %d rows".formatted(what, matrix, rows));
    }
  }
}
