package dev.gossamer.planner;

/// Kinds of work whose rates are measured. Each has a [RateTable] of its own.
///
/// Rows of matrices whose width is no multiple of [#LINE_COLUMNS] begin anywhere in a line of the
/// caches and end within a vector. They are slower, some by half, and have tables of their own.
public enum Work {
  /// Beginning a kernel and waiting for its end. Its unit is once.
  START("start", 0),
  /// `Y = X W` by columns of `X` and of `W`. Its unit is a multiply-add.
  MATMUL("matmul", 2),
  /// The same where the columns of `W` are no multiple of [#LINE_COLUMNS].
  MATMUL_RAGGED("matmul-ragged", 2),
  /// `X^T G` by columns of `X` and of `G`. Its unit is a multiply-add.
  WEIGHT_GRADIENT("weight-gradient", 2),
  /// A product by a square sparse matrix, by its rows, its entries in a row and the columns of the
  /// dense operand. Its unit is an entry.
  SPMM("spmm", 3),
  /// The same where the columns are no multiple of [#LINE_COLUMNS].
  SPMM_RAGGED("spmm-ragged", 3),
  /// An elementwise pass by the bytes that it reads and writes. Its unit is a byte.
  STREAM("stream", 1),
  /// Deciding which elements dropout keeps. Its unit is an element.
  DROPOUT("dropout", 0),
  /// The same for the stored entries of a sparse matrix. Its unit is an entry.
  DROPOUT_SPARSE("dropout-sparse", 0),
  /// Softmax, cross entropy and its gradient by the classes. Its unit is a row.
  LOSS("loss", 1),
  /// Attention over the edges, forwards and backwards, by the rows of a square pattern, its edges
  /// in a row, the heads and the columns of all heads. Its unit is an edge.
  ATTENTION("attention", 4),
  /// Drawing neighbours and making blocks of them. Its unit is a drawn edge.
  SAMPLING("sampling", 0),
  /// Checking and transposing a block of a batch, by one thread. Its unit is an entry.
  TRANSPOSE("transpose", 0),
  /// Copying rows that lie anywhere, by their bytes. Its unit is a row.
  GATHER("gather", 1);

  /// Columns of float32 that fill a line of the caches.
  public static final int LINE_COLUMNS = 16;

  private final String key;
  private final int sizes;

  Work(String key, int sizes) {
    this.key = key;
    this.sizes = sizes;
  }

  /// {@return what files call it}
  public String key() {
    return key;
  }

  /// {@return how many sizes a point of its table has}
  public int sizes() {
    return sizes;
  }
}
