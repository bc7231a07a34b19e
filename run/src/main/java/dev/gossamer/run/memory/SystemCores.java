package dev.gossamer.run.memory;

import dev.gossamer.base.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// The cores of the machine, and a process's share of them.
public final class SystemCores {
  /// Ranges of cores, as `0-3,8-11`.
  private static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");

  /// Several times the cores of the largest machines.
  private static final int MOST_THREADS = 4096;

  private SystemCores() {}

  /// Checks the number of threads of a process.
  ///
  /// @param threads of the process
  /// @throws InvalidSettingException if it is less than 1 or too large
  public static void requireThreads(int threads) {
    InvalidSettingException.requireAtLeast("threads", threads, 1);
    if (threads > MOST_THREADS) {
      throw new InvalidSettingException(
          "{threads}: expected at most %d, found %d".formatted(MOST_THREADS, threads));
    }
  }

  /// {@return the number of cores of this machine, regardless of the binding of this process; the
  /// cores that this process sees if the number is unknown}
  public static int online() {
    int seen = Runtime.getRuntime().availableProcessors();
    try {
      return Files.exists(ONLINE) ? Math.max(seen, count(Files.readString(ONLINE).strip())) : seen;
    } catch (IOException e) {
      return seen;
    }
  }

  /// {@return cores for this process if `processes` of its kind run on this machine: those that it
  /// is bound to, or an even share if it is bound to none, and at least one}
  ///
  /// @param processes number of processes of this run on the machine
  public static int share(int processes) {
    return share(processes, Runtime.getRuntime().availableProcessors(), online());
  }

  static int share(int processes, int seen, int online) {
    return seen < online ? seen : Math.max(1, online / processes);
  }

  static int count(String ranges) {
    int cores = 0;
    for (String range : ranges.split(",", -1)) {
      String[] ends = range.split("-", -1);
      int first = Integer.parseInt(ends[0]);
      cores += Integer.parseInt(ends[ends.length - 1]) - first + 1;
    }
    return cores;
  }
}
