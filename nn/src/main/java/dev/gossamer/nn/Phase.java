package dev.gossamer.nn;

/// Where the time of an epoch goes.
public enum Phase {
  /// Sparse times dense.
  SPMM,
  /// Dense times dense, with what is fused to it.
  MATMUL
}
