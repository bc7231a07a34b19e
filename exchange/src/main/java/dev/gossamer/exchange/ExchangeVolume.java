package dev.gossamer.exchange;

import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.format.RowFormat;
import java.util.Arrays;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/// The exact traffic of each rank in one sparse product, computed from the pattern and the
/// placement for any number of ranks, without running them (SA, Table 2). The bytes are those that
/// [dev.gossamer.comm.Traffic] counts in a [DistributedSpmm].
///
/// Ranks are numbered as in a [ProcessGrid]: rank `i c + j` holds block row `i`. Block `q` is sent
/// by the rank of process row `q` in the one process column whose stages it belongs to; for `c > 1`
/// all ranks add up their blocks over process rows as well. Immutable; `4 (p/c)^2` bytes.
public final class ExchangeVolume {
  private final Kind kind;
  private final int c;
  private final RowDistribution distribution;
  private final RowFormat wire;
  private final int atOnce;
  private final long[] sent;
  private final long[] received;
  private final long[] messages;
  private final long[] messagesReceived;
  private final long[] largestReceived;
  private final int[][] pairs;
  private long largestPair;

  /// Counts the rows sent in the product by a matrix. Cost: `O(nnz)` time, `O(n + (p/c)^2)` memory.
  ///
  /// @param a the pattern of the matrix, `n x n`, not permuted
  /// @param placement of the vertices in `p/c` blocks
  /// @param kind which rows are sent
  /// @param replication `c`
  /// @return the rows that each rank sends, in float32
  /// @throws IllegalArgumentException if the matrix does not have the size of the placement, or `c`
  ///   does not divide the blocks
  public static ExchangeVolume of(CsrMatrix a, Placement placement, Kind kind, int replication) {
    ExchangeVolume volume = empty(a, placement, kind, replication);
    switch (kind) {
      case OBLIVIOUS -> volume.countBlocks();
      case SPARSITY_AWARE -> volume.countColumns(a, placement);
    }
    return volume;
  }

  /// Counts the rows sent in the product by the transpose of a matrix, without creating it.
  ///
  /// @param a the pattern of the matrix, `n x n`, not permuted
  /// @param placement of the vertices
  /// @param kind which rows are sent
  /// @param replication `c`, copies of each block row
  /// @return the rows that each rank sends, in float32
  public static ExchangeVolume ofTransposed(
      CsrMatrix a, Placement placement, Kind kind, int replication) {
    ExchangeVolume volume = empty(a, placement, kind, replication);
    switch (kind) {
      case OBLIVIOUS -> volume.countBlocks();
      case SPARSITY_AWARE -> volume.countRows(a, placement);
    }
    return volume;
  }

  /// Counts the rows sent in the product by `Â` of a graph, which is `A^T` with other scales.
  ///
  /// @param a adjacency matrix
  /// @param directed whether `A` differs from `A^T`
  /// @param placement of the vertices
  /// @param kind which rows are sent
  /// @param replication `c`, copies of each block row
  /// @return the rows that each rank sends, in float32
  public static ExchangeVolume forward(
      CsrMatrix a, boolean directed, Placement placement, Kind kind, int replication) {
    return directed
        ? ofTransposed(a, placement, kind, replication)
        : of(a, placement, kind, replication);
  }

  private static ExchangeVolume empty(
      CsrMatrix a, Placement placement, Kind kind, int replication) {
    RowDistribution distribution = placement.distribution();
    if (a.rows() != distribution.rows() || a.cols() != distribution.rows()) {
      throw new IllegalArgumentException(
          "volume: the matrix is %s but %d vertices are placed".formatted(a, distribution.rows()));
    }
    ExchangeStrategy.requireGrid(distribution.blocks() * replication, replication);
    return new ExchangeVolume(kind, replication, distribution);
  }

  private ExchangeVolume(Kind kind, int c, RowDistribution distribution) {
    this.kind = kind;
    this.c = c;
    this.distribution = distribution;
    wire = RowFormat.FLOAT32;
    atOnce = Integer.MAX_VALUE;
    int ranks = distribution.blocks() * c;
    sent = new long[ranks];
    received = new long[ranks];
    messages = new long[ranks];
    messagesReceived = new long[ranks];
    largestReceived = new long[ranks];
    pairs = new int[distribution.blocks()][distribution.blocks()];
  }

  private ExchangeVolume(ExchangeVolume other, RowFormat wire, int atOnce) {
    this.wire = wire;
    this.atOnce = atOnce;
    kind = other.kind;
    c = other.c;
    distribution = other.distribution;
    sent = other.sent;
    received = other.received;
    messages = other.messages;
    messagesReceived = other.messagesReceived;
    largestReceived = other.largestReceived;
    pairs = other.pairs;
    largestPair = other.largestPair;
  }

  /// {@return the same rows in another format for bytes and seconds; initially float32}
  ///
  /// @param format in which rows are sent
  public ExchangeVolume in(RowFormat format) {
    return new ExchangeVolume(this, format, atOnce);
  }

  /// {@return the same rows in blocks of columns, which increases the number of messages; initially
  /// all columns are sent together}
  ///
  /// @param columns maximum number of columns that are sent together
  public ExchangeVolume inBlocksOf(int columns) {
    return new ExchangeVolume(this, wire, columns);
  }

  private void countBlocks() {
    int blocks = distribution.blocks();
    for (int q = 0; q < blocks; q++) {
      int count = distribution.count(q);
      sent[sender(q)] += (long) count * (blocks - 1);
      for (int i = 0; i < blocks; i++) {
        pairs[i][q] = i == q ? 0 : count;
      }
      messages[sender(q)] += count > 0 ? blocks - 1 : 0;
      largestPair = blocks > 1 ? Math.max(largestPair, count) : 0;
    }
    int stages = stages();
    for (int j = 0; j < c; j++) {
      // The largest and the second largest block of the column: a rank that owns the largest
      // receives the second.
      long total = 0;
      int largest = j * stages;
      long second = 0;
      long filled = 0;
      for (int q = j * stages; q < (j + 1) * stages; q++) {
        total += distribution.count(q);
        filled += distribution.count(q) > 0 ? 1 : 0;
        if (distribution.count(q) > distribution.count(largest)) {
          second = distribution.count(largest);
          largest = q;
        } else if (q != largest) {
          second = Math.max(second, distribution.count(q));
        }
      }
      for (int i = 0; i < blocks; i++) {
        long own = i / stages == j ? distribution.count(i) : 0;
        received[i * c + j] = total - own;
        messagesReceived[i * c + j] = filled - (own > 0 ? 1 : 0);
        largestReceived[i * c + j] = i == largest ? second : distribution.count(largest);
      }
    }
  }

  /// Block row by block row: which columns it needs.
  private void countColumns(CsrMatrix a, Placement placement) {
    int blocks = distribution.blocks();
    int[] owner = placement.owners();
    // The last block row, counted from 1, that needed a vertex.
    int[] lastToNeed = new int[distribution.rows()];
    for (int i = 0; i < blocks; i++) {
      long[] pair = new long[blocks];
      for (int row = distribution.begin(i); row < distribution.end(i); row++) {
        int vertex = placement.oldId(row);
        for (long e = a.rowPointer(vertex); e < a.rowPointer(vertex + 1L); e++) {
          int column = a.column(e);
          int q = owner[column];
          if (q != i && lastToNeed[column] != i + 1) {
            lastToNeed[column] = i + 1;
            countRow(i, q, ++pair[q]);
          }
        }
      }
    }
  }

  /// Block by block of the rows that are sent: which block rows of the transpose need them.
  private void countRows(CsrMatrix a, Placement placement) {
    int blocks = distribution.blocks();
    int[] owner = placement.owners();
    // The last row, counted from 1, that a block row needed.
    int[] lastNeeded = new int[blocks];
    for (int q = 0; q < blocks; q++) {
      long[] pair = new long[blocks];
      for (int row = distribution.begin(q); row < distribution.end(q); row++) {
        int vertex = placement.oldId(row);
        for (long e = a.rowPointer(vertex); e < a.rowPointer(vertex + 1L); e++) {
          int i = owner[a.column(e)];
          if (i != q && lastNeeded[i] != row + 1) {
            lastNeeded[i] = row + 1;
            countRow(i, q, ++pair[i]);
          }
        }
      }
    }
  }

  /// @param pair rows of block `q` that block row `i` has needed, with this one
  private void countRow(int i, int q, long pair) {
    pairs[i][q]++;
    int receiver = i * c + q / stages();
    messages[sender(q)] += pair == 1 ? 1 : 0;
    messagesReceived[receiver] += pair == 1 ? 1 : 0;
    sent[sender(q)]++;
    received[receiver]++;
    largestReceived[receiver] = Math.max(largestReceived[receiver], pair);
    largestPair = Math.max(largestPair, pair);
  }

  private int stages() {
    return distribution.blocks() / c;
  }

  /// The rank that sends rows of block `q`.
  private int sender(int q) {
    return q * c + q / stages();
  }

  /// {@return `p`}
  public int ranks() {
    return sent.length;
  }

  /// {@return rows that all ranks send}
  public long rows() {
    return ranksBy(this::rowsSent).sum();
  }

  /// {@return rows sent by the rank that sends most}
  public long mostRowsSent() {
    return ranksBy(this::rowsSent).max().orElse(0);
  }

  /// {@return rows received by the rank that receives most}
  public long mostRowsReceived() {
    return ranksBy(this::rowsReceived).max().orElse(0);
  }

  /// {@return rows that a rank sends, counted once for each receiver}
  ///
  /// @param rank of the sender
  public long rowsSent(int rank) {
    return sent[rank];
  }

  /// {@return rows of the block that a rank holds}
  ///
  /// @param rank of the holder
  public long ownRows(int rank) {
    return distribution.count(rank / c);
  }

  /// {@return rows that a rank receives}
  ///
  /// @param rank of the receiver
  public long rowsReceived(int rank) {
    return received[rank];
  }

  /// {@return maximum number of rows that a rank receives from a single rank}
  ///
  /// @param rank of the receiver
  public long largestReceived(int rank) {
    return largestReceived[rank];
  }

  /// {@return rows that a rank receives from another; 0 if they are in different process columns}
  ///
  /// @param receiver number of the rank that needs them
  /// @param sender number of the rank that owns them
  public long rowsBetween(int receiver, int sender) {
    return receiver % c == sender % c && sender == sender(sender / c)
        ? pairs[receiver / c][sender / c]
        : 0;
  }

  /// {@return maximum number of rows that any rank sends to another: SA's `cut_P(G)`}
  public long largestPair() {
    return largestPair;
  }

  /// {@return bytes of rows that a rank sends in a product of this width}
  ///
  /// @param rank of the sender
  /// @param width columns of the matrix that is multiplied
  public long exchangeBytes(int rank, int width) {
    return wire.bytes(sent[rank], width);
  }

  /// Returns the bytes that a rank sends to add up partial blocks, in float32: `m` elements are
  /// divided into `c` slices as evenly as possible; the rank sends slice `j` to each rank `j`, and
  /// its own reduced slice to every rank.
  ///
  /// @param rank of the sender
  /// @param width columns of the matrix that is multiplied
  /// @return bytes
  public long reduceBytes(int rank, int width) {
    long elements = ownRows(rank) * width;
    long own = slice(elements, rank % c);
    return (elements - own + own * (c - 1)) * Float.BYTES;
  }

  private long slice(long elements, int j) {
    return elements / c + (j < elements % c ? 1 : 0);
  }

  /// {@return all bytes that a rank sends in a product of this width}
  ///
  /// @param rank of the sender
  /// @param width columns of the matrix that is multiplied
  public long bytes(int rank, int width) {
    return exchangeBytes(rank, width) + reduceBytes(rank, width);
  }

  /// {@return all bytes that a rank receives in a product of this width}
  ///
  /// @param rank of the receiver
  /// @param width columns of the matrix that is multiplied
  public long bytesReceived(int rank, int width) {
    // To add up, a rank receives as much as it sends: its slice from each, and each other slice.
    return wire.bytes(received[rank], width) + reduceBytes(rank, width);
  }

  /// {@return messages that a rank sends in a product of this width; empty ones do not count}
  ///
  /// @param rank of the sender
  /// @param width columns of the matrix that is multiplied
  public long messages(int rank, int width) {
    return blocks(width) * messages[rank] + reduceMessages(rank, width);
  }

  /// {@return number of blocks of columns in a product of this width, each with its own messages}
  ///
  /// @param width columns of the matrix that is multiplied
  public long blocks(int width) {
    return Math.ceilDiv(width, atOnce);
  }

  /// {@return messages that a rank receives in a product of this width; empty ones do not count}
  ///
  /// @param rank of the receiver
  /// @param width columns of the matrix that is multiplied
  public long messagesReceived(int rank, int width) {
    return blocks(width) * messagesReceived[rank] + reduceMessages(rank, width);
  }

  /// Messages that a rank sends to add up partial blocks, and receives.
  private long reduceMessages(int rank, int width) {
    long elements = ownRows(rank) * width;
    long slices = Math.min(elements, c);
    boolean own = slice(elements, rank % c) > 0;
    return own ? slices - 1 + c - 1 : slices;
  }

  /// {@return bytes of all ranks}
  ///
  /// @param width columns of the matrix that is multiplied
  public long totalBytes(int width) {
    return ranksBy(r -> bytes(r, width)).sum();
  }

  /// {@return messages of all ranks}
  ///
  /// @param width columns of the matrix that is multiplied
  public long totalMessages(int width) {
    return ranksBy(r -> messages(r, width)).sum();
  }

  /// {@return bytes per rank, on average}
  ///
  /// @param width columns of the matrix that is multiplied
  public double averageBytes(int width) {
    return (double) totalBytes(width) / ranks();
  }

  /// {@return bytes of the rank that sends most}
  ///
  /// @param width columns of the matrix that is multiplied
  public long maximumBytes(int width) {
    return ranksBy(r -> bytes(r, width)).max().orElse(0);
  }

  /// {@return by how much the rank that sends most exceeds the average: `(maximum / average - 1)
  /// 100`; 0 if nothing is sent}
  ///
  /// @param width columns of the matrix that is multiplied
  public double imbalancePercent(int width) {
    double average = averageBytes(width);
    return average == 0 ? 0 : (maximumBytes(width) / average - 1) * 100;
  }

  /// Computes the time of one product by SA's formulas, with `s = p/c^2` stages and rows of `4 f`
  /// bytes (`2 f` in bfloat16):
  ///
  /// | | seconds |
  /// |---|---|
  /// | oblivious | `alpha s log2(p/c) + s max_q(n_q) 4 f beta` |
  /// | sparsity-aware, `c = 1` | `alpha (p - 1) + (p - 1) cut 4 f beta` |
  /// | sparsity-aware, `c > 1` | `alpha s log2(s) + s cut 4 f beta` |
  ///
  /// where `cut` is [#largestPair] (SA, sections 4.1 and 4.2; the first line is CAGNET's, which for
  /// even blocks is `n f beta / c`). SA omits the all-reduce over process rows as a term of lower
  /// order, which does not hold for few rows: for `c > 1` this method adds `2 alpha (c - 1)` and
  /// the time of the largest [#reduceBytes]. With blocks of columns, each block has its own
  /// `alpha`.
  ///
  /// @param width `f`
  /// @param alpha seconds of an empty message
  /// @param beta seconds per byte
  /// @return seconds
  public double formulaSeconds(int width, double alpha, double beta) {
    int p = ranks();
    int s = stages();
    double row = wire.bytes(1, width) * beta;
    double latency = alpha * blocks(width);
    double exchange =
        switch (kind) {
          case OBLIVIOUS ->
              latency * s * log2(distribution.blocks()) + s * (double) largestPair * row;
          case SPARSITY_AWARE ->
              c == 1
                  ? (p - 1) * (latency + largestPair * row)
                  : latency * s * log2(s) + s * (double) largestPair * row;
        };
    long reduce = ranksBy(r -> reduceBytes(r, width)).max().orElse(0);
    return exchange + 2 * alpha * (c - 1) + reduce * beta;
  }

  /// Computes the time for which the busiest rank's link is occupied, from the actual traffic: the
  /// largest `alpha messages + beta bytes` of what a rank sends, or receives. A lower bound if
  /// every rank has one link that sends and receives at the same time, as imitated by
  /// [dev.gossamer.comm.Link]: an exchange then takes as long as the busiest direction of a rank,
  /// unless a message waits at both ends.
  ///
  /// @param width `f`
  /// @param alpha seconds of an empty message
  /// @param beta seconds per byte
  /// @return seconds
  public double linkSeconds(int width, double alpha, double beta) {
    return IntStream.range(0, ranks())
        .mapToDouble(r ->
            Math.max(
                alpha * messages(r, width) + beta * bytes(r, width),
                alpha * messagesReceived(r, width) + beta * bytesReceived(r, width)))
        .max()
        .orElse(0);
  }

  private LongStream ranksBy(IntToLongFunction count) {
    return IntStream.range(0, ranks()).mapToLong(count);
  }

  private static double log2(int n) {
    return Math.log(n) / Math.log(2);
  }

  /// Returns the rows that each rank sends, for messages.
  @Override
  public String toString() {
    return "rows sent " + Arrays.toString(sent);
  }
}
