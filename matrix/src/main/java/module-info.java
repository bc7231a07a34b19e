/// Off-heap dense and sparse matrices and the local kernels on them. The lowest floor.
module dev.gossamer.matrix {
  requires jdk.incubator.vector;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports dev.gossamer.matrix;
  exports dev.gossamer.matrix.io;
  exports dev.gossamer.matrix.kernel;
  exports dev.gossamer.matrix.trace;
}
