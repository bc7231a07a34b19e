/// Data sets: the folder format, readers of raw formats, and generators.
module dev.gossamer.graph {
  requires transitive dev.gossamer.matrix;
  requires org.apache.commons.rng.api;
  requires org.apache.commons.rng.sampling;
  requires tools.jackson.databind;
  requires tools.jackson.dataformat.yaml;
  requires org.apache.commons.csv;

  exports dev.gossamer.graph;
  exports dev.gossamer.graph.cache;
  exports dev.gossamer.graph.format;
  exports dev.gossamer.graph.generate;

  // Those of other modules, such as dev.gossamer.tables.
  uses dev.gossamer.graph.cache.BuiltIn;
  uses dev.gossamer.graph.format.GraphFormat;
}
