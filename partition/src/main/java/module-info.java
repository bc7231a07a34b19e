/// Partitioners, and the quality of partitions.
module dev.gossamer.partition {
  requires transitive dev.gossamer.graph;
  requires org.slf4j;

  exports dev.gossamer.partition;
}
