package dev.gossamer.comm.net;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Somebody on the line between rank 1 and rank 0 of two: records all, and may change what rank 1
/// says.
final class Tap implements AutoCloseable {
  /// Bytes of the greeting, of the words after it, and of the third words, encrypted.
  private static final int[] ADMISSION = {28, NoiseHandshake.OVERHEAD, NoiseCipher.TAG};

  /// Passes on what rank 1 says, or something else.
  @FunctionalInterface
  interface Interference {
    /// @param number of the piece: greeting, first words, third words, then records
    void pass(int number, byte[] piece, OutputStream out) throws IOException;
  }

  /// Changes records from the first.
  static Interference ofRecords(Interference interference) {
    return (number, piece, out) -> {
      if (number < ADMISSION.length) {
        out.write(piece);
      } else {
        interference.pass(number - ADMISSION.length, piece, out);
      }
    };
  }

  private static final Interference NONE = (_, piece, out) -> out.write(piece);

  private final Interference interference;
  private final boolean inPieces;
  private final ServerSocket port;
  private final ByteArrayOutputStream recorded = new ByteArrayOutputStream();
  private final List<Socket> sockets = new ArrayList<>();

  /// Of ranks that encrypt.
  Tap(Interference interference) throws IOException {
    this(interference, true);
  }

  private Tap(Interference interference, boolean inPieces) throws IOException {
    this.interference = interference;
    this.inPieces = inPieces;
    port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  /// Of ranks that do not encrypt; changes nothing.
  static Tap ofClear() throws IOException {
    return new Tap(NONE, false);
  }

  /// How rank 1 learns where rank 0 is: here.
  Gathering before(Gathering gathering) {
    return line -> {
      List<String> lines = new ArrayList<>(gathering.allGather(line));
      String[] words = lines.getFirst().split(" ", -1);
      int real = Integer.parseInt(words[1]);
      words[1] = Integer.toString(port.getLocalPort());
      lines.set(0, String.join(" ", words));
      Thread.ofVirtual().start(() -> connect(real));
      return lines;
    };
  }

  private void connect(int real) {
    try {
      Socket from = kept(port.accept());
      Socket to = kept(new Socket(InetAddress.getLoopbackAddress(), real));
      Thread.ofVirtual().start(() -> pump(to, from, NONE, false));
      pump(from, to, interference, inPieces);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private synchronized Socket kept(Socket socket) {
    sockets.add(socket);
    return socket;
  }

  /// Until one side ends; then both have.
  private void pump(Socket from, Socket to, Interference way, boolean pieces) {
    try (from;
        to) {
      DataInputStream in = new DataInputStream(from.getInputStream());
      for (int number = 0; true; number++) {
        byte[] piece = pieces ? piece(in, number) : some(in);
        record(piece);
        way.pass(number, piece, to.getOutputStream());
      }
    } catch (IOException e) {
      // It is over.
    }
  }

  private static byte[] some(InputStream in) throws IOException {
    int first = in.read();
    if (first < 0) {
      throw new EOFException();
    }
    byte[] rest = in.readNBytes(in.available());
    byte[] all = new byte[1 + rest.length];
    all[0] = (byte) first;
    System.arraycopy(rest, 0, all, 1, rest.length);
    return all;
  }

  private static byte[] piece(DataInputStream in, int number) throws IOException {
    if (number < ADMISSION.length) {
      byte[] words = new byte[ADMISSION[number]];
      in.readFully(words);
      return words;
    }
    int length = in.readUnsignedShort();
    byte[] record = new byte[Short.BYTES + length];
    record[0] = (byte) (length >> Byte.SIZE);
    record[1] = (byte) length;
    in.readFully(record, Short.BYTES, length);
    return record;
  }

  private synchronized void record(byte[] bytes) {
    recorded.writeBytes(bytes);
  }

  /// All that was said, in both directions, a character for each byte.
  synchronized String recorded() {
    return recorded.toString(StandardCharsets.ISO_8859_1);
  }

  @Override
  public synchronized void close() throws IOException {
    port.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
