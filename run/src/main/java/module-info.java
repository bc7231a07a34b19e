/// Code shared by all trainers: the loop, checkpoints, run folders, buffers and memory.
module dev.gossamer.run {
  requires transitive dev.gossamer.comm;
  requires transitive dev.gossamer.nn;
  requires tools.jackson.databind;

  exports dev.gossamer.run;
  exports dev.gossamer.run.memory;

  opens dev.gossamer.run to
      tools.jackson.databind;
}
