package dev.gossamer.cli.machine;

import dev.gossamer.run.memory.MemoryEstimate;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/// The flag for details of the memory estimate.
public final class MemoryOptions {
  /// Parts that are named unless all are asked for.
  private static final int NAMED = 3;

  @Option(
      names = "--verbose",
      description = "List all parts of the estimated memory, not only the largest.")
  boolean verbose;

  /// Returns the estimate of a process and its parts as one line.
  public String line(MemoryEstimate memory) {
    return "memory   %s estimated, %s without mapped files: %s"
        .formatted(
            MemoryEstimate.readable(memory.bytes()),
            MemoryEstimate.readable(memory.needed()),
            parts(memory));
  }

  /// Returns the largest parts in one line, or all parts, one per line.
  public String parts(MemoryEstimate memory) {
    List<MemoryEstimate.Item> largest =
        memory.items().stream()
            .sorted(Comparator.comparingLong(MemoryEstimate.Item::bytes).reversed())
            .toList();
    if (verbose) {
      return largest.stream()
          .map(item ->
              String.format(
                  Locale.ROOT,
                  "%n         %12s  %s",
                  MemoryEstimate.readable(item.bytes()),
                  item.name()))
          .collect(Collectors.joining());
    }
    int others = largest.size() - NAMED;
    return largest.stream()
            .limit(NAMED)
            .map(item -> item.name() + " " + MemoryEstimate.readable(item.bytes()))
            .collect(Collectors.joining(", "))
        + (others <= 0 ? "" : ", %d smaller ones (--verbose)".formatted(others));
  }
}
