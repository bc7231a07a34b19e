package dev.gossamer.comm;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// How ranks that are threads behave.
///
/// @param timeout longest time that a rank may wait in one operation before it fails
/// @param link the network to imitate; null for none: data are there as soon as both ranks have
///   come
public record ThreadOptions(Duration timeout, @Nullable Link link) {
  /// No link, and half an hour of patience.
  public static final ThreadOptions DEFAULT = new ThreadOptions(Duration.ofMinutes(30), null);

  public ThreadOptions {
    requireBounded(timeout);
  }

  public static void requireBounded(Duration timeout) {
    if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(Duration.ofDays(365)) > 0) {
      throw new IllegalArgumentException(
          "timeout: expected more than nothing and at most a year, found " + timeout);
    }
  }

  public ThreadOptions withTimeout(Duration newTimeout) {
    return new ThreadOptions(newTimeout, link);
  }

  public ThreadOptions withLink(@Nullable Link newLink) {
    return new ThreadOptions(timeout, newLink);
  }
}
