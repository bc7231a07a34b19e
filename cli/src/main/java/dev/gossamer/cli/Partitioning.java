package dev.gossamer.cli;

import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.partition.Partition;
import dev.gossamer.partition.PartitionRequest;
import dev.gossamer.partition.Partitioner;
import dev.gossamer.run.memory.MemoryEstimate;
import java.io.PrintWriter;

/// A partition that was made here, and what it cost.
///
/// @param method that made it
/// @param seconds of wall clock
/// @param estimatedBytes that it was expected to take beyond the graph
record Partitioning(Partition partition, String method, double seconds, long estimatedBytes) {

  /// The partitioner that a flag names.
  ///
  /// @throws InvalidInputException if there is none of this name
  static Partitioner method(String flag, String name) {
    if (!Partitioner.names().contains(name)) {
      throw new InvalidInputException(
          "%s: expected one of %s, found %s"
              .formatted(flag, String.join(", ", Partitioner.names()), name));
    }
    return Partitioner.named(name);
  }

  /// Divides a graph, with progress on standard error.
  ///
  /// @param dataset whose graph it is
  /// @param limit bytes that may be taken
  /// @throws InvalidInputException if more are expected to be needed
  static Partitioning run(
      GraphData dataset,
      Partitioner partitioner,
      PartitionRequest request,
      int threads,
      long limit,
      CommonOptions common,
      PrintWriter err) {
    long bytes = bytes(dataset, partitioner, request.parts(), threads);
    if (bytes > limit) {
      throw new InvalidInputException(
          "memory: dividing by %s needs %s beyond the graph but %s may be used; random and block need less"
              .formatted(
                  partitioner.name(),
                  MemoryEstimate.readable(bytes),
                  MemoryEstimate.readable(limit)));
    }
    if (!common.quiet) {
      err.printf(
          "dividing into %d parts by %s, %s estimated beyond the graph%n",
          request.parts(), partitioner.name(), MemoryEstimate.readable(bytes));
      err.flush();
    }
    try (Workers workers = new Workers(threads);
        ProgressSteps progress = new ProgressSteps(common.quiet)) {
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
