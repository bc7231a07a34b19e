/// Pruned networks: training, models and training data. Start with
/// [dev.gossamer.pruned.PrunedTraining].
module dev.gossamer.pruned {
  requires transitive dev.gossamer.run;
  requires jtokkit;
  requires tools.jackson.databind;

  exports dev.gossamer.pruned;
  exports dev.gossamer.pruned.corpus;
  exports dev.gossamer.pruned.layers;
  exports dev.gossamer.pruned.pipeline;
  exports dev.gossamer.pruned.prune;

  opens dev.gossamer.pruned.pipeline to
      tools.jackson.databind;
}
