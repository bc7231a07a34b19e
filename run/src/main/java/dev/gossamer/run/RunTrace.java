package dev.gossamer.run;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The last epoch or iteration in the timeline of a run, as `trace.json` has it: what is inside
/// epochs and layers, not these.
///
/// @param epoch number of the epoch; 0 if the timeline is empty
/// @param spans in the order of the file
public record RunTrace(int epoch, List<Span> spans) {
  /// Far more than a drawing shows.
  private static final int MOST_SPANS = 1_000_000;

  private static final JsonMapper JSON = new JsonMapper();

  /// Something that a rank did, or that was on its way.
  ///
  /// @param rank that did it
  /// @param track 0 for computation, 1 for communication, 2 for what is drawn ahead
  /// @param category a phase, or `communication`
  /// @param name of it
  /// @param begin in microseconds
  /// @param end in microseconds
  public record Span(int rank, int track, String category, String name, double begin, double end) {}

  /// Copies the list.
  public RunTrace {
    spans = List.copyOf(spans);
  }

  /// Reads a file.
  ///
  /// @param file `trace.json`
  /// @return its last epoch
  /// @throws InvalidInputException if it is something else
  public static RunTrace read(Path file) {
    Reading reading = new Reading(file);
    try (InputStream in = new BufferedInputStream(InputFile.of(file).stream());
        JsonParser parser = JSON.createParser(in)) {
      JsonToken token = parser.nextToken();
      while (token != null && token != JsonToken.START_ARRAY) {
        token = parser.nextToken();
      }
      if (token == null) {
        throw reading.unexpected();
      }
      while (parser.nextToken() == JsonToken.START_OBJECT) {
        reading.event(parser.readValueAsTree());
      }
    } catch (JacksonException e) {
      throw new InvalidInputException(reading.expected(), e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
    return new RunTrace(reading.epoch, reading.spans);
  }

  /// What has been read so far.
  private static final class Reading {
    private final Path file;
    private int epoch;
    private List<Span> spans = new ArrayList<>();
    private final Map<String, JsonNode> begun = new HashMap<>();

    private Reading(Path file) {
      this.file = file;
    }

    private void event(JsonNode event) {
      switch (event.path("ph").asString("")) {
        case "X" -> {
          if (!event.path("cat").asString("").equals("step")) {
            double begin = number(event, "ts");
            add(event, begin, begin + number(event, "dur"));
          }
        }
        case "b" -> begun.put(event.path("id").asString(""), event);
        case "e" -> {
          JsonNode begin = begun.remove(event.path("id").asString(""));
          if (begin != null) {
            add(begin, number(begin, "ts"), number(event, "ts"));
          }
        }
        default -> {
          // Names of processes and tracks.
        }
      }
    }

    private void add(JsonNode event, double begin, double end) {
      int of = integer(event.path("args"), "epoch").orElse(0);
      if (of > epoch) {
        epoch = of;
        spans = new ArrayList<>();
      }
      if (of == epoch && of > 0 && spans.size() < MOST_SPANS) {
        spans.add(
            new Span(
                integer(event, "pid").orElseThrow(this::unexpected),
                integer(event, "tid").orElseThrow(this::unexpected),
                event.path("cat").asString(""),
                event.path("name").asString(""),
                begin,
                end));
      }
    }

    private static OptionalInt integer(JsonNode object, String key) {
      JsonNode found = object.path(key);
      return found.isInt() && found.intValue() >= 0
          ? OptionalInt.of(found.intValue())
          : OptionalInt.empty();
    }

    private double number(JsonNode event, String key) {
      JsonNode found = event.path(key);
      if (!found.isNumber() || !Double.isFinite(found.doubleValue())) {
        throw unexpected();
      }
      return found.doubleValue();
    }

    private InvalidInputException unexpected() {
      return new InvalidInputException(expected());
    }

    private String expected() {
      return "%s: expected a list of events with times and ranks, found something else"
          .formatted(file);
    }
  }
}
