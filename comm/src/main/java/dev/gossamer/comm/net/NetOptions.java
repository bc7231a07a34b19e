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
/// @param encrypted whether messages are encrypted, see [#withEncryption]; the same on all ranks
public record NetOptions(
    String host, Duration timeout, Duration patience, Duration assembly, boolean encrypted) {
  /// This machine only, the timeout of [ThreadOptions#DEFAULT], 20 seconds of patience, two minutes
  /// until all are connected, and no encryption.
  public static final NetOptions DEFAULT =
      new NetOptions(
          "127.0.0.1",
          ThreadOptions.DEFAULT.timeout(),
          Duration.ofSeconds(20),
          Duration.ofMinutes(2),
          false);

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
    return new NetOptions(newHost, timeout, patience, assembly, encrypted);
  }

  /// {@return a copy with another timeout}
  ///
  /// @param newTimeout maximum wait in one operation
  public NetOptions withTimeout(Duration newTimeout) {
    return new NetOptions(host, newTimeout, patience, assembly, encrypted);
  }

  /// {@return a copy with other patience}
  ///
  /// @param newPatience maximum time without a sign of life
  public NetOptions withPatience(Duration newPatience) {
    return new NetOptions(host, timeout, newPatience, assembly, encrypted);
  }

  /// {@return a copy with another time to connect}
  ///
  /// @param newAssembly maximum time until all ranks are connected
  public NetOptions withAssembly(Duration newAssembly) {
    return new NetOptions(host, timeout, patience, newAssembly, encrypted);
  }

  /// {@return a copy whose ranks encrypt all that they say to each other}
  ///
  /// Keys follow from the token that [Gathering] distributes and from a key that each side draws
  /// for each connection: the handshake `Noise_NNpsk0_25519_AESGCM_SHA256` of the [Noise Protocol
  /// Framework](https://noiseprotocol.org/noise.html) and records of AES-256-GCM. Who does not know
  /// the token can neither read nor change a message unnoticed, nor repeat, drop or reorder one;
  /// who learns it afterwards cannot read what was recorded. Visible are addresses, ranks, and when
  /// and how many bytes are sent. There are no certificates: what keeps others out is that the
  /// gathering keeps the token secret.
  public NetOptions withEncryption() {
    return new NetOptions(host, timeout, patience, assembly, true);
  }
}
