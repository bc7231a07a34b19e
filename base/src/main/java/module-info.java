/// Threads, files, errors and timelines, which all other modules use. The lowest module.
@SuppressWarnings("module") // The floors above are compiled later than this one.
module dev.gossamer.base {
  requires static transitive org.jspecify;
  requires transitive jdk.jfr;

  exports dev.gossamer.base;
  exports dev.gossamer.base.io;
  exports dev.gossamer.base.memory to
      dev.gossamer.matrix,
      dev.gossamer.comm,
      dev.gossamer.partition;
  exports dev.gossamer.base.trace to
      dev.gossamer.comm,
      dev.gossamer.nn,
      dev.gossamer.run,
      dev.gossamer.exchange,
      dev.gossamer.gnn,
      dev.gossamer.pruned,
      dev.gossamer,
      dev.gossamer.cli;
}
