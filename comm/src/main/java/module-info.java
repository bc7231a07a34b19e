/// Ranks, collectives and the bytes they move. The only module with foreign calls into MPI.
module dev.gossamer.comm {
  requires transitive dev.gossamer.matrix;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports dev.gossamer.comm;
  exports dev.gossamer.comm.mpi;
}
