package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.planner.Cluster;
import dev.gossamer.run.RankLaunch;
import dev.gossamer.run.memory.SystemCores;
import dev.gossamer.run.memory.SystemMemory;
import java.util.OptionalInt;
import java.util.OptionalLong;

/// Threads, memory and matrix products of a run. Results do not depend on the number of threads.
///
/// @param threads of the process, which its ranks share; empty for one per core
/// @param memory maximum bytes of the process; empty for what is available
/// @param matmul how dense matrices are multiplied
public record MachineSettings(OptionalInt threads, OptionalLong memory, Matmul matmul) {
  /// All cores, all available memory, products in Java.
  public static final MachineSettings DEFAULT =
      new MachineSettings(OptionalInt.empty(), OptionalLong.empty(), Matmul.java());

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if the threads are not in 1..4096, or the memory is negative
  public MachineSettings {
    threads.ifPresent(SystemCores::requireThreads);
    memory.ifPresent(bytes -> InvalidSettingException.requireAtLeast("memory", bytes, 0));
  }

  /// Returns a copy with another number of threads.
  ///
  /// @param count at least 1
  /// @return the changed copy
  public MachineSettings withThreads(int count) {
    return new MachineSettings(OptionalInt.of(count), memory, matmul);
  }

  /// Returns a copy with another memory limit.
  ///
  /// @param bytes of the process
  /// @return the changed copy
  public MachineSettings withMemory(long bytes) {
    return new MachineSettings(threads, OptionalLong.of(bytes), matmul);
  }

  /// Returns a copy with other matrix products.
  ///
  /// @param other how dense matrices are multiplied
  /// @return the changed copy
  public MachineSettings withMatmul(Matmul other) {
    return new MachineSettings(threads, memory, other);
  }

  /// {@return a copy with dense products by oneDNN}
  ///
  /// @param library file or name of the library, such as `libdnnl.so.2`
  /// @throws InvalidSettingException if it is not found
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
