package dev.gossamer.nn.clock;

/// Where the time of an epoch goes.
public enum Phase {
  /// Sparse times dense.
  SPMM("spmm"),
  /// Dense times dense, with what is fused to it.
  MATMUL("matmul"),
  /// Attention over edges: scores, softmax and weighted sums, and their backward passes.
  ATTENTION("attention"),
  /// Moving rows between ranks, packing them included; with overlap, what of it the rank waits for.
  EXCHANGE("exchange"),
  /// Drawing minibatches; ahead of the computation, what of it the rank waits for.
  SAMPLE("sample"),
  /// Fetching the features of minibatches, from wherever they are; ahead of the computation, what
  /// of it the rank waits for.
  FETCH("fetch"),
  /// Finding out which rows of a minibatch other ranks want of it.
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
