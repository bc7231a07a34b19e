package dev.gossamer.cli;

import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.partition.Partition;
import dev.gossamer.partition.PartitionRequest;
import dev.gossamer.partition.Partitioner;
import dev.gossamer.run.memory.MemoryEstimate;

/// A partition that was made here, and what it cost.
///
/// @param method that made it
/// @param seconds of wall clock
/// @param estimatedBytes that it was expected to take beyond the graph
record Partitioning(Partition partition, String method, double seconds, long estimatedBytes) {

  /// Divides a graph, with progress on standard error.
  ///
  /// @param dataset whose graph it is
  /// @param means threads and bytes that may be taken, and where it is announced
  /// @throws InvalidInputException if more are expected to be needed
  static Partitioning run(
      GraphData dataset, Partitioner partitioner, PartitionRequest request, Placing.Means means) {
    long bytes = bytes(dataset, partitioner, request.parts(), means.threads());
    if (bytes > means.limit()) {
      throw new InvalidInputException(
          "memory: dividing by %s needs %s beyond the graph but %s may be used; random and block need less"
              .formatted(
                  partitioner.name(),
                  MemoryEstimate.readable(bytes),
                  MemoryEstimate.readable(means.limit())));
    }
    if (!means.common().quiet) {
      means
          .err()
          .printf(
              "dividing into %d parts by %s, %s estimated beyond the graph%n",
              request.parts(), partitioner.name(), MemoryEstimate.readable(bytes));
      means.err().flush();
    }
    try (Workers workers = new Workers(means.threads());
        ProgressSteps progress = new ProgressSteps(means.common().quiet)) {
      long begin = System.nanoTime();
      Partition partition = partitioner.partition(request, workers, progress);
      double seconds = (System.nanoTime() - begin) / 1e9;
      return new Partitioning(partition, partitioner.name(), seconds, bytes);
    }
  }

  /// Bytes that dividing takes beyond the graph.
  static long bytes(GraphData dataset, Partitioner partitioner, int parts, int threads) {
    long entries = (dataset.info().directed() ? 2 : 1) * dataset.adjacency().nnz();
    return partitioner.bytes(dataset.vertices(), entries, parts, threads);
  }
}
