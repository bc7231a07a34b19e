package dev.gossamer.cli.machine;

import dev.gossamer.run.memory.MemoryEstimate;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/// How much a command says of the memory that it is estimated to take.
public final class MemoryOptions {
  /// Parts that are named unless all are asked for.
  private static final int NAMED = 3;

  @Option(
      names = "--verbose",
      description = "Say of which parts the estimated memory consists, not only of its largest.")
  boolean verbose;

  /// What a process will take, in a line, and of which parts.
  public String line(MemoryEstimate memory) {
    return "memory   %s estimated, %s without mapped files: %s"
        .formatted(
            MemoryEstimate.readable(memory.bytes()),
            MemoryEstimate.readable(memory.needed()),
            parts(memory));
  }

  /// The parts in a line, the largest of them; or all, a line each.
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
