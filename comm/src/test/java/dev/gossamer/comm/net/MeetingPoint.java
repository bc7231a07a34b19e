package dev.gossamer.comm.net;

import dev.gossamer.comm.RankBody;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// Where ranks that are threads of this process tell each other their addresses; between them lie
/// sockets all the same.
final class MeetingPoint {
  /// No verdict by the clock: what waits for two minutes has come to its last resort.
  static final NetOptions OPTIONS =
      NetOptions.DEFAULT.withTimeout(Duration.ofMinutes(2)).withPatience(Duration.ofMinutes(2));

  private final String[] lines;
  private final CyclicBarrier all;

  MeetingPoint(int size) {
    lines = new String[size];
    all = new CyclicBarrier(size);
  }

  /// The view of one rank.
  Gathering of(int rank) {
    return line -> {
      lines[rank] = line;
      all.await();
      return List.of(lines.clone());
    };
  }

  /// What became of a rank.
  ///
  /// @param failure null if it ended well
  record Outcome(int rank, @Nullable Throwable failure) {}

  /// Runs ranks and waits for all of them.
  static List<Outcome> run(int size, NetOptions options, RankBody body) throws Exception {
    return run(size, _ -> options, (_, gathering) -> gathering, body);
  }

  /// @param options of each rank
  /// @param gatherings what becomes of the way in which a rank learns the addresses
  static List<Outcome> run(
      int size,
      IntFunction<NetOptions> options,
      BiFunction<Integer, Gathering, Gathering> gatherings,
      RankBody body)
      throws Exception {
    MeetingPoint point = new MeetingPoint(size);
    List<Callable<Outcome>> ranks = new ArrayList<>();
    for (int rank = 0; rank < size; rank++) {
      int number = rank;
      ranks.add(() -> {
        try {
          Gathering gathering = gatherings.apply(number, point.of(number));
          NetRanks.run(number, size, gathering, options.apply(number), body);
          return new Outcome(number, null);
        } catch (Throwable e) {
          return new Outcome(number, e);
        }
      });
    }
    List<Outcome> outcomes = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(size)) {
      for (Future<Outcome> each : threads.invokeAll(ranks)) {
        outcomes.add(each.get());
      }
    }
    return outcomes;
  }
}
