/// Trainers of graph neural networks.
module dev.gossamer.gnn {
  requires transitive dev.gossamer.exchange;
  requires tools.jackson.databind;

  exports dev.gossamer.gnn.block;
  exports dev.gossamer.gnn.feature;
  exports dev.gossamer.gnn.fullgraph;
  exports dev.gossamer.gnn.historical;
  exports dev.gossamer.gnn.hop;
  exports dev.gossamer.gnn.inference;
  exports dev.gossamer.gnn.minibatch;
  exports dev.gossamer.gnn.link;
  exports dev.gossamer.gnn.objective;
  exports dev.gossamer.gnn.sampling;
  exports dev.gossamer.gnn.sampling.blocks;
  exports dev.gossamer.gnn.sampling.matrices;
  exports dev.gossamer.gnn.stack;
}
