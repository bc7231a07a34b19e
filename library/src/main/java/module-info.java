/// The front door of the library: data sets, training, models, predictions and partitions of
/// graphs.
module dev.gossamer {
  requires transitive dev.gossamer.planner;
  requires org.apache.commons.csv;
  requires tools.jackson.databind;

  exports dev.gossamer;
}
