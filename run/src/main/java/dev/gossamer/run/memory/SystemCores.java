package dev.gossamer.run.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// How many cores there are, and how many of them are one process's when several share the machine.
public final class SystemCores {
  /// Ranges of cores, as `0-3,8-11`.
  private static final Path ONLINE = Path.of("/sys/devices/system/cpu/online");

  private SystemCores() {}

  /// {@return cores of this machine, whatever this process is bound to; those this process sees
  /// where the system does not tell}
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
  /// @param processes how many of its kind run here
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
