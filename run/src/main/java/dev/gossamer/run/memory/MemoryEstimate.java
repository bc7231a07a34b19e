package dev.gossamer.run.memory;

import dev.gossamer.base.InvalidSettingException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/// An estimate of the peak memory of a run, item by item, before it is allocated.
///
/// @param items in the order of the printed table
public record MemoryEstimate(List<Item> items) {
  /// Resident bytes of a Java virtual machine with this program loaded, before any data: code, a
  /// young generation of 96 MiB, threads. Measurements gave between 230 and 260 MiB for all kinds
  /// of training (`docs/guide.md`, "Memory").
  public static final long RUNTIME_BYTES = 272L << 20;

  /// What a thread takes: pages of its stack, memory that the system's allocator keeps for it, and
  /// a kernel's arrays. Measured: 150 KiB between 64 and 512 threads of a rank, of which
  /// [#RUNTIME_BYTES] has room for a part.
  private static final long THREAD_BYTES = 128L << 10;

  /// What each of two ranks of one process keeps for the other, and lists of what it sends there.
  /// Fitted to the peaks of 300 and 1,000 ranks.
  private static final long PAIR_BYTES = 3328;

  /// {@return resident bytes of a Java virtual machine before any data: [#RUNTIME_BYTES] plus a
  /// part that grows with ranks and threads}
  ///
  /// @param ranks that the process runs
  /// @param threads of each
  public static long runtimeBytes(int ranks, int threads) {
    return RUNTIME_BYTES
        + (long) ranks * threads * THREAD_BYTES
        + (ranks - 1L) * ranks * PAIR_BYTES;
  }

  /// One line of the table.
  ///
  /// @param name the name in the table
  /// @param bytes number of bytes
  /// @param mapped whether they are pages of mapped files, which all processes of a machine share
  ///   and the operating system can reclaim
  public record Item(String name, long bytes, boolean mapped) {}

  /// Copies the list.
  public MemoryEstimate {
    items = List.copyOf(items);
  }

  /// Collects items; items of 0 bytes are omitted.
  public static final class Builder {
    private final List<Item> items = new ArrayList<>();

    private Builder() {}

    /// Adds a line.
    ///
    /// @param name the name in the table
    /// @param bytes number of bytes
    /// @return this
    public Builder add(String name, long bytes) {
      if (bytes > 0) {
        items.add(new Item(name, bytes, false));
      }
      return this;
    }

    /// Adds a line for data that exist before the run, or two if a part of them is mapped.
    ///
    /// @param name the name in the table
    /// @param data the memory of the data
    /// @return this
    public Builder add(String name, List<MemorySegment> data) {
      long bytes = data.stream().mapToLong(MemorySegment::byteSize).sum();
      long mapped =
          data.stream().filter(MemorySegment::isMapped).mapToLong(MemorySegment::byteSize).sum();
      if (mapped > 0) {
        items.add(new Item("mapped " + name, mapped, true));
      }
      return add(name, bytes - mapped);
    }

    /// {@return the estimate with all lines that were added}
    public MemoryEstimate build() {
      return new MemoryEstimate(items);
    }
  }

  /// {@return an estimate to add lines to}
  public static Builder builder() {
    return new Builder();
  }

  /// {@return a copy with another line}
  ///
  /// @param name the name in the table
  /// @param bytes number of bytes
  public MemoryEstimate with(String name, long bytes) {
    Builder more = builder();
    more.items.addAll(items);
    return more.add(name, bytes).build();
  }

  /// {@return the bytes of one line; 0 if there is no such line}
  ///
  /// @param name of the line
  public long bytes(String name) {
    return items.stream().filter(i -> i.name().equals(name)).mapToLong(Item::bytes).sum();
  }

  /// {@return the sum of all lines: the maximum resident bytes}
  public long bytes() {
    return items.stream().mapToLong(Item::bytes).sum();
  }

  /// {@return the bytes of mapped files}
  public long mappedBytes() {
    return items.stream().filter(Item::mapped).mapToLong(Item::bytes).sum();
  }

  /// {@return the bytes that a run requires: all except mapped files}
  public long needed() {
    return bytes() - mappedBytes();
  }

  /// A change of settings, and the memory of the changed run.
  ///
  /// @param change text for messages, with components in braces: `{hidden} 64`
  /// @param estimate of the changed run
  public record Remedy(String change, MemoryEstimate estimate) {
    /// {@return the largest lower value of a setting that fits; empty if none does}
    ///
    /// @param limit maximum bytes of the run
    /// @param setting component of the settings to lower: `hidden`
    /// @param current its current value
    /// @param estimateAt the estimate for another value of the setting
    public static Optional<Remedy> lower(
        long limit, String setting, int current, IntFunction<MemoryEstimate> estimateAt) {
      int fitting =
          largestFitting(1, current - 1, limit, value -> estimateAt.apply(value).needed());
      return fitting == 0
          ? Optional.empty()
          : Optional.of(
              new Remedy("{%s} %d".formatted(setting, fitting), estimateAt.apply(fitting)));
    }
  }

  /// Refuses a run that would not fit, and names the first change with which it does.
  ///
  /// @param limit maximum bytes of the run
  /// @param setting component that is named if nothing fits
  /// @param remedies the smallest changes first; evaluated lazily
  /// @throws InvalidSettingException with the estimate, the limit and the remedy in one line
  public void requireFits(long limit, String setting, Stream<Remedy> remedies) {
    if (needed() <= limit) {
      return;
    }
    String remedy =
        remedies
            .filter(each -> each.estimate().needed() <= limit)
            .map(
                each -> "%s fits (%s)".formatted(each.change(), readable(each.estimate().needed())))
            .findFirst()
            .orElse("no {%s} fits; use a smaller graph or more memory".formatted(setting));
    throw new InvalidSettingException(
        "memory: the run needs %s but %s may be used; %s"
            .formatted(readable(needed()), readable(limit), remedy));
  }

  /// Sums over the ranks of a process: over all ranks if it runs them all, otherwise over its
  /// number of ranks, each with the block that needs most.
  ///
  /// @param ranks ranks of the run
  /// @param blocks number of blocks, each held by the same number of ranks
  /// @param processRanks ranks that the process runs
  /// @param ofBlock bytes of a rank with a block
  /// @return bytes of the process
  public static long ofProcess(int ranks, int blocks, int processRanks, IntToLongFunction ofBlock) {
    LongStream each = IntStream.range(0, blocks).mapToLong(ofBlock);
    return processRanks == ranks
        ? ranks / blocks * each.sum()
        : processRanks * each.max().orElse(0);
  }

  /// Finds the largest value of a setting that fits, by bisection.
  ///
  /// @param from smallest value to consider
  /// @param to largest value to consider
  /// @param limit maximum bytes
  /// @param bytesAt bytes for a value, monotonically increasing
  /// @return `from - 1` if none fits
  public static int largestFitting(int from, int to, long limit, IntToLongFunction bytesAt) {
    int fitting = from - 1;
    for (int low = from, high = to; low <= high; ) {
      int middle = (low + high) >>> 1;
      if (bytesAt.applyAsLong(middle) <= limit) {
        fitting = middle;
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return fitting;
  }

  /// {@return bytes in human-readable form: `1.50 GiB`}
  ///
  /// @param bytes number of bytes
  public static String readable(long bytes) {
    String[] units = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.2f %s", value, units[unit]);
  }
}
