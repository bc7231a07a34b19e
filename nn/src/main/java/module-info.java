/// Building blocks of layers, losses, optimizers and model state.
module dev.gossamer.nn {
  requires transitive dev.gossamer.matrix;
  requires tools.jackson.databind;

  exports dev.gossamer.nn.clock;
  exports dev.gossamer.nn.layers;
  exports dev.gossamer.nn.optimizer;
  exports dev.gossamer.nn.state;
}
