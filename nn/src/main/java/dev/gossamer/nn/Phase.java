package dev.gossamer.nn;

/// Where the time of an epoch goes.
public enum Phase {
  /// Sparse times dense.
  SPMM,
  /// Dense times dense, with what is fused to it.
  MATMUL,
  /// Moving rows between ranks, packing them included; with overlap, what of it the rank waits for.
  EXCHANGE,
  /// Adding up partial results of ranks.
  REDUCE
}
