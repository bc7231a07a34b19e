package dev.gossamer.pruned;

import dev.gossamer.matrix.io.InvalidSettingException;
import dev.gossamer.run.RankLaunch;
import dev.gossamer.run.memory.SystemCores;
import dev.gossamer.run.memory.SystemMemory;
import org.jspecify.annotations.Nullable;

/// What a run may use of the machine. Results do not depend on it.
///
/// @param threads of this process; null for one for each core
/// @param memory bytes of this process; null for what is available
/// @param memoryPerRank bytes of one rank; null for an even share of the process' memory
public record MachineSettings(
    @Nullable Integer threads, @Nullable Long memory, @Nullable Long memoryPerRank) {
  /// All cores, and the memory that is available.
  public static final MachineSettings DEFAULT = new MachineSettings(null, null, null);

  /// Checks the settings.
  ///
  /// @throws InvalidSettingException if there is no thread, or less than no memory
  public MachineSettings {
    if (threads != null) {
      InvalidSettingException.requireAtLeast("threads", threads, 1);
    }
    if (memory != null) {
      InvalidSettingException.requireAtLeast("memory", memory, 0);
    }
    if (memoryPerRank != null) {
      InvalidSettingException.requireAtLeast("memoryPerRank", memoryPerRank, 0);
    }
  }

  /// {@return the same with another number of threads}
  ///
  /// @param newThreads null for one for each core
  public MachineSettings withThreads(@Nullable Integer newThreads) {
    return new MachineSettings(newThreads, memory, memoryPerRank);
  }

  /// {@return the same with another limit of this process' memory}
  ///
  /// @param newMemory bytes; null for what is available
  public MachineSettings withMemory(@Nullable Long newMemory) {
    return new MachineSettings(threads, newMemory, memoryPerRank);
  }

  /// {@return the same with another limit of a rank's memory}
  ///
  /// @param newMemory bytes; null for what is available
  public MachineSettings withMemoryPerRank(@Nullable Long newMemory) {
    return new MachineSettings(threads, memory, newMemory);
  }

  /// Threads of a rank.
  int threadsOfRank(RankLaunch launch) {
    int here = threads == null ? SystemCores.share(launch.processesHere()) : threads;
    return Math.max(1, here / launch.ranksOfProcess());
  }

  /// Bytes that a rank may take.
  long memoryOfRank(RankLaunch launch) {
    if (memoryPerRank != null) {
      return memoryPerRank;
    }
    long here =
        memory == null
            ? SystemMemory.available().orElse(Long.MAX_VALUE) / launch.processesHere()
            : memory;
    return here / launch.ranksOfProcess();
  }
}
