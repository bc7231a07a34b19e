package dev.gossamer.nn.clock;

/// The phases of an epoch.
public enum Phase {
  /// Sparse times dense.
  SPMM("spmm"),
  /// Dense times dense, including fused operations.
  MATMUL("matmul"),
  /// Attention over edges: scores, softmax and weighted sums, and their backward passes.
  ATTENTION("attention"),
  /// Moving rows between ranks, including packing; with overlap, only the time that the rank waits.
  EXCHANGE("exchange"),
  /// Drawing minibatches; with prefetching, only the time that the rank waits.
  SAMPLE("sample"),
  /// Fetching the features of minibatches; with prefetching, only the time that the rank waits.
  FETCH("fetch"),
  /// Determining which rows other ranks need for a minibatch.
  MAP("map"),
  /// Adding up partial results of ranks.
  REDUCE("reduce"),
  /// The rest of an epoch: loss, optimizer, input dropout, sums of gradients by column.
  OTHER("other");

  private final String label;

  Phase(String label) {
    this.label = label;
  }

  /// {@return the name in files and reports: `spmm`}
  public String label() {
    return label;
  }
}
