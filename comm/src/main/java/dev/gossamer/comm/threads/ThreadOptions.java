package dev.gossamer.comm.threads;

import dev.gossamer.comm.Link;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// Options for ranks that are threads.
///
/// @param timeout maximum time that a rank waits in one operation before it fails
/// @param link the network to simulate; null for none, so that data arrive as soon as both ranks
///   have arrived
public record ThreadOptions(Duration timeout, @Nullable Link link) {
  /// No link, and a timeout of half an hour.
  public static final ThreadOptions DEFAULT = new ThreadOptions(Duration.ofMinutes(30), null);

  /// Checks the timeout.
  public ThreadOptions {
    requireBounded(timeout);
  }

  /// Checks that a timeout is in its range.
  ///
  /// @param timeout more than 0 and at most a year
  /// @throws IllegalArgumentException otherwise
  public static void requireBounded(Duration timeout) {
    if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(Duration.ofDays(365)) > 0) {
      throw new IllegalArgumentException(
          "timeout: expected more than 0 and at most a year, found " + timeout);
    }
  }

  /// {@return a copy with another timeout}
  ///
  /// @param newTimeout maximum wait in one operation
  public ThreadOptions withTimeout(Duration newTimeout) {
    return new ThreadOptions(newTimeout, link);
  }

  /// {@return a copy with another link}
  ///
  /// @param newLink to simulate; null for none
  public ThreadOptions withLink(@Nullable Link newLink) {
    return new ThreadOptions(timeout, newLink);
  }
}
