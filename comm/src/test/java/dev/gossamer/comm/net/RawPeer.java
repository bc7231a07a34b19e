package dev.gossamer.comm.net;

import dev.gossamer.comm.Operation;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;

/// The last rank of a run as bytes on sockets: says what a rank would not.
final class RawPeer implements AutoCloseable {
  /// A line for [Gathering] of a rank that nobody calls.
  static final String LINE = "127.0.0.1 9 " + "00".repeat(Token.BYTES) + " clear";

  private final Socket socket;

  /// Comes to the port of a rank.
  ///
  /// @param line that this rank has told
  RawPeer(String line) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(line.split(" ", -1)[1]));
  }

  /// The token in a line.
  static Token token(String line) {
    return Token.ofHex(line.split(" ", -1)[2]);
  }

  RawPeer say(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  RawPeer say(Greeting greeting, Token token) throws IOException {
    return say(greeting.bytes()).say(token.bytes());
  }

  RawPeer say(Frame frame) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Frame.BYTES);
    frame.put(bytes);
    return say(bytes.array());
  }

  /// As rank 1 of 2, let in by rank 0.
  static RawPeer admitted(String line) throws IOException {
    Greeting greeting = new Greeting(Greeting.VERSION, false, 1, 0, 2);
    RawPeer peer = new RawPeer(line).say(greeting, token(line));
    peer.greeting();
    Token.read(peer.in());
    return peer;
  }

  Greeting greeting() throws IOException {
    return Greeting.read(in());
  }

  DataInputStream in() throws IOException {
    return new DataInputStream(socket.getInputStream());
  }

  /// Reads until the other side closes the connection.
  ///
  /// @return how many bytes it has said
  int listen() throws IOException {
    int count = 0;
    while (true) {
      try {
        if (socket.getInputStream().read() < 0) {
          return count;
        }
      } catch (SocketException e) {
        return count; // closed with something unread
      }
      count++;
    }
  }

  static Frame ready(int tag, long bytes) {
    return new Frame(Frame.Kind.READY, new Frame.Key(0, tag), Operation.SEND, bytes);
  }

  static Frame message(int tag, long bytes) {
    return new Frame(Frame.Kind.MESSAGE, new Frame.Key(0, tag), Operation.SEND, bytes);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
