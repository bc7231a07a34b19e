/// Off-heap dense and sparse matrices and the local kernels on them. The lowest floor.
module dev.gossamer.matrix {
  requires jdk.incubator.vector;
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports dev.gossamer.matrix;
  exports dev.gossamer.matrix.attention;
  exports dev.gossamer.matrix.dense;
  exports dev.gossamer.matrix.format;
  exports dev.gossamer.matrix.io;
  exports dev.gossamer.matrix.memory;
  exports dev.gossamer.matrix.random;
  exports dev.gossamer.matrix.sparse;
  exports dev.gossamer.matrix.trace;
}
