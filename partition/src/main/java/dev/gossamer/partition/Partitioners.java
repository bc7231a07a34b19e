package dev.gossamer.partition;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/// The named partitioners. A new one needs a class and a line here; a new [Objective] is added
/// automatically.
final class Partitioners {
  /// In the order of lists and help: by increasing cost.
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
