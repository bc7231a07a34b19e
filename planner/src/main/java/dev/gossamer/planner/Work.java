package dev.gossamer.planner;

/// Kinds of work whose rates are measured, each with its own [RateTable].
///
/// If the width of a matrix is no multiple of [#LINE_COLUMNS], rows start anywhere in a cache line
/// and end within a vector. Such products are slower, some by half, and have their own tables.
public enum Work {
  /// Starting a kernel and waiting for its end. The unit is one start.
  START("start", 0),
  /// `Y = X W` by columns of `X` and of `W`. Its unit is a multiply-add.
  MATMUL("matmul", 2),
  /// The same where the columns of `W` are no multiple of [#LINE_COLUMNS].
  MATMUL_RAGGED("matmul-ragged", 2),
  /// `X^T G` by columns of `X` and of `G`. Its unit is a multiply-add.
  WEIGHT_GRADIENT("weight-gradient", 2),
  /// A product by a square sparse matrix, by its rows, its entries per row and the columns of the
  /// dense operand. Its unit is an entry.
  SPMM("spmm", 3),
  /// The same where the columns are no multiple of [#LINE_COLUMNS].
  SPMM_RAGGED("spmm-ragged", 3),
  /// An elementwise pass by the bytes that it reads and writes. Its unit is a byte.
  STREAM("stream", 1),
  /// Drawing a dropout mask. Its unit is an element.
  DROPOUT("dropout", 0),
  /// The same for the stored entries of a sparse matrix. Its unit is an entry.
  DROPOUT_SPARSE("dropout-sparse", 0),
  /// Softmax, cross entropy and its gradient, by the number of classes. Its unit is a row.
  LOSS("loss", 1),
  /// Attention over the edges, forward and backward, by the rows of a square pattern, its edges per
  /// row, the heads and the columns of all heads. Its unit is an edge.
  ATTENTION("attention", 4),
  /// Drawing neighbours and building blocks. Its unit is a drawn edge.
  SAMPLING("sampling", 0),
  /// Checking and transposing a block of a batch, by one thread. Its unit is an entry.
  TRANSPOSE("transpose", 0),
  /// Gathering scattered rows, by their bytes. Its unit is a row.
  GATHER("gather", 1);

  /// Number of float32 columns in a cache line.
  public static final int LINE_COLUMNS = 16;

  private final String key;
  private final int sizes;

  Work(String key, int sizes) {
    this.key = key;
    this.sizes = sizes;
  }

  /// {@return the name in files}
  public String key() {
    return key;
  }

  /// {@return the number of sizes of a point of its table}
  public int sizes() {
    return sizes;
  }
}
