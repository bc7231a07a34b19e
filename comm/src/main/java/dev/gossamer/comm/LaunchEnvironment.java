package dev.gossamer.comm;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The environment that the launcher of this process has set, so that `mpirun -np 4 program` needs
/// no flag.
///
/// @param launcher the launcher that started this process
/// @param rank number of this process, 0 if started manually
/// @param size number of processes that were started together, 1 if started manually
/// @param here number of these processes on this machine, 1 if unknown
/// @param variable the variable that contains the size, empty if started manually
public record LaunchEnvironment(Launcher launcher, int rank, int size, int here, String variable) {
  /// Launchers of ranks.
  public enum Launcher {
    /// No launcher: a program that was started manually.
    NONE,
    /// Open MPI's `mpirun`.
    OPEN_MPI,
    /// A launcher that uses PMI: MPICH's `mpirun` and compatible ones, or `srun --mpi=pmi2`.
    MPICH,
    /// Slurm's `srun` without a PMI option.
    SLURM
  }

  /// Reads the variables of the known launchers; an inner launcher takes precedence over an outer
  /// one (mpirun inside a Slurm job).
  ///
  /// @param environment such as [System#getenv]
  /// @return the detected launcher, rank and size
  public static LaunchEnvironment detect(Map<String, String> environment) {
    return read(environment, Launcher.OPEN_MPI, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")
        .or(() -> read(environment, Launcher.MPICH, "PMI_RANK", "PMI_SIZE"))
        .or(() -> read(environment, Launcher.SLURM, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"))
        .or(() ->
            // SLURM_NTASKS alone is also there in a batch script, which is one process.
            environment.containsKey("SLURM_STEP_ID")
                ? read(environment, Launcher.SLURM, "SLURM_PROCID", "SLURM_NTASKS")
                : Optional.empty())
        .orElse(new LaunchEnvironment(Launcher.NONE, 0, 1, 1, ""));
  }

  private static Optional<LaunchEnvironment> read(
      Map<String, String> environment, Launcher launcher, String rankName, String sizeName) {
    int rank = number(environment.get(rankName));
    int size = number(environment.get(sizeName));
    return rank >= 0 && size > rank
        ? Optional.of(new LaunchEnvironment(launcher, rank, size, here(environment), sizeName))
        : Optional.empty();
  }

  private static int here(Map<String, String> environment) {
    int openMpi = number(environment.get("OMPI_COMM_WORLD_LOCAL_SIZE"));
    int mpich = number(environment.get("MPI_LOCALNRANKS"));
    return Math.max(1, Math.max(openMpi, mpich));
  }

  private static int number(@Nullable String text) {
    try {
      return text == null ? -1 : Integer.parseInt(text.strip());
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /// {@return whether a launcher started this process as one of several ranks}
  public boolean isParallel() {
    return size > 1;
  }
}
