package dev.gossamer.comm.net;

import dev.gossamer.comm.CommunicationException;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The connections of a rank to all others, as they are made: it calls those below it and lets in
/// those above.
///
/// A rank that waits looks once a second whether those that are missing still have a port, which is
/// open until they have all others: one that ends meanwhile is named at once. Whoever else comes to
/// the port is turned away. Each arrival has a thread of its own, so that one that says nothing
/// delays nobody, and the port is closed as soon as all ranks are there.
final class Mesh {
  private static final Logger LOG = LoggerFactory.getLogger(Mesh.class);
  private static final int BACKLOG = 1024;

  /// How long an arrival may take to say who it is.
  private static final int GREETING_MILLIS = 10_000;

  /// The time between two looks at the ports of those that are missing.
  private static final Duration LOOK = Duration.ofSeconds(1);

  private final int rank;
  private final Token token;
  private final boolean encrypted;
  private final @Nullable Wire[] wires;

  /// Who has come to the port and not shown yet who it is.
  private final Set<SocketChannel> unknown = new HashSet<>();

  private boolean complete;

  private Mesh(int rank, int size, Token token, boolean encrypted) {
    this.rank = rank;
    this.token = token;
    this.encrypted = encrypted;
    wires = new Wire[size];
  }

  /// Where a rank is, as a line of [Gathering]. The token of the first rank is that of the run.
  private record Place(String host, int port, Token token, boolean encrypted) {
    private static final String ENCRYPTED = "encrypted";
    private static final String CLEAR = "clear";

    static Place of(String line) {
      String[] words = line.split(" ", -1);
      if (words.length != 4
          || !words[1].matches("\\d{1,5}")
          || !List.of(ENCRYPTED, CLEAR).contains(words[3])) {
        throw new CommunicationException(
            "ranks: expected HOST PORT TOKEN %s|%s of a rank, found '%s'"
                .formatted(ENCRYPTED, CLEAR, line));
      }
      return new Place(
          words[0], Integer.parseInt(words[1]), Token.ofHex(words[2]), words[3].equals(ENCRYPTED));
    }

    String line() {
      return "%s %d %s %s".formatted(host, port, token.hex(), encrypted ? ENCRYPTED : CLEAR);
    }
  }

  /// Connects a rank to all others. Collective.
  ///
  /// @return the connections by rank; null for its own
  /// @throws CommunicationException if not all come
  static @Nullable Wire[] connect(int rank, int size, Gathering gathering, NetOptions options) {
    try (ServerSocketChannel port = ServerSocketChannel.open()) {
      port.bind(address(options.host(), 0), BACKLOG);
      int number = ((InetSocketAddress) port.getLocalAddress()).getPort();
      Place own = new Place(options.host(), number, Token.drawn(), options.encrypted());
      List<Place> places = gather(gathering, size, own.line());
      requireAgreed(places);
      return new Mesh(rank, size, places.getFirst().token(), options.encrypted())
          .assemble(port, places, options.assembly());
    } catch (IOException e) {
      throw new CommunicationException(
          "rank %d of %d has no port at %s: %s".formatted(rank, size, options.host(), e), e);
    }
  }

  /// Finds a host before a channel is given its address: of an unknown one it throws an exception
  /// that is no [IOException].
  private static InetSocketAddress address(String host, int port) throws UnknownHostException {
    return new InetSocketAddress(InetAddress.getByName(host), port);
  }

  private static List<Place> gather(Gathering gathering, int size, String own) {
    List<String> lines;
    try {
      lines = gathering.allGather(own);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new CommunicationException("ranks: their addresses cannot be gathered: " + e, e);
    }
    if (lines.size() != size) {
      throw new CommunicationException(
          "ranks: expected the addresses of %d ranks, found %d".formatted(size, lines.size()));
    }
    return lines.stream().map(Place::of).toList();
  }

  /// All ranks encrypt what they say or none does; found out before any of them is called.
  private static void requireAgreed(List<Place> places) {
    boolean encrypted = places.getFirst().encrypted();
    for (int other = 1; other < places.size(); other++) {
      if (places.get(other).encrypted() != encrypted) {
        throw new CommunicationException(
            "ranks disagree: rank %d encrypts its connections but rank %d does not; give all ranks the same NetOptions"
                .formatted(encrypted ? 0 : other, encrypted ? other : 0));
      }
    }
  }

  private @Nullable Wire[] assemble(
      ServerSocketChannel port, List<Place> places, Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    Thread.ofVirtual().name("rank-%d-port".formatted(rank)).start(() -> admitAll(port));
    try {
      for (int peer = 0; peer < rank; peer++) {
        put(peer, call(peer, places.get(peer), patience));
      }
      awaitAll(places, deadline, patience);
      return wires;
    } catch (Throwable e) {
      closeAll();
      throw e;
    } finally {
      turnAway();
    }
  }

  private synchronized void closeAll() {
    for (Wire wire : wires) {
      if (wire != null) {
        close(wire.channel());
      }
    }
  }

  /// Whoever has not shown by now who it is does not belong here.
  private synchronized void turnAway() {
    complete = true;
    unknown.forEach(Mesh::close);
  }

  private synchronized boolean arrives(SocketChannel arrival) {
    return !complete && unknown.add(arrival);
  }

  private synchronized void forget(SocketChannel arrival) {
    unknown.remove(arrival);
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("closing {}", channel, e);
    }
  }

  private synchronized void put(int peer, Wire wire) {
    wires[peer] = wire;
    notifyAll();
  }

  private void awaitAll(List<Place> places, long deadline, Duration patience) {
    while (true) {
      List<Integer> missing = await(Math.min(deadline, System.nanoTime() + LOOK.toNanos()));
      if (missing.isEmpty()) {
        return;
      }
      if (deadline - System.nanoTime() <= 0) {
        throw new CommunicationException(
            "rank %d waited %d s for %s to connect"
                .formatted(
                    rank,
                    patience.toSeconds(),
                    missing.stream()
                        .map(peer -> "rank " + peer)
                        .collect(Collectors.joining(", "))));
      }
      for (int peer : missing) {
        requirePort(peer, places.get(peer));
      }
    }
  }

  /// Waits until all are connected.
  ///
  /// @param until the time by which it returns
  /// @return the ranks that are missing
  private synchronized List<Integer> await(long until) {
    List<Integer> missing = missing();
    try {
      while (!missing.isEmpty() && until - System.nanoTime() > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, until - System.nanoTime());
        missing = missing();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommunicationException("interrupted while rank %d connects".formatted(rank), e);
    }
    return missing;
  }

  private List<Integer> missing() {
    return IntStream.range(0, wires.length)
        .filter(peer -> peer != rank && wires[peer] == null)
        .boxed()
        .toList();
  }

  /// Refuses to wait for a rank whose port is closed. One that has all others closes it, too; such
  /// a rank has come here before.
  private void requirePort(int peer, Place place) {
    try (SocketChannel channel = SocketChannel.open()) {
      channel.socket().connect(address(place.host(), place.port()), (int) LOOK.toMillis());
      greet(peer, channel.socket().getOutputStream());
    } catch (ConnectException e) {
      if (isAway(peer)) {
        throw new CommunicationException(
            "rank %d waits for rank %d, which has ended: nobody answers at %s:%d"
                .formatted(rank, peer, place.host(), place.port()),
            e);
      }
    } catch (IOException e) {
      LOG.debug("rank {} looks for rank {}", rank, peer, e);
    }
  }

  /// Whether a rank is neither connected nor introducing itself.
  private synchronized boolean isAway(int peer) {
    return wires[peer] == null && unknown.isEmpty();
  }

  /// Connects to a rank below, whose port is open: it has told its address.
  private Wire call(int peer, Place place, Duration patience) {
    int millis = Math.clamp(patience.toMillis(), 1, Integer.MAX_VALUE);
    try {
      SocketChannel channel = SocketChannel.open();
      try {
        channel.socket().connect(address(place.host(), place.port()), millis);
        channel.socket().setTcpNoDelay(true);
        channel.socket().setSoTimeout(millis);
        Wire wire = introduced(peer, channel);
        channel.socket().setSoTimeout(0);
        return wire;
      } catch (Throwable e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw new CommunicationException(
          "rank %d cannot reach rank %d at %s:%d: %s"
              .formatted(rank, peer, place.host(), place.port(), said(e)),
          e);
    }
  }

  private Wire introduced(int peer, SocketChannel channel) throws IOException {
    OutputStream out = channel.socket().getOutputStream();
    DataInputStream in = new DataInputStream(channel.socket().getInputStream());
    Admission admission = greet(peer, out);
    Greeting answer = Greeting.read(in);
    if (answer.version() != Greeting.VERSION) {
      throw new IOException(
          "it speaks version %d of the protocol, this rank version %d; run the same Gossamer everywhere"
              .formatted(answer.version(), Greeting.VERSION));
    }
    if (!answer.equals(greeting(peer).answer()) || !admission.hear(in)) {
      throw new IOException("another process answers at that port");
    }
    out.write(admission.say());
    return admission.wire(channel);
  }

  /// Says who this rank is, and that it belongs here.
  private Admission greet(int peer, OutputStream out) throws IOException {
    Greeting greeting = greeting(peer);
    Admission admission = Admission.of(true, greeting, token);
    out.write(greeting.bytes());
    out.write(admission.say());
    return admission;
  }

  private Greeting greeting(int peer) {
    return new Greeting(Greeting.VERSION, encrypted, rank, peer, wires.length);
  }

  private static String said(IOException e) {
    return e instanceof EOFException || e.getMessage() == null
        ? "the other side said nothing"
        : e.getMessage();
  }

  private void admitAll(ServerSocketChannel port) {
    try {
      while (true) {
        SocketChannel arrival = port.accept();
        if (!arrives(arrival)) {
          close(arrival);
          return;
        }
        Thread.ofVirtual().name("rank-%d-arrival".formatted(rank)).start(() -> admit(arrival));
      }
    } catch (ClosedChannelException e) {
      LOG.trace("all are there", e);
    } catch (IOException e) {
      LOG.warn("rank {}: its port fails: {}", rank, e.toString());
    }
  }

  private void admit(SocketChannel arrival) {
    String from = "somebody";
    try {
      from = String.valueOf(arrival.getRemoteAddress());
      arrival.socket().setTcpNoDelay(true);
      arrival.socket().setSoTimeout(GREETING_MILLIS);
      String refusal = admitted(arrival);
      if (refusal.isEmpty()) {
        return;
      }
      LOG.warn("rank {} refuses a connection from {}: {}", rank, from, refusal);
    } catch (IOException e) {
      LOG.warn("rank {} refuses a connection from {}: {}", rank, from, said(e));
    }
    forget(arrival);
    close(arrival);
  }

  /// Lets a rank in.
  ///
  /// @return why not; empty if it is in, or has come to look only
  private String admitted(SocketChannel arrival) throws IOException {
    OutputStream out = arrival.socket().getOutputStream();
    DataInputStream in = new DataInputStream(arrival.socket().getInputStream());
    Greeting greeting = Greeting.read(in);
    if (greeting.encrypted() != encrypted) {
      return encrypted ? "it does not encrypt" : "it encrypts, this run does not";
    }
    Admission admission = Admission.of(false, greeting, token);
    if (!admission.hear(in)) {
      return "it does not know the token of this run";
    }
    if (isLook(greeting)) {
      forget(arrival);
      close(arrival);
      return "";
    }
    if (greeting.version() != Greeting.VERSION) {
      out.write(greeting.answer().bytes());
      return "it speaks version %d of the protocol, this rank version %d"
          .formatted(greeting.version(), Greeting.VERSION);
    }
    String refusal = refusal(greeting);
    if (!refusal.isEmpty()) {
      return refusal;
    }
    out.write(greeting.answer().bytes());
    out.write(admission.say());
    if (!admission.hear(in)) {
      return "it repeats what another has said";
    }
    arrival.socket().setSoTimeout(0);
    return letIn(arrival, greeting, admission.wire(arrival));
  }

  /// Whether a rank below, which this one has called or is about to call, has only come to see
  /// whether it is still there.
  private boolean isLook(Greeting greeting) {
    return isForHere(greeting) && greeting.from() >= 0 && greeting.from() < rank;
  }

  private boolean isForHere(Greeting greeting) {
    return greeting.to() == rank && greeting.size() == wires.length;
  }

  private synchronized String letIn(SocketChannel arrival, Greeting greeting, Wire wire) {
    String refusal = refusal(greeting); // another may have come meanwhile
    if (refusal.isEmpty()) {
      forget(arrival);
      put(greeting.from(), wire);
    }
    return refusal;
  }

  /// Why one that knows the token is not let in; empty if it is.
  private synchronized String refusal(Greeting greeting) {
    int peer = greeting.from();
    if (!isForHere(greeting)) {
      return "it looks for rank %d of %d, this is rank %d of %d"
          .formatted(greeting.to(), greeting.size(), rank, wires.length);
    }
    boolean expected = peer > rank && peer < wires.length && wires[peer] == null;
    return expected ? "" : "rank %d is not expected".formatted(peer);
  }
}
