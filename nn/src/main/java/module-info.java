/// Layers, losses, optimizers and model state.
module dev.gossamer.nn {
  requires transitive dev.gossamer.matrix;
  requires org.slf4j;
  requires tools.jackson.databind;
}
