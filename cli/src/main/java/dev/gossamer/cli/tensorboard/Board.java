package dev.gossamer.cli.tensorboard;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.settings.ConfigFile;
import dev.gossamer.cli.tensorboard.Events.Status;
import dev.gossamer.cli.terminal.ReportPart;
import dev.gossamer.nn.state.WeightHistogram;
import dev.gossamer.run.MetricsTail;
import dev.gossamer.run.RunFolder;
import dev.gossamer.run.RunMetrics;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/// A run as TensorBoard shows it, written while it trains: what `metrics.jsonl` says of each step,
/// and how the weights are distributed.
///
/// A run that is resumed continues in its folder, in another file, whose first step replaces what
/// earlier files say of it and of later ones. If it has no files there yet, they begin with its
/// first step. How it ended is written as well, with the scores of a complete run; a run that is
/// resumed loses its earlier end. Thread-safe, because a run is interrupted by another thread.
public final class Board implements AutoCloseable {
  /// Times at which a run of full length has histograms, about.
  private static final int HISTOGRAMS = 50;

  private final Path parent;
  private final int every;
  private @Nullable Session session;
  private @Nullable MetricsTail tail;
  private boolean ended;

  /// The files of a process that trains.
  ///
  /// @param events that are open
  /// @param end file that says how it ended
  /// @param metrics `metrics.jsonl`
  private record Session(BoardFolder folder, EventFile events, Path end, Path metrics) {}

  /// What was written.
  ///
  /// @param folder of the run
  /// @param parent folder of all runs
  /// @param vertices that have vectors
  public record Result(Path folder, Path parent, int vertices) implements ReportPart {
    @Override
    public String key() {
      return "tensorboard";
    }

    @Override
    public void put(ObjectNode node) {
      node.put("folder", folder.toString());
      node.put("vertices", vertices);
    }

    @Override
    public void print(PrintWriter out) {
      out.printf("board    %s, shown by: tensorboard --logdir %s%n", folder, parent);
    }
  }

  /// @param parent folder of all runs
  /// @param steps of a run of full length
  Board(Path parent, int steps) {
    this.parent = parent;
    every = every(steps);
  }

  /// Begins the files of a run, with its settings.
  ///
  /// @param run folder of the run, with its settings
  /// @throws InvalidInputException if they cannot be written
  public synchronized void begin(Path run) {
    RunFolder files = new RunFolder(run);
    BoardFolder folder = BoardFolder.of(parent, run);
    folder.removeEnd();
    Path file = folder.next();
    EventFile events = EventFile.create(file);
    session = new Session(folder, events, BoardFolder.endOf(file), files.metrics());
    events.append(
        List.of(Events.version(), Events.sessionStart(ConfigFile.read(files.config()).values())));
  }

  private Session session() {
    if (session == null) {
      throw new IllegalStateException("board: expected a run that has begun");
    }
    return session;
  }

  /// Returns the folder of the run, among those of others.
  public synchronized Path folder() {
    return session().folder.path();
  }

  /// Appends the last step that was written to `metrics.jsonl`.
  ///
  /// @throws InvalidInputException if that cannot be read, or the events cannot be written
  public synchronized void step() {
    Session open = session();
    List<ProtoMessage> events = new ArrayList<>();
    if (tail == null) {
      tail = MetricsTail.open(open.metrics);
      List<RunMetrics.Step> all = tail.next();
      List<RunMetrics.Step> first = open.folder.isNew() ? all : List.of(all.getLast());
      events.add(Events.start(first.getFirst().number()));
      first.forEach(step -> events.add(scalars(step)));
    } else {
      tail.next().forEach(step -> events.add(scalars(step)));
    }
    open.events.append(events);
  }

  private static ProtoMessage scalars(RunMetrics.Step step) {
    Map<String, Double> values = new LinkedHashMap<>();
    step.numbers()
        .forEach((key, value) -> {
          if (!key.equals(step.unit())) {
            values.put("training/" + key, value);
          }
        });
    step.phases().forEach((phase, seconds) -> values.put("phase_seconds/" + phase, seconds));
    values.putAll(tagged("", step.scores()));
    return Events.scalars(step.number(), values);
  }

  /// Scores as `accuracy/validation`, those that are finite.
  private static Map<String, Double> tagged(String group, Map<String, Map<String, Double>> scores) {
    Map<String, Double> values = new LinkedHashMap<>();
    scores.forEach((part, metrics) ->
        metrics.forEach((metric, value) -> {
          if (Double.isFinite(value)) {
            values.put("%s%s/%s".formatted(group, metric, part), value);
          }
        }));
    return values;
  }

  /// Returns the number of steps from one time with histograms to the next.
  ///
  /// @param steps of a run of full length
  public static int every(int steps) {
    return Math.ceilDiv(steps, HISTOGRAMS);
  }

  /// Returns whether a step has histograms.
  ///
  /// @param step from 1 on
  public boolean isDue(int step) {
    return step == 1 || step % every == 0;
  }

  /// Appends how the weights are distributed after a step.
  ///
  /// @param step from 1 on
  /// @param histograms by the name of the parameter
  /// @throws InvalidInputException if they cannot be written
  public synchronized void weights(int step, Map<String, WeightHistogram> histograms) {
    Map<String, WeightHistogram> tagged = new LinkedHashMap<>();
    histograms.forEach((name, histogram) -> tagged.put("weights/" + name, histogram));
    session().events.append(List.of(Events.histograms(step, tagged)));
  }

  /// Writes that the run is complete, with the scores of its model.
  ///
  /// @param steps that were done
  /// @param scores by part (`validation`) and metric
  /// @throws InvalidInputException if that cannot be written
  public synchronized void end(int steps, Map<String, Map<String, Double>> scores) {
    if (tail == null && session().folder.isNew()) {
      step();
    }
    end(Events.scalars(steps, tagged("final/", scores)), Events.sessionEnd(Status.SUCCESS));
  }

  /// Writes that the run was interrupted, if it has begun.
  ///
  /// @throws InvalidInputException if that cannot be written
  public synchronized void interrupted() {
    end(Events.sessionEnd(Status.UNKNOWN));
  }

  /// Writes the end of a run that has begun, once.
  private void end(ProtoMessage... events) {
    if (session == null || ended) {
      return;
    }
    ended = true;
    try (EventFile file = EventFile.create(session.end)) {
      file.append(Stream.concat(Stream.of(Events.version()), Arrays.stream(events)).toList());
    }
  }

  /// Returns what was written.
  ///
  /// @param vertices that have vectors
  public Result result(int vertices) {
    return new Result(folder(), parent, vertices);
  }

  /// Ends the files. A run whose end was not written has failed.
  @Override
  public synchronized void close() {
    if (tail != null) {
      tail.close();
    }
    if (session != null) {
      session.events.close();
    }
    end(Events.sessionEnd(Status.FAILURE));
  }
}
