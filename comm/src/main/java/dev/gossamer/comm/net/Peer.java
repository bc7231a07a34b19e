package dev.gossamer.comm.net;

/// The way to one rank.
interface Peer {
  /// Begins to send a message to it.
  void send(Transfer message);

  /// Begins to receive a message from it.
  void receive(Transfer message);
}
