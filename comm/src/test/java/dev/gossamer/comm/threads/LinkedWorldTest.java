package dev.gossamer.comm.threads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.comm.Link;
import dev.gossamer.comm.StandingClock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What imitated links do by a clock that stands unless a test moves it: nobody waits here.
class LinkedWorldTest {
  private static final int ALPHA = 10_000;

  private record Message(int sender, int receiver, long ready, long bytes) {}

  private final StandingClock clock = new StandingClock();

  private ThreadWorld world(int size) {
    return new ThreadWorld(size, ThreadOptions.DEFAULT.withLink(Link.parse("10us,1ns")), clock);
  }

  private long deliver(ThreadWorld world, int sender, int receiver, long after, long bytes) {
    return world.deliver(sender, receiver, StandingClock.BEGIN + after, bytes)
        - StandingClock.BEGIN;
  }

  @Test
  void messagesOfOneRankQueueOnItsOutgoingLink() {
    ThreadWorld world = world(4);
    assertThat(deliver(world, 0, 1, 0, 1000)).isEqualTo(11_000);
    assertThat(deliver(world, 0, 2, 0, 0)).isEqualTo(21_000);
    assertThat(deliver(world, 1, 3, 0, 0)).isEqualTo(10_000);
    assertThat(deliver(world, 0, 1, 100_000, 0)).isEqualTo(110_000);
  }

  @Test
  void messagesToOneRankShareItsIncomingLink() {
    ThreadWorld world = world(5);
    for (int sender = 1; sender < 5; sender++) {
      assertThat(deliver(world, sender, 0, 0, 1000)).isEqualTo(sender * 11_000L);
    }
    // Their own links were free again after the first 11 us.
    assertThat(deliver(world, 4, 1, 0, 1000)).isEqualTo(22_000);
    // A rank sends and receives at once.
    assertThat(deliver(world, 0, 2, 0, 1000)).isEqualTo(11_000);
  }

  @Test
  void aMessagePassesBeforeAndBetweenThoseThatWereAnnouncedBefore() {
    ThreadWorld world = world(4);
    assertThat(deliver(world, 1, 0, 15_000, 0)).isEqualTo(25_000);
    assertThat(deliver(world, 2, 0, 40_000, 0)).isEqualTo(50_000);
    // 15 us before the first, 15 us between them, 10 us after the second.
    assertThat(deliver(world, 3, 0, 0, 30_000)).isEqualTo(60_000);
    assertThat(deliver(world, 1, 0, 0, 0)).isEqualTo(70_000);
  }

  @Test
  void aMessageThatJustFitsArrivesBeforeTheNextLeaves() {
    ThreadWorld world = world(4);
    assertThat(deliver(world, 1, 0, 10_000, 0)).isEqualTo(20_000);
    assertThat(deliver(world, 2, 0, 0, 0)).isEqualTo(10_000);
    assertThat(deliver(world, 3, 0, 0, 0)).isEqualTo(30_000);
  }

  /// In the order of collectives, ranks that come at once do not disturb each other.
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 8})
  void evenExchangesTakeWhatEachLinkTakes(int size) {
    ThreadWorld world = world(size);
    long last = 0;
    for (int rank = 0; rank < size; rank++) {
      for (int step = 1; step < size; step++) {
        long arrival = deliver(world, rank, (rank + step) % size, 0, 500);
        assertThat(arrival).isEqualTo(step * 10_500L);
        last = Math.max(last, arrival);
      }
    }
    assertThat(last).isEqualTo((size - 1) * 10_500L);
  }

  /// Whatever the order in which threads announce their messages, each incoming link has done its
  /// work at the same moment: that of the busiest at least, and of the busiest of both directions
  /// in turn at most.
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void theOrderInWhichRanksComeDoesNotMatter(long seed) {
    Random random = new Random(seed);
    int size = 2 + random.nextInt(7);
    List<List<Message>> byRank = new ArrayList<>();
    long[] out = new long[size];
    long[] in = new long[size];
    for (int rank = 0; rank < size; rank++) {
      byRank.add(new ArrayList<>());
      for (int step = 1; step < size; step++) {
        int peer = (rank + step) % size;
        long bytes = random.nextInt(1, 100_000);
        byRank.getLast().add(new Message(rank, peer, 0, bytes));
        out[rank] += ALPHA + bytes;
        in[peer] += ALPHA + bytes;
      }
    }
    long[] first = ends(size, byRank);
    for (int i = 0; i < 10; i++) {
      Collections.shuffle(byRank, random);
      assertThat(ends(size, byRank)).isEqualTo(first);
    }
    long mostOut = 0;
    long mostIn = 0;
    long end = 0;
    for (int rank = 0; rank < size; rank++) {
      mostOut = Math.max(mostOut, out[rank]);
      mostIn = Math.max(mostIn, in[rank]);
      end = Math.max(end, first[rank]);
    }
    assertThat(end).isBetween(Math.max(mostOut, mostIn), mostOut + mostIn);
  }

  private long[] ends(int size, List<List<Message>> byRank) {
    ThreadWorld world = world(size);
    long[] ends = new long[size];
    for (List<Message> messages : byRank) {
      for (Message m : messages) {
        long arrival = deliver(world, m.sender, m.receiver, m.ready, m.bytes);
        ends[m.receiver] = Math.max(ends[m.receiver], arrival);
      }
    }
    return ends;
  }

  @Test
  void whatLiesBehindTheClockIsTakenByNobody() {
    ThreadWorld world = world(4);
    assertThat(deliver(world, 1, 0, 5_000, 0)).isEqualTo(15_000);
    clock.advance(15_000);
    // The first is not yet behind: 5 us before it, 5 us after it.
    assertThat(deliver(world, 2, 0, 0, 0)).isEqualTo(20_000);
    clock.advance(5_001);
    assertThat(deliver(world, 3, 0, 0, 0)).isEqualTo(30_000);
    assertThat(deliver(world, 3, 1, 0, 0)).isEqualTo(20_000);
  }

  @Test
  void whatEndedIsForgottenAndTakenByNobody() {
    IncomingLink link = new IncomingLink();
    assertThat(link.take(0, 10)).isEqualTo(10);
    assertThat(link.take(20, 10)).isEqualTo(30);
    link.forget(25);
    // The first is forgotten with all that was before its end; the second is not.
    assertThat(link.take(0, 15)).isEqualTo(35);
    link.forget(1000);
    assertThat(link.take(0, 5)).isEqualTo(40);
  }
}
