package dev.gossamer.partition;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.Workers;
import dev.gossamer.graph.Progress;
import java.util.List;
import java.util.Objects;

/// Assigns each vertex of a graph to a part.
///
/// Instances are immutable and may be shared between threads. The same request yields the same
/// partition for any number of threads.
public interface Partitioner {
  /// {@return the name, in lower case: `gvb`}
  String name();

  /// {@return the objective in one line: `total volume`}
  String description();

  /// Partitions a graph.
  ///
  /// @param request the graph, the number of parts, and the balanced loads
  /// @param workers the threads to use; must not be used otherwise during the call
  /// @param progress notified of the progress
  /// @return the part of each vertex
  /// @throws InvalidInputException if a library that the partitioner calls is not installed or does
  ///   not support this graph
  Partition partition(PartitionRequest request, Workers workers, Progress progress);

  /// {@return an estimate, from sizes only, of the peak bytes of [#partition] beyond the adjacency
  /// matrix, including the result}
  ///
  /// @param vertices `n`
  /// @param nonzeros entries of the symmetrised pattern
  /// @param parts `k`
  /// @param threads number of threads
  long bytes(long vertices, long nonzeros, int parts, int threads);

  /// {@return all partitioners: one for each [Objective] of the multilevel method, libmetis for
  /// comparison, and placements without cost}
  static List<Partitioner> all() {
    return Partitioners.ALL;
  }

  /// {@return the partitioner of a name, ignoring case}
  ///
  /// @param name as written by the user
  /// @throws InvalidSettingException listing the names
  static Partitioner named(String name) {
    Objects.requireNonNull(name, "name");
    return all().stream()
        .filter(partitioner -> partitioner.name().equalsIgnoreCase(name))
        .findFirst()
        .orElseThrow(() ->
            new InvalidSettingException(
                "{method}: expected one of %s, found %s%s"
                    .formatted(
                        String.join(", ", names()),
                        name,
                        name.equalsIgnoreCase("gvb-receive") ? "; gvb does the same now" : "")));
  }

  /// {@return the names of [#all]}
  static List<String> names() {
    return all().stream().map(Partitioner::name).toList();
  }
}
