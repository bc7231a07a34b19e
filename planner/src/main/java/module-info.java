/// Predicts what training strategies cost, from the measured rates of a machine and its network.
module dev.gossamer.planner {
  requires transitive dev.gossamer.gnn;
  requires jdk.management;
  requires tools.jackson.databind;
  requires tools.jackson.dataformat.yaml;

  exports dev.gossamer.planner;
  exports dev.gossamer.planner.calibration;
}
