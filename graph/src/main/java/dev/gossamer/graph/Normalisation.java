package dev.gossamer.graph;

/// The scaling of the adjacency matrix in products. `d` is the sum of the weights of a vertex's
/// edges (their number in a graph without weights), including self loops.
public enum Normalisation {
  /// `D^-1/2 A^T D^-1/2` (Kipf and Welling, 2017); in a directed graph with in-degrees on the left
  /// and out-degrees on the right.
  SYMMETRIC,
  /// `D^-1 A^T`: the mean over the in-neighbours (MG, equation 2).
  ROW_MEAN,
  /// `A^T`: the sum over the in-neighbours.
  NONE
}
