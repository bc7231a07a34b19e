/// Off-heap dense and sparse matrices and the local kernels on them.
///
/// Matrices are exported to all modules. Kernels are exported only to other modules of Gossamer,
/// because they check their arguments less than a public API must.
@SuppressWarnings("module") // The floors above are compiled later than this one.
module dev.gossamer.matrix {
  requires transitive dev.gossamer.base;
  requires jdk.incubator.vector;
  requires static transitive org.jspecify;

  exports dev.gossamer.matrix;
  exports dev.gossamer.matrix.format;
  exports dev.gossamer.matrix.attention to
      dev.gossamer.nn,
      dev.gossamer.exchange,
      dev.gossamer.gnn,
      dev.gossamer.planner,
      dev.gossamer.pruned;
  exports dev.gossamer.matrix.dense to
      dev.gossamer.nn,
      dev.gossamer.exchange,
      dev.gossamer.gnn,
      dev.gossamer.planner,
      dev.gossamer.pruned,
      dev.gossamer,
      dev.gossamer.cli;
  exports dev.gossamer.matrix.random to
      dev.gossamer.graph,
      dev.gossamer.nn,
      dev.gossamer.partition,
      dev.gossamer.exchange,
      dev.gossamer.gnn,
      dev.gossamer.pruned,
      dev.gossamer.cli;
  exports dev.gossamer.matrix.sparse to
      dev.gossamer.nn,
      dev.gossamer.exchange,
      dev.gossamer.gnn,
      dev.gossamer.planner,
      dev.gossamer.pruned,
      dev.gossamer.cli;
}
