/// The trainers, what they plan beforehand, and the folders that their runs leave.
module dev.gossamer.training {
  requires transitive dev.gossamer.comm;
  requires transitive dev.gossamer.graph;
  requires transitive dev.gossamer.nn;
  requires jtokkit;
  requires org.slf4j;
  requires tools.jackson.databind;

  exports dev.gossamer.corpus;
  exports dev.gossamer.exchange;
  exports dev.gossamer.feature;
  exports dev.gossamer.fullgraph;
  exports dev.gossamer.historical;
  exports dev.gossamer.minibatch;
  exports dev.gossamer.network;
  exports dev.gossamer.pipeline;
  exports dev.gossamer.plan;
  exports dev.gossamer.run;
  exports dev.gossamer.sampling;

  opens dev.gossamer.pipeline to
      tools.jackson.databind;
  opens dev.gossamer.run to
      tools.jackson.databind;
}
