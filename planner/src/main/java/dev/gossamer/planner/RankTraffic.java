package dev.gossamer.planner;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// Bytes and messages that each rank sends and receives, counted as in [dev.gossamer.comm.Traffic],
/// and the time of their transfer.
///
/// Messages between nodes use the links of their ranks, one out and one in per rank, which work in
/// parallel to cores. Messages inside a node are copied by its cores.
public final class RankTraffic {
  /// Numbers of one direction: messages and bytes inside of nodes and between them, by rank.
  @SuppressWarnings("ArrayRecordComponent")
  private record Counts(long[] inside, long[] insideBytes, long[] between, long[] betweenBytes) {
    Counts(int ranks) {
      this(new long[ranks], new long[ranks], new long[ranks], new long[ranks]);
    }

    void add(int rank, boolean apart, long messages, long bytes) {
      (apart ? between : inside)[rank] += messages;
      (apart ? betweenBytes : insideBytes)[rank] += bytes;
    }

    void add(Counts other, double times) {
      for (int r = 0; r < inside.length; r++) {
        inside[r] += Math.round(other.inside[r] * times);
        insideBytes[r] += Math.round(other.insideBytes[r] * times);
        between[r] += Math.round(other.between[r] * times);
        betweenBytes[r] += Math.round(other.betweenBytes[r] * times);
      }
    }

    List<Long> messages() {
      return IntStream.range(0, inside.length).mapToObj(r -> inside[r] + between[r]).toList();
    }

    List<Long> bytes() {
      return IntStream.range(0, inside.length)
          .mapToObj(r -> insideBytes[r] + betweenBytes[r])
          .toList();
    }
  }

  private final RankLayout layout;
  private final Counts sent;
  private final Counts received;

  /// Creates a count without messages.
  ///
  /// @param layout where ranks are
  public RankTraffic(RankLayout layout) {
    this.layout = layout;
    sent = new Counts(layout.ranks());
    received = new Counts(layout.ranks());
  }

  /// Counts a block of a collective. Empty blocks and blocks from a rank to itself are no messages.
  ///
  /// @param from rank that sends it
  /// @param to rank that receives it
  /// @param bytes of it
  public void block(int from, int to, long bytes) {
    block(from, to, bytes, 1);
  }

  /// Counts a block that is sent in parts.
  ///
  /// @param from rank that sends it
  /// @param to rank that receives it
  /// @param bytes of all parts
  /// @param messages that it takes
  public void block(int from, int to, long bytes, long messages) {
    if (from != to && bytes > 0) {
      boolean apart = layout.imitated() != null || layout.apart(from, to);
      sent.add(from, apart, messages, bytes);
      received.add(to, apart, messages, bytes);
    }
  }

  /// Counts an all-reduce of some ranks: each sends slice `j` and its own reduced slice to every
  /// other rank `j`.
  ///
  /// @param ranks that take part
  /// @param elements that are reduced
  /// @param elementBytes of each
  public void allReduce(int[] ranks, long elements, int elementBytes) {
    int size = ranks.length;
    for (int i = 0; i < size; i++) {
      for (int j = 0; j < size; j++) {
        if (i != j) {
          block(ranks[i], ranks[j], slice(elements, size, j) * elementBytes);
          block(ranks[i], ranks[j], slice(elements, size, i) * elementBytes);
        }
      }
    }
  }

  private static long slice(long elements, int slices, int j) {
    return elements / slices + (j < elements % slices ? 1 : 0);
  }

  /// Adds other traffic.
  ///
  /// @param other to add
  /// @param times how often; rounded to whole messages and bytes
  public void add(RankTraffic other, double times) {
    sent.add(other.sent, times);
    received.add(other.received, times);
  }

  /// {@return bytes that each rank sends}
  public List<Long> bytesSent() {
    return sent.bytes();
  }

  /// {@return bytes that each rank receives}
  public List<Long> bytesReceived() {
    return received.bytes();
  }

  /// {@return messages that each rank sends}
  public List<Long> messagesSent() {
    return sent.messages();
  }

  /// {@return messages that each rank receives}
  public List<Long> messagesReceived() {
    return received.messages();
  }

  /// {@return bytes that all ranks send}
  public long totalBytes() {
    return bytesSent().stream().mapToLong(Long::longValue).sum();
  }

  /// {@return messages that all ranks send}
  public long totalMessages() {
    return messagesSent().stream().mapToLong(Long::longValue).sum();
  }

  /// {@return seconds that the busiest link between nodes is in use, in either direction}
  double linkSeconds() {
    return IntStream.range(0, layout.ranks())
        .mapToDouble(r -> Math.max(link(sent, r), link(received, r)))
        .max()
        .orElse(0);
  }

  private double link(Counts counts, int rank) {
    return network().seconds(counts.between[rank], (double) counts.betweenBytes[rank]);
  }

  /// Returns the link of a rank to ranks of other nodes.
  LinkRates network() {
    LinkRates imitated = layout.imitated();
    return imitated == null ? layout.cluster().between() : imitated;
  }

  /// {@return seconds that cores copy: the maximum over ranks, or over nodes if ranks share cores}
  /// With an imitated network, everything is copied when it arrives.
  double copySeconds() {
    LinkRates inside = layout.cluster().inside();
    int width = layout.ranksOfNode();
    double slowest = 0;
    for (int first = 0; first < layout.ranks(); first += width) {
      double ofNode = 0;
      for (int r = first; r < Math.min(layout.ranks(), first + width); r++) {
        double bytes = copied(received, r);
        ofNode += bytes;
        double out = inside.seconds(sent.inside[r], copied(sent, r));
        slowest = Math.max(slowest, Math.max(out, inside.seconds(received.inside[r], bytes)));
      }
      slowest = Math.max(slowest, inside.seconds(0, ofNode / layout.cluster().coresPerNode()));
    }
    return slowest;
  }

  private double copied(Counts counts, int rank) {
    return counts.insideBytes[rank] + (layout.imitated() == null ? 0 : counts.betweenBytes[rank]);
  }

  /// {@return seconds of an all-reduce with these messages}
  ///
  /// Real networks reduce in `2 ceil(log2 p)` rounds. An imitated one delays the counted messages,
  /// while cores add up the data.
  ///
  /// @param ranks that take part
  double allReduceSeconds(int[] ranks) {
    if (ranks.length < 2) {
      return 0;
    }
    if (layout.imitated() != null) {
      return Math.max(linkSeconds(), copySeconds());
    }
    int rounds = 2 * rounds(ranks.length);
    boolean apart = Arrays.stream(ranks).anyMatch(r -> layout.apart(ranks[0], r));
    double copies = withoutLatency().copySeconds();
    double link = apart ? network().seconds(rounds, largest(sent.betweenBytes)) : 0;
    return link + copies + (apart ? 0 : layout.cluster().inside().seconds(rounds, 0));
  }

  private RankTraffic withoutLatency() {
    RankTraffic bytes = new RankTraffic(layout);
    bytes.add(this, 1);
    Arrays.fill(bytes.sent.inside, 0);
    Arrays.fill(bytes.received.inside, 0);
    return bytes;
  }

  /// {@return `ceil(log2 p)`}
  static int rounds(int ranks) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(ranks - 1);
  }

  private static double largest(long[] numbers) {
    return Arrays.stream(numbers).max().orElse(0);
  }

  /// As lists of bytes and messages.
  @Override
  public String toString() {
    return "bytes sent %s, messages sent %s".formatted(bytesSent(), messagesSent());
  }
}
