package dev.gossamer.partition;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/// The partitioners that have a name. A new one is a class and a line here; a new [Objective] is
/// here by itself.
final class Partitioners {
  /// In the order of lists and help: from those that cost nothing to those that do the most.
  static final List<Partitioner> ALL =
      Stream.of(
              Stream.of(new BlockPartitioner(), new RandomPartitioner()),
              Arrays.stream(Objective.values()).map(MultilevelPartitioner::new),
              Stream.of(
                  new MetisPartitioner(Objective.EDGE_CUT), new MetisPartitioner(Objective.VOLUME)))
          .<Partitioner>flatMap(group -> group)
          .toList();

  private Partitioners() {}
}
