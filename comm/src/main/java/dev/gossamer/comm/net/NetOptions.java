package dev.gossamer.comm.net;

import dev.gossamer.comm.threads.ThreadOptions;
import java.time.Duration;

/// Options for ranks that are connected by sockets.
///
/// @param host name or address of this process at which the others reach it
/// @param timeout maximum time that a rank waits in one operation before the run ends
/// @param patience maximum time without a sign of life of another rank before it counts as lost; a
///   process that ends is noticed at once, so this is for hosts and networks that vanish
/// @param assembly maximum time until all ranks are connected
public record NetOptions(String host, Duration timeout, Duration patience, Duration assembly) {
  /// This machine only, the timeout of [ThreadOptions#DEFAULT], 20 seconds of patience, and two
  /// minutes until all are connected.
  public static final NetOptions DEFAULT =
      new NetOptions(
          "127.0.0.1",
          ThreadOptions.DEFAULT.timeout(),
          Duration.ofSeconds(20),
          Duration.ofMinutes(2));

  /// Checks the times.
  public NetOptions {
    ThreadOptions.requireBounded(timeout);
    ThreadOptions.requireBounded(patience);
    ThreadOptions.requireBounded(assembly);
  }

  /// {@return a copy with another address of this process}
  ///
  /// @param newHost name or address at which the others reach it
  public NetOptions withHost(String newHost) {
    return new NetOptions(newHost, timeout, patience, assembly);
  }

  /// {@return a copy with another timeout}
  ///
  /// @param newTimeout maximum wait in one operation
  public NetOptions withTimeout(Duration newTimeout) {
    return new NetOptions(host, newTimeout, patience, assembly);
  }

  /// {@return a copy with other patience}
  ///
  /// @param newPatience maximum time without a sign of life
  public NetOptions withPatience(Duration newPatience) {
    return new NetOptions(host, timeout, newPatience, assembly);
  }

  /// {@return a copy with another time to connect}
  ///
  /// @param newAssembly maximum time until all ranks are connected
  public NetOptions withAssembly(Duration newAssembly) {
    return new NetOptions(host, timeout, patience, newAssembly);
  }
}
