/// Who should own which vertex: partitioners, and what a partition is worth.
module dev.gossamer.partition {
  requires transitive dev.gossamer.graph;
  requires org.apache.commons.rng.api;
  requires org.apache.commons.rng.sampling;
  requires org.apache.commons.rng.simple;
  requires org.slf4j;

  exports dev.gossamer.partition;
}
