package dev.gossamer.pruned;

import dev.gossamer.matrix.io.InvalidSettingException;
import dev.gossamer.pruned.corpus.CorpusMemory;
import dev.gossamer.run.RankLaunch;
import dev.gossamer.run.memory.MemoryEstimate;
import dev.gossamer.run.memory.SystemCores;
import dev.gossamer.run.memory.SystemMemory;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// What a run may use of the machine. Results do not depend on it.
///
/// @param threads of this process; null for one for each core
/// @param memory bytes of this process; null for what is available
/// @param memoryPerRank bytes of one rank, its share of [#taken] included; null for an even share
///   of the process' memory
/// @param taken bytes that the process takes besides its ranks: the virtual machine and the data;
///   null for what is usual with these data
public record MachineSettings(
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

  /// All cores, and the memory that is available.
  public static final MachineSettings DEFAULT = new MachineSettings(null, null, null, null);

  /// Checks the settings.
  ///
  /// @throws InvalidSettingException if there is no thread, more than 4096, or less than no memory
  public MachineSettings {
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

  /// {@return the same with another number of threads}
  ///
  /// @param newThreads null for one for each core
  public MachineSettings withThreads(@Nullable Integer newThreads) {
    return new MachineSettings(newThreads, memory, memoryPerRank, taken);
  }

  /// {@return the same with another limit of this process' memory}
  ///
  /// @param newMemory bytes; null for what is available
  public MachineSettings withMemory(@Nullable Long newMemory) {
    return new MachineSettings(threads, newMemory, memoryPerRank, taken);
  }

  /// {@return the same with another limit of a rank's memory}
  ///
  /// @param newMemory bytes; null for what is available
  public MachineSettings withMemoryPerRank(@Nullable Long newMemory) {
    return new MachineSettings(threads, memory, newMemory, taken);
  }

  /// {@return the same with another number of bytes that are taken besides ranks}
  ///
  /// @param newTaken bytes; null for what is usual
  public MachineSettings withTaken(@Nullable Long newTaken) {
    return new MachineSettings(threads, memory, memoryPerRank, newTaken);
  }

  /// A rank's share of what the process takes besides its ranks: the same whenever it is asked.
  ///
  /// @param corpus what the data take
  /// @param ranks of the process
  CorpusMemory takenOfRank(CorpusMemory corpus, int ranks) {
    if (taken != null) {
      return CorpusMemory.NONE.plus(taken).share(ranks);
    }
    long runtime = MemoryEstimate.RUNTIME_BYTES + (ranks - 1) * FURTHER_RANK;
    return new CorpusMemory(corpus.held() + runtime, corpus.opening() + NOT_TRAINING).share(ranks);
  }

  /// {@return threads of a rank}
  ///
  /// @param launch where the ranks are
  public int threadsOfRank(RankLaunch launch) {
    int here = threads == null ? SystemCores.share(launch.processesHere()) : threads;
    return Math.max(1, here / launch.ranksOfProcess());
  }

  /// {@return bytes that a rank may take}
  ///
  /// @param launch where the ranks are
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
