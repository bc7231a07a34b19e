package dev.gossamer.run;

import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.base.trace.Interval;
import dev.gossamer.base.trace.Timeline;
import dev.gossamer.comm.ClockOffset;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

/// `trace.json`: Chrome trace events, an array that `chrome://tracing` and `ui.perfetto.dev` open.
///
/// A rank is a process of the trace with two tracks, `rank 0 compute` and `rank 0 communication`,
/// and with minibatches a third, `rank 0 drawing`. Computations are complete events (`X`), which
/// nest. Transfers overlap each other and so are asynchronous events (`b`, `e`). Times are in
/// microseconds with three decimals. Each rank creates its part; the first rank writes them.
final class TraceFile {
  private static final JsonMapper JSON = new JsonMapper();

  private static final int COMPUTE = 0;
  private static final int COMMUNICATION = 1;
  private static final int DRAWING = 2;

  /// Begins ascending, and what holds before what is held.
  private static final Comparator<Interval> NESTED =
      Comparator.comparingLong(Interval::beginNanos)
          .thenComparing(Comparator.comparingLong(Interval::endNanos).reversed());

  private final JsonGenerator json;
  private final int rank;

  /// [System#nanoTime] of this rank's process at time 0 of the trace.
  private final long zeroNanos;

  private TraceFile(JsonGenerator json, int rank, long zeroNanos) {
    this.json = json;
    this.rank = rank;
    this.zeroNanos = zeroNanos;
  }

  /// Returns one rank's events as a JSON array.
  ///
  /// @param originNanos time 0 of the trace, by the first rank's clock
  static byte[] part(int rank, Timeline timeline, ClockOffset clock, long originNanos) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      TraceFile file = new TraceFile(json, rank, originNanos + clock.nanos());
      json.writeStartArray();
      file.header(timeline, clock);
      int transfers = 0;
      for (Interval interval : timeline.intervals().stream().sorted(NESTED).toList()) {
        switch (interval) {
          case Interval.Computation computation -> file.computation(computation);
          case Interval.Beside beside -> file.beside(beside);
          case Interval.Transfer transfer -> file.transfer(transfer, transfers++);
        }
      }
      json.writeEndArray();
    }
    return bytes.toByteArray();
  }

  private void header(Timeline timeline, ClockOffset clock) {
    name("process_name", COMPUTE, "rank " + rank);
    name("thread_name", COMPUTE, "rank %d compute".formatted(rank));
    name("thread_name", COMMUNICATION, "rank %d communication".formatted(rank));
    if (timeline.intervals().stream().anyMatch(Interval.Beside.class::isInstance)) {
      name("thread_name", DRAWING, "rank %d drawing".formatted(rank));
    }
    event("process_labels", "M", COMPUTE);
    json.writeObjectPropertyStart("args");
    json.writeStringProperty(
        "labels",
        "%d intervals dropped, clock within %s us"
            .formatted(timeline.dropped(), micros(clock.errorNanos())));
    json.writeNumberProperty("dropped", timeline.dropped());
    json.writeNumberProperty("clock_error_us", micros(clock.errorNanos()));
    json.writeEndObject();
    json.writeEndObject();
  }

  private void name(String what, int track, String name) {
    event(what, "M", track);
    json.writeObjectPropertyStart("args");
    json.writeStringProperty("name", name);
    json.writeEndObject();
    json.writeEndObject();
  }

  private void computation(Interval.Computation computation) {
    complete(computation, COMPUTE, computation.category());
    json.writeStringProperty("within", computation.within());
    json.writeEndObject();
    json.writeEndObject();
  }

  private void beside(Interval.Beside beside) {
    complete(beside, DRAWING, "drawing");
    json.writeEndObject();
    json.writeEndObject();
  }

  /// Begins a complete event, up to its arguments, of which the epoch is the first.
  private void complete(Interval interval, int track, String category) {
    event(interval.name(), "X", track);
    json.writeStringProperty("cat", category);
    json.writeNumberProperty("ts", time(interval.beginNanos()));
    json.writeNumberProperty("dur", micros(interval.endNanos() - interval.beginNanos()));
    json.writeObjectPropertyStart("args");
    json.writeNumberProperty("epoch", interval.epoch());
  }

  /// @param number that no other transfer of the rank has
  private void transfer(Interval.Transfer transfer, int number) {
    asynchronous(transfer, "b", transfer.beginNanos(), number);
    json.writeObjectPropertyStart("args");
    json.writeNumberProperty("epoch", transfer.epoch());
    json.writeStringProperty("operation", transfer.operation());
    json.writeNumberProperty("bytes_sent", transfer.bytesSent());
    json.writeNumberProperty("bytes_received", transfer.bytesReceived());
    json.writeArrayPropertyStart("peers");
    for (int peer : transfer.peers()) {
      json.writeNumber(peer);
    }
    json.writeEndArray();
    json.writeEndObject();
    json.writeEndObject();
    asynchronous(transfer, "e", transfer.endNanos(), number);
    json.writeEndObject();
  }

  private void asynchronous(Interval.Transfer transfer, String kind, long nanos, int number) {
    event(transfer.name(), kind, COMMUNICATION);
    json.writeStringProperty("cat", "communication");
    json.writeStringProperty("id", "0x%x".formatted((long) rank << Integer.SIZE | number));
    json.writeNumberProperty("ts", time(nanos));
  }

  /// Begins the object of an event.
  private void event(String name, String kind, int track) {
    json.writeStartObject();
    json.writeStringProperty("name", name);
    json.writeStringProperty("ph", kind);
    json.writeNumberProperty("pid", rank);
    json.writeNumberProperty("tid", track);
  }

  private BigDecimal time(long nanos) {
    return micros(nanos - zeroNanos);
  }

  private static BigDecimal micros(long nanos) {
    return BigDecimal.valueOf(nanos, 3);
  }

  /// Writes the file, an event on each line.
  ///
  /// @param parts of all ranks, in their order
  static void write(Path file, List<byte[]> parts) {
    AtomicOutput.file(
        file,
        temporary -> {
          try (JsonGenerator json = JSON.createGenerator(temporary.toFile(), JsonEncoding.UTF8)) {
            json.writeStartObject();
            json.writeStringProperty("displayTimeUnit", "ms");
            json.writeArrayPropertyStart("traceEvents");
            for (byte[] part : parts) {
              copy(part, json);
            }
            json.writeEndArray();
            json.writeEndObject();
          }
        });
  }

  private static void copy(byte[] part, JsonGenerator json) {
    try (JsonParser events = JSON.createParser(part)) {
      events.nextToken();
      while (events.nextToken() != JsonToken.END_ARRAY) {
        json.writeRaw('\n');
        json.copyCurrentStructureExact(events);
      }
    }
  }
}
