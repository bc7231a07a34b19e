package dev.gossamer.cli.pruned;

import dev.gossamer.cli.machine.RankNumbers;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of the runs that a plan of a pruned network compares.
final class PrunePlanOptions {
  @Option(
      names = "--ranks",
      paramLabel = "P",
      description =
          "Numbers of ranks, as 1,2,6, or 4..64 for 4, 8, 16, 32 and 64 (default: powers of two up to the ranks of the"
              + " cluster).")
  @Nullable String ranks;

  @Option(names = "--all", description = "List all strategies, not only the fastest.")
  boolean all;

  /// @param most ranks of the cluster
  List<Integer> numbers(long most) {
    return RankNumbers.parse(ranks == null ? "1.." + most : ranks).stream()
        .distinct()
        .sorted()
        .toList();
  }
}
