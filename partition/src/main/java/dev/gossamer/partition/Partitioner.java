package dev.gossamer.partition;

import dev.gossamer.graph.Progress;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.io.InvalidInputException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// Assigns each vertex of a graph to a part.
///
/// Instances are immutable and may be shared. The same request gives the same partition, whatever
/// the number of threads.
public sealed interface Partitioner
    permits BlockPartitioner, RandomPartitioner, MultilevelPartitioner, MetisPartitioner {
  /// As [#named] knows it.
  String name();

  /// @param workers the threads to use; not used otherwise during the call
  /// @param progress hears of the work
  /// @throws InvalidInputException if a library that the partitioner calls is not installed or
  ///   cannot take this graph
  Partition partition(PartitionRequest request, Workers workers, Progress progress);

  /// Bytes that [#partition] takes at its peak beyond the adjacency matrix, result included: an
  /// estimate from sizes alone.
  ///
  /// @param vertices `n`
  /// @param nonzeros entries of the symmetrised pattern
  /// @param parts `k`
  /// @param threads members of the team
  long bytes(long vertices, long nonzeros, int parts, int threads);

  /// All partitioners by name, each ready to use:
  ///
  /// | name | makes small |
  /// |---|---|
  /// | `block` | nothing: blocks of consecutive ids |
  /// | `random` | nothing: an even random placement |
  /// | `edge-cut` | edges between parts |
  /// | `volume` | total volume |
  /// | `gvb` | total and maximum send volume |
  /// | `gvb-receive` | total, maximum send and maximum receive volume |
  /// | `metis`, `metis-volume` | libmetis' edge cut, libmetis' total volume |
  ///
  /// @throws InvalidInputException if there is none of this name
  static Partitioner named(String name) {
    Partitioner partitioner = all().get(name);
    if (partitioner == null) {
      throw new InvalidInputException(
          "partitioner: expected one of %s, found '%s'".formatted(names(), name));
    }
    return partitioner;
  }

  /// The names that [#named] knows.
  static List<String> names() {
    return List.copyOf(all().keySet());
  }

  private static Map<String, Partitioner> all() {
    Map<String, Partitioner> all = new TreeMap<>();
    all.put("block", new BlockPartitioner());
    all.put("random", new RandomPartitioner());
    all.put("edge-cut", new MultilevelPartitioner(Objective.EDGE_CUT));
    all.put("volume", new MultilevelPartitioner(Objective.VOLUME));
    all.put("gvb", new MultilevelPartitioner(Objective.SEND_VOLUME));
    all.put("gvb-receive", new MultilevelPartitioner(Objective.SEND_RECEIVE_VOLUME));
    all.put("metis", new MetisPartitioner(false));
    all.put("metis-volume", new MetisPartitioner(true));
    return all;
  }
}
