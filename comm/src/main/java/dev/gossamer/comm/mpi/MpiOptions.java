package dev.gossamer.comm.mpi;

import dev.gossamer.comm.threads.ThreadOptions;
import java.time.Duration;

/// Options for MPI.
///
/// @param library file or name of the MPI library, such as `/opt/mpi/lib/libmpi.so`; empty for the
///   launcher's, on the system's library path
/// @param messageLimitBytes longer messages are sent in parts of this size, a multiple of 8
/// @param oneThreadAtATime whether only one thread at a time calls the library, even if it allows
///   more
/// @param timeout maximum time that a rank waits in one operation before the run ends
public record MpiOptions(
    String library, long messageLimitBytes, boolean oneThreadAtATime, Duration timeout) {
  /// The launcher's library, messages of at most 1 GiB, as many threads as the library allows, and
  /// the timeout of [ThreadOptions#DEFAULT].
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

  /// {@return a copy with another library}
  ///
  /// @param newLibrary file or name; empty for the launcher's
  public MpiOptions withLibrary(String newLibrary) {
    return new MpiOptions(newLibrary, messageLimitBytes, oneThreadAtATime, timeout);
  }

  /// {@return a copy with another message limit}
  ///
  /// @param newLimit bytes, a multiple of 8
  public MpiOptions withMessageLimitBytes(long newLimit) {
    return new MpiOptions(library, newLimit, oneThreadAtATime, timeout);
  }

  /// {@return a copy in which only one thread at a time calls the library, or not}
  ///
  /// @param newValue whether only one thread at a time calls the library
  public MpiOptions withOneThreadAtATime(boolean newValue) {
    return new MpiOptions(library, messageLimitBytes, newValue, timeout);
  }

  /// {@return a copy with another timeout}
  ///
  /// @param newTimeout maximum wait in one operation
  public MpiOptions withTimeout(Duration newTimeout) {
    return new MpiOptions(library, messageLimitBytes, oneThreadAtATime, newTimeout);
  }
}
