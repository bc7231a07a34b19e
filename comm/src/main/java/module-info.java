/// Ranks, collectives and traffic counters. The only module with native calls to MPI.
module dev.gossamer.comm {
  requires transitive dev.gossamer.base;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports dev.gossamer.comm;
  exports dev.gossamer.comm.mpi;
  exports dev.gossamer.comm.net;
  exports dev.gossamer.comm.threads;
}
