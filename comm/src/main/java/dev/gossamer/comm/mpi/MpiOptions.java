package dev.gossamer.comm.mpi;

import dev.gossamer.comm.threads.ThreadOptions;
import java.time.Duration;

/// How to use MPI.
///
/// @param library file or name of the MPI library, such as `/opt/mpi/lib/libmpi.so`; empty to take
///   the one that belongs to the launcher from where the system looks for libraries
/// @param messageLimitBytes longer messages are sent in parts of this size, a multiple of 8
/// @param oneThreadAtATime whether to enter the library with one thread at a time, even if it
///   allows more
/// @param timeout longest time that a rank may wait in one operation before the run ends
public record MpiOptions(
    String library, long messageLimitBytes, boolean oneThreadAtATime, Duration timeout) {
  /// The launcher's library, messages of at most 1 GiB, as many threads as the library allows, and
  /// as much patience as [ThreadOptions#DEFAULT].
  public static final MpiOptions DEFAULT =
      new MpiOptions("", 1L << 30, false, ThreadOptions.DEFAULT.timeout());

  /// Checks the limit and the timeout.
  public MpiOptions {
    if (messageLimitBytes < 8 || messageLimitBytes > 1L << 30 || messageLimitBytes % 8 != 0) {
      throw new IllegalArgumentException(
          "message limit: expected a multiple of 8 in 8..2^30 bytes, found " + messageLimitBytes);
    }
    ThreadOptions.requireBounded(timeout);
  }

  /// {@return the same with another library}
  ///
  /// @param newLibrary file or name; empty for the launcher's
  public MpiOptions withLibrary(String newLibrary) {
    return new MpiOptions(newLibrary, messageLimitBytes, oneThreadAtATime, timeout);
  }

  /// {@return the same with another limit}
  ///
  /// @param newLimit bytes, a multiple of 8
  public MpiOptions withMessageLimitBytes(long newLimit) {
    return new MpiOptions(library, newLimit, oneThreadAtATime, timeout);
  }

  /// {@return the same with one thread at a time or not}
  ///
  /// @param newValue whether to enter the library with one thread at a time
  public MpiOptions withOneThreadAtATime(boolean newValue) {
    return new MpiOptions(library, messageLimitBytes, newValue, timeout);
  }

  /// {@return the same with another timeout}
  ///
  /// @param newTimeout longest wait in one operation
  public MpiOptions withTimeout(Duration newTimeout) {
    return new MpiOptions(library, messageLimitBytes, oneThreadAtATime, newTimeout);
  }
}
