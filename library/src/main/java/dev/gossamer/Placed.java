package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.exchange.Placement;
import dev.gossamer.graph.GraphData;
import dev.gossamer.partition.Partition;
import dev.gossamer.partition.Partitioner;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// The placement of vertices in blocks, and the partitioning that made it.
///
/// @param placement of the vertices in blocks
/// @param partitioning that was made for it; null if none was
public record Placed(Placement placement, GraphPartitioning.@Nullable Result partitioning) {
  /// Blocks of consecutive vertices.
  static final String BLOCK = "block";

  /// Vertices in a random order.
  static final String RANDOM = "random";

  /// Places the vertices.
  ///
  /// @param where `block`, `random`, the name of a partitioner, or a part file
  /// @param blocks how many
  /// @param partitioning of the graph, with seed, balance and settings of the machine
  /// @return the placement, and the partitioning that was made for it
  /// @throws dev.gossamer.base.InvalidInputException if the part file does not fit, or memory does
  ///   not suffice
  public static Placed of(String where, int blocks, GraphPartitioning partitioning) {
    GraphData data = partitioning.data();
    int n = data.vertices();
    if (where.equalsIgnoreCase(BLOCK)) {
      return new Placed(Placement.block(n, blocks), null);
    }
    if (where.equalsIgnoreCase(RANDOM)) {
      return new Placed(Placement.random(n, blocks, partitioning.request().seed()), null);
    }
    if (isPartFile(where)) {
      int[] parts = Partition.read(Path.of(where), n, blocks).toArray();
      return new Placed(Placement.of(parts, blocks), null);
    }
    GraphPartitioning.Result made = partitioning.parts(blocks).method(where).run();
    return new Placed(Placement.of(made.partition().toArray(), blocks), made);
  }

  /// Checks the name of a placement before any data are read.
  ///
  /// @param where see [#of]
  /// @throws InvalidSettingException if there is neither a method nor a file of this name
  public static void requireKnown(String where) {
    if (isPartFile(where) && !Files.exists(Path.of(where))) {
      throw new InvalidSettingException(
          "{placement}: expected one of %s or an existing part file, found %s"
              .formatted(String.join(", ", Partitioner.names()), where));
    }
  }

  /// Whether a placement is read from a file.
  static boolean isPartFile(String where) {
    return !isPartitioner(where);
  }

  /// Whether a placement is made by a partitioner that reads the graph.
  ///
  /// @param where see [#of]; null for consecutive vertices
  static boolean isDivided(@Nullable String where) {
    return where != null
        && isPartitioner(where)
        && !where.equalsIgnoreCase(BLOCK)
        && !where.equalsIgnoreCase(RANDOM);
  }

  private static boolean isPartitioner(String where) {
    return Partitioner.names().stream().anyMatch(where::equalsIgnoreCase);
  }
}
