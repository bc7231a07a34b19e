package dev.gossamer.pruned;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.pruned.corpus.CorpusMemory;
import dev.gossamer.run.RankLaunch;
import dev.gossamer.run.memory.MemoryEstimate;
import dev.gossamer.run.memory.SystemCores;
import dev.gossamer.run.memory.SystemMemory;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Limits on the resources of the machine. Results do not depend on them.
///
/// @param threads of this process; null for one per core
/// @param memory bytes of this process; null for the available memory
/// @param memoryPerRank bytes of one rank, including its share of [#taken]; null for an even share
///   of the memory of the process
/// @param taken bytes that the process needs in addition to its ranks: the virtual machine and the
///   data; null for the usual amount for these data
public record PrunedMachineSettings(
    @Nullable Integer threads,
    @Nullable Long memory,
    @Nullable Long memoryPerRank,
    @Nullable Long taken) {
  /// The virtual machine before anything is trained: less of the program is compiled. Measured: 160
  /// to 185 MiB.
  private static final long NOT_TRAINING = 224L << 20;

  /// By which the virtual machine grows with each further rank: memory that its threads' allocators
  /// keep, and messages. Measured: 5 MiB.
  private static final long FURTHER_RANK = 8L << 20;

  /// All cores and the available memory.
  public static final PrunedMachineSettings DEFAULT =
      new PrunedMachineSettings(null, null, null, null);

  /// Checks the settings.
  ///
  /// @throws InvalidSettingException if the number of threads is not in 1 to 4096, or memory is
  ///   negative
  public PrunedMachineSettings {
    if (threads != null) {
      SystemCores.requireThreads(threads);
    }
    if (memory != null) {
      InvalidSettingException.requireAtLeast("memory", memory, 0);
    }
    if (memoryPerRank != null) {
      InvalidSettingException.requireAtLeast("memoryPerRank", memoryPerRank, 0);
    }
  }

  /// {@return a copy with another number of threads}
  ///
  /// @param newThreads null for one per core
  public PrunedMachineSettings withThreads(@Nullable Integer newThreads) {
    return new PrunedMachineSettings(newThreads, memory, memoryPerRank, taken);
  }

  /// {@return a copy with another memory limit of this process}
  ///
  /// @param newMemory bytes; null for the default
  public PrunedMachineSettings withMemory(@Nullable Long newMemory) {
    return new PrunedMachineSettings(threads, newMemory, memoryPerRank, taken);
  }

  /// {@return a copy with another memory limit of a rank}
  ///
  /// @param newMemory bytes; null for the default
  public PrunedMachineSettings withMemoryPerRank(@Nullable Long newMemory) {
    return new PrunedMachineSettings(threads, memory, newMemory, taken);
  }

  /// {@return a copy with another memory overhead of the process}
  ///
  /// @param newTaken bytes; null for the usual amount
  public PrunedMachineSettings withTaken(@Nullable Long newTaken) {
    return new PrunedMachineSettings(threads, memory, memoryPerRank, newTaken);
  }

  /// Returns a rank's share of the memory that the process needs besides its ranks; always the
  /// same.
  ///
  /// @param corpus memory of the data
  /// @param ranks of the process
  CorpusMemory takenOfRank(CorpusMemory corpus, int ranks) {
    if (taken != null) {
      return CorpusMemory.NONE.plus(taken).share(ranks);
    }
    long runtime = MemoryEstimate.RUNTIME_BYTES + (ranks - 1) * FURTHER_RANK;
    return new CorpusMemory(corpus.held() + runtime, corpus.opening() + NOT_TRAINING).share(ranks);
  }

  /// {@return the number of threads of a rank}
  ///
  /// @param launch how the ranks are launched
  public int threadsOfRank(RankLaunch launch) {
    int here = threads == null ? SystemCores.share(launch.processesHere()) : threads;
    return Math.max(1, here / launch.ranksOfProcess());
  }

  /// {@return the maximum bytes of a rank}
  ///
  /// @param launch how the ranks are launched
  public long memoryOfRank(RankLaunch launch) {
    if (memoryPerRank != null) {
      return memoryPerRank;
    }
    long here = memory == null ? availableHere(launch) : memory;
    return here / launch.ranksOfProcess();
  }

  /// What is free now, and what this process has already.
  private static long availableHere(RankLaunch launch) {
    OptionalLong free = SystemMemory.available();
    return free.isEmpty()
        ? Long.MAX_VALUE
        : free.getAsLong() / launch.processesHere() + SystemMemory.peakResident();
  }
}
