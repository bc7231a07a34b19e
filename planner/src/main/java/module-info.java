/// What a machine and its network do a second, and what each way to train would cost there.
module dev.gossamer.planner {
  requires transitive dev.gossamer.gnn;
  requires jdk.management;
  requires tools.jackson.databind;
  requires tools.jackson.dataformat.yaml;

  exports dev.gossamer.planner;
  exports dev.gossamer.planner.calibration;
}
