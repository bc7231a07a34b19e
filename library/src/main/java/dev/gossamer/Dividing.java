package dev.gossamer;

import dev.gossamer.graph.GraphData;
import dev.gossamer.run.memory.MemoryEstimate;
import org.jspecify.annotations.Nullable;

/// The memory that partitioning a graph adds to the training that follows it.
///
/// @param bytes at its peak, besides the data, before the training allocates memory
/// @param left in the Java heap during the training, since the heap does not shrink
/// @param data bytes of the data set that are not mapped files
record Dividing(long bytes, long left, long data) {
  /// The parts, loads and lists of a vertex: between 60 and 160 bytes were measured of graphs of
  /// 27,000 to 524,000 vertices in 2 to 16 parts.
  private static final long LEFT_BYTES = 160;

  /// Seconds of an entry: 1.5 to 3 microseconds were measured, on two cores.
  private static final double ENTRY_SECONDS = 2e-6;

  private static final Dividing NONE = new Dividing(0, 0, 0);

  /// {@return the memory of a placement: none, unless a partitioner makes it}
  ///
  /// @param where see [Placed#of]; null for consecutive vertices
  /// @param blocks how many
  static Dividing of(TrainingJob job, @Nullable String where, int blocks) {
    if (where == null || blocks == 1 || !Placed.isDivided(where)) {
      return NONE;
    }
    GraphData data = job.data();
    long bytes =
        GraphPartitioning.of(data)
            .parts(blocks)
            .method(where)
            .machine(job.machine())
            .estimatedBytes();
    long resident =
        MemoryEstimate.builder()
            .add("graph", data.graphSegments())
            .add("features", data.features().segments())
            .build()
            .needed();
    return new Dividing(bytes, Math.min(bytes, LEFT_BYTES * data.vertices()), resident);
  }

  /// {@return an estimate of the training including partitioning} Its peak is that of the training
  /// plus what is left in the heap, or that of partitioning.
  ///
  /// @param training without partitioning
  MemoryEstimate in(MemoryEstimate training) {
    long alone = MemoryEstimate.RUNTIME_BYTES + data + bytes;
    return training.with("dividing", Math.max(left, alone - training.needed()));
  }

  /// {@return an estimate of the seconds of partitioning} It follows from sizes alone, so that
  /// decisions based on it do not depend on the load of the machine.
  ///
  /// @param data the graph
  static double seconds(GraphData data) {
    return ENTRY_SECONDS * data.adjacency().nnz();
  }
}
