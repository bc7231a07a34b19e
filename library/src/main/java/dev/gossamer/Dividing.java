package dev.gossamer;

import dev.gossamer.graph.GraphData;
import dev.gossamer.run.memory.MemoryEstimate;
import org.jspecify.annotations.Nullable;

/// What dividing a graph adds to the memory of the training that follows it.
///
/// @param bytes at its peak, beside the data, when nothing of the training is there
/// @param left in the Java heap, which keeps what it once took, while the training takes its own
/// @param data bytes of the data set that are not mapped files
record Dividing(long bytes, long left, long data) {
  /// The parts, loads and lists of a vertex: between 60 and 160 bytes were measured of graphs of
  /// 27,000 to 524,000 vertices in 2 to 16 parts.
  private static final long LEFT_BYTES = 160;

  /// Seconds of an entry: 1.5 to 3 microseconds were measured, on two cores.
  private static final double ENTRY_SECONDS = 2e-6;

  private static final Dividing NONE = new Dividing(0, 0, 0);

  /// {@return what a placement takes: nothing, unless a partitioner makes it}
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
            .add("graph", data.adjacency().segments())
            .add("features", data.features().segments())
            .build()
            .needed();
    return new Dividing(bytes, Math.min(bytes, LEFT_BYTES * data.vertices()), resident);
  }

  /// {@return an estimate of the training with what dividing adds} Its peak is that of the
  /// training, above what is left, or that of dividing.
  ///
  /// @param training without
  MemoryEstimate in(MemoryEstimate training) {
    long alone = MemoryEstimate.RUNTIME_BYTES + data + bytes;
    return training.with("dividing", Math.max(left, alone - training.needed()));
  }

  /// {@return seconds that it takes, about} An estimate from sizes alone, so that what is decided
  /// by it does not depend on what else the machine does.
  ///
  /// @param data the graph
  static double seconds(GraphData data) {
    return ENTRY_SECONDS * data.adjacency().nnz();
  }
}
