package dev.gossamer.comm.threads;

import dev.gossamer.comm.Link;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// How ranks that are threads behave.
///
/// @param timeout longest time that a rank may wait in one operation before it fails
/// @param link the network to simulate; null for none: data arrive as soon as both ranks have
///   arrived
public record ThreadOptions(Duration timeout, @Nullable Link link) {
  /// No link, and half an hour of patience.
  public static final ThreadOptions DEFAULT = new ThreadOptions(Duration.ofMinutes(30), null);

  /// Checks the timeout.
  public ThreadOptions {
    requireBounded(timeout);
  }

  /// Requires a timeout that is neither nothing nor endless.
  ///
  /// @param timeout more than nothing and at most a year
  /// @throws IllegalArgumentException otherwise
  public static void requireBounded(Duration timeout) {
    if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(Duration.ofDays(365)) > 0) {
      throw new IllegalArgumentException(
          "timeout: expected more than nothing and at most a year, found " + timeout);
    }
  }

  /// {@return the same with another timeout}
  ///
  /// @param newTimeout longest wait in one operation
  public ThreadOptions withTimeout(Duration newTimeout) {
    return new ThreadOptions(newTimeout, link);
  }

  /// {@return the same with another link}
  ///
  /// @param newLink to imitate; null for none
  public ThreadOptions withLink(@Nullable Link newLink) {
    return new ThreadOptions(timeout, newLink);
  }
}
