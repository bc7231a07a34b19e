package dev.gossamer.run;

import dev.gossamer.base.trace.Timeline;
import dev.gossamer.comm.ClockOffset;
import dev.gossamer.comm.Communicator;
import dev.gossamer.comm.GatheredBytes;
import dev.gossamer.comm.Traffic;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Records the traffic and the time of one rank in each epoch and, on request, a timeline. At the
/// end the first rank gathers all records and writes `traffic.json` and `trace.json`.
public final class RankLog {
  private final Communicator world;
  private final Timeline timeline;
  private final ClockOffset clock;
  private final long originNanos;
  private final List<EpochTraffic> epochs = new ArrayList<>();
  private final Map<String, Double> seconds = new LinkedHashMap<>();

  private RankLog(Communicator world, Timeline timeline, ClockOffset clock, long originNanos) {
    this.world = world;
    this.timeline = timeline;
    this.clock = clock;
    this.originNanos = originNanos;
  }

  /// {@return the log of a rank, which records its communication from now on} If the timeline is
  /// on, the ranks agree on a common origin of time. Collective.
  ///
  /// @param world all ranks
  /// @param timeline on for all ranks or none
  /// @param oneClock whether all ranks are threads of this process
  public static RankLog of(Communicator world, Timeline timeline, boolean oneClock) {
    if (!timeline.isOn()) {
      return new RankLog(world, timeline, ClockOffset.NONE, 0);
    }
    if (world.size() == 1) {
      // Nothing travels, and there is no clock to agree with.
      return new RankLog(world, timeline, ClockOffset.NONE, System.nanoTime());
    }
    ClockOffset clock = oneClock ? ClockOffset.NONE : ClockOffset.agree(world);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment origin = arena.allocate(ValueLayout.JAVA_LONG);
      origin.set(ValueLayout.JAVA_LONG, 0, System.nanoTime());
      world.broadcast(0, origin);
      world.traffic().drawOn(timeline);
      return new RankLog(world, timeline, clock, origin.get(ValueLayout.JAVA_LONG, 0));
    }
  }

  /// {@return the timeline on which the rank's kernels are recorded}
  public Timeline timeline() {
    return timeline;
  }

  /// Records an epoch of this rank. Consecutive epochs with equal traffic share memory. Local.
  ///
  /// @param epoch 1-based, one more than in the call before
  /// @param sent of the epoch
  /// @param phases seconds of this rank by phase: `spmm`
  public void epoch(int epoch, Traffic.Snapshot sent, Map<String, Double> phases) {
    phases.forEach((phase, time) -> seconds.merge(phase, time, Double::sum));
    if (!epochs.isEmpty() && epochs.getLast().sent().equals(sent)) {
      epochs.set(epochs.size() - 1, epochs.getLast().until(epoch));
    } else {
      epochs.add(new EpochTraffic(epoch, epoch, sent));
    }
  }

  /// Writes `traffic.json` and, if the timeline is on, `trace.json` with the records of all ranks,
  /// on the first rank. A resumed run without further epochs keeps the existing files. Collective.
  ///
  /// @param folder to write to, which only the first rank needs
  public void write(@Nullable RunFolder folder) {
    Traffic.Snapshot run = world.traffic().snapshot();
    int rank = world.rank();
    List<byte[]> traffic = gather(TrafficFile.part(rank, run, seconds, epochs));
    if (rank == 0 && folder != null && isNews(folder.traffic())) {
      TrafficFile.write(folder.traffic(), traffic);
    }
    if (timeline.isOn()) {
      List<byte[]> events = gather(TraceFile.part(rank, timeline, clock, originNanos));
      if (rank == 0 && folder != null && isNews(folder.trace())) {
        TraceFile.write(folder.trace(), events);
      }
    }
  }

  private boolean isNews(Path file) {
    return !epochs.isEmpty() || !Files.exists(file);
  }

  private List<byte[]> gather(byte[] mine) {
    return GatheredBytes.onFirst(world, mine);
  }
}
