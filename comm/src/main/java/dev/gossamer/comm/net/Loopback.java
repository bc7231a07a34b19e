package dev.gossamer.comm.net;

import org.jspecify.annotations.Nullable;

/// The way from a rank to itself: a copy, when both sides have begun.
final class Loopback implements Peer {
  private final Waiting<Transfer> sends = new Waiting<>();
  private final Waiting<Transfer> receives = new Waiting<>();

  @Override
  public void send(Transfer message) {
    Transfer receive = meet(message, receives, sends);
    if (receive != null) {
      copy(message, receive);
    }
  }

  @Override
  public void receive(Transfer message) {
    Transfer send = meet(message, sends, receives);
    if (send != null) {
      copy(send, message);
    }
  }

  /// The oldest other side; without one, the message waits.
  private synchronized @Nullable Transfer meet(
      Transfer message, Waiting<Transfer> others, Waiting<Transfer> own) {
    Transfer other = others.take(message.key());
    if (other == null) {
      own.add(message.key(), message);
    }
    return other;
  }

  private static void copy(Transfer from, Transfer to) {
    int rank = from.peer();
    Transfer.requireAgreed(from.frame(Frame.Kind.MESSAGE), rank, to.frame(Frame.Kind.READY), rank);
    to.segment().copyFrom(from.segment());
    from.done();
    to.done();
  }
}
