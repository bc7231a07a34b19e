/// The trainers.
module dev.gossamer.training {
  requires transitive dev.gossamer.graph;
  requires transitive dev.gossamer.nn;
  requires org.slf4j;
  requires tools.jackson.databind;
  requires tools.jackson.dataformat.yaml;
}
