/// Layers' building blocks, losses, optimizers and model state.
module dev.gossamer.nn {
  requires transitive dev.gossamer.matrix;
  requires org.apache.commons.rng.api;
  requires org.apache.commons.rng.sampling;
  requires org.apache.commons.rng.simple;
  requires tools.jackson.databind;

  exports dev.gossamer.nn;
  exports dev.gossamer.nn.optimizer;
}
