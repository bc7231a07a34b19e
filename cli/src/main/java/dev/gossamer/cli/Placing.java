package dev.gossamer.cli;

import dev.gossamer.exchange.Placement;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.partition.Partition;
import dev.gossamer.partition.PartitionRequest;
import dev.gossamer.partition.Partitioner;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/// Where the vertices are, as `--placement` says, and what it took to decide it.
///
/// @param placement of the vertices in blocks
/// @param partitioning that was made for it, or null if none was
record Placing(Placement placement, @Nullable Partitioning partitioning) {
  /// What `--placement` takes, for help texts.
  static final String CHOICES =
      "block, random, a partitioner (see 'gossamer partition --help'), or a part file";

  /// What a partitioner may use.
  record Means(int threads, long limit, CommonOptions common, PrintWriter err) {}

  /// @param where `block`, `random`, the name of a partitioner, or a part file
  /// @param training vertices that a partitioner divides evenly besides
  /// @throws InvalidInputException if the part file does not fit
  static Placing of(
      String where, GraphData dataset, int blocks, long seed, IntPredicate training, Means means) {
    int n = dataset.vertices();
    if (where.equals("block")) {
      return new Placing(Placement.block(n, blocks), null);
    }
    if (where.equals("random")) {
      return new Placing(Placement.random(n, blocks, seed), null);
    }
    if (Partitioner.names().contains(where)) {
      Partitioning made =
          Partitioning.run(
              dataset,
              Partitioner.named(where),
              PartitionRequest.of(dataset.adjacency(), blocks, seed).withTraining(training),
              means);
      return new Placing(Placement.of(made.partition().toArray(), blocks), made);
    }
    return new Placing(
        Placement.of(Partition.read(Path.of(where), n, blocks).toArray(), blocks), null);
  }

  /// Refuses what [#of] would refuse, before any data is read.
  ///
  /// @throws InvalidInputException if there is neither a method nor a file of this name
  static void requireKnown(String where) {
    if (!Partitioner.names().contains(where) && !Files.exists(Path.of(where))) {
      throw new InvalidInputException(
          "--placement: expected one of %s or an existing part file, found %s"
              .formatted(String.join(", ", Partitioner.names()), where));
    }
  }
}
