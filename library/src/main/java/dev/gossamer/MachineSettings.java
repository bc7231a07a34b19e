package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.planner.Cluster;
import dev.gossamer.run.RankLaunch;
import dev.gossamer.run.memory.SystemCores;
import dev.gossamer.run.memory.SystemMemory;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// What a run may use of the machine. Results do not depend on it.
///
/// @param threads of the process, which its ranks share; empty for one a core
/// @param memory bytes that the process may take; empty for what is available
/// @param matmul how dense matrices are multiplied
public record MachineSettings(OptionalInt threads, OptionalLong memory, Matmul matmul) {
  /// All cores, what memory is available, products in Java.
  public static final MachineSettings DEFAULT =
      new MachineSettings(OptionalInt.empty(), OptionalLong.empty(), Matmul.java());

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if there is no thread, more than 4096, or less than no memory
  public MachineSettings {
    threads.ifPresent(SystemCores::requireThreads);
    memory.ifPresent(bytes -> InvalidSettingException.requireAtLeast("memory", bytes, 0));
  }

  /// The same with another number of threads.
  ///
  /// @param count at least 1
  /// @return the changed copy
  public MachineSettings withThreads(int count) {
    return new MachineSettings(OptionalInt.of(count), memory, matmul);
  }

  /// The same with another limit of memory.
  ///
  /// @param bytes of the process
  /// @return the changed copy
  public MachineSettings withMemory(long bytes) {
    return new MachineSettings(threads, OptionalLong.of(bytes), matmul);
  }

  /// The same with another way to multiply.
  ///
  /// @param other how dense matrices are multiplied
  /// @return the changed copy
  public MachineSettings withMatmul(Matmul other) {
    return new MachineSettings(threads, memory, other);
  }

  /// {@return the same with dense products by oneDNN}
  ///
  /// @param library file or name of the library, such as `libdnnl.so.2`
  /// @throws InvalidSettingException if it is not there
  public MachineSettings withOneDnn(String library) {
    return withMatmul(Matmul.named(Matmul.ONE_DNN + ":" + library));
  }

  /// The node that a run is on: this machine, as far as it may be used.
  ///
  /// @param measured what its cores and links do
  /// @param launch of the ranks, all of them here
  Cluster node(Cluster measured, RankLaunch launch) {
    int here = launch.processesHere();
    double memory = (double) Math.max(1, limit(here)) * here;
    return measured.node(launch.ranks(), threads(here) * here, (long) memory);
  }

  /// Threads of this process.
  ///
  /// @param processes of the run on this machine, which share its cores
  int threads(int processes) {
    return threads.orElseGet(() -> SystemCores.share(processes));
  }

  /// {@return bytes that this process may take: the limit, or its share of the available memory}
  ///
  /// @param processes of the run on this machine, which share what is available
  public long limit(int processes) {
    return memory.orElseGet(() -> SystemMemory.available().orElse(Long.MAX_VALUE) / processes);
  }
}
