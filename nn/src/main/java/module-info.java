/// Building blocks of layers, losses, optimizers and model state.
module dev.gossamer.nn {
  requires transitive dev.gossamer.matrix;
  requires tools.jackson.databind;

  exports dev.gossamer.nn;
  exports dev.gossamer.nn.optimizer;
}
