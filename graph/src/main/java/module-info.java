/// Data sets: the folder format, readers of raw formats, and generators.
module dev.gossamer.graph {
  requires transitive dev.gossamer.matrix;
  requires org.apache.commons.rng.api;
  requires org.apache.commons.rng.sampling;
  requires tools.jackson.databind;
  requires org.apache.commons.csv;
  requires us.hebi.matlab.mat.mfl.core;
  // The library above is no named module and cannot ask for sun.misc.Unsafe itself.
  requires jdk.unsupported;

  exports dev.gossamer.graph;
  exports dev.gossamer.graph.cache;
  exports dev.gossamer.graph.format;
  exports dev.gossamer.graph.generate;
}
