/// Who should own which vertex: partitioners, and what a partition is worth.
module dev.gossamer.partition {
  requires transitive dev.gossamer.graph;
  requires org.slf4j;

  exports dev.gossamer.partition;
}
