package dev.gossamer.run;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// What a run has written to `metrics.jsonl` so far, by whichever trainer.
///
/// @param steps in order
public record RunMetrics(List<Step> steps) {
  /// More than any run takes.
  private static final int MOST_STEPS = 10_000_000;

  private static final JsonMapper JSON = new JsonMapper();

  /// An epoch or an iteration: the numbers of a line.
  ///
  /// @param unit `epoch` or `iteration`
  /// @param number of the step, 1-based
  /// @param numbers by key: `loss`, `seconds`, `sparsity`
  /// @param phases seconds by phase
  /// @param scores of `train`, `validation` and `test`, as far as the step was evaluated, by metric
  public record Step(
      String unit,
      int number,
      Map<String, Double> numbers,
      Map<String, Double> phases,
      Map<String, Map<String, Double>> scores) {
    /// {@return the step that an epoch is in the file}
    ///
    /// @param record of the epoch
    public static Step of(EpochRecord record) {
      return of(MetricsFile.line(record));
    }

    /// {@return the step that a line of the file has}
    ///
    /// @param line with the number of an `epoch` or an `iteration`
    public static Step of(ObjectNode line) {
      String unit = RunMetrics.unit(line);
      return RunMetrics.step(line, unit, line.get(unit).intValue());
    }

    /// {@return a number of the step; not a number if there is none}
    ///
    /// @param key as in the file
    public double number(String key) {
      return numbers.getOrDefault(key, Double.NaN);
    }

    /// {@return a score; not a number if there is none}
    ///
    /// @param part `train`, `validation` or `test`
    /// @param metric as in the file
    public double score(String part, String metric) {
      return scores.getOrDefault(part, Map.of()).getOrDefault(metric, Double.NaN);
    }
  }

  /// Copies the list.
  public RunMetrics {
    steps = List.copyOf(steps);
  }

  /// Reads a file. A last line without an end, which a running training is about to write, is left
  /// out.
  ///
  /// @param file `metrics.jsonl`
  /// @return its steps
  /// @throws InvalidInputException if it is something else
  public static RunMetrics read(Path file) {
    List<Step> steps = new ArrayList<>();
    try (BufferedReader in = InputFile.of(file).reader()) {
      for (String line = line(file, 1, in); line != null; line = line(file, steps.size() + 1, in)) {
        if (steps.size() == MOST_STEPS) {
          throw new InvalidInputException(
              "%s: expected at most %,d lines, found more".formatted(file, MOST_STEPS));
        }
        steps.add(step(file, steps.size() + 1, line));
      }
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
    return new RunMetrics(steps);
  }

  /// The next line; null at the end.
  static @Nullable String line(Path file, int number, Reader in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        return null;
      }
      if (line.length() == MetricsFile.LONGEST_LINE) {
        throw new InvalidInputException(
            "%s: line %d: expected at most %d bytes, found more"
                .formatted(file, number, MetricsFile.LONGEST_LINE));
      }
      line.append((char) c);
    }
    return line.toString();
  }

  static Step step(Path file, int line, String text) {
    Step step = step(text);
    if (step == null) {
      throw new InvalidInputException(
          "%s: line %d: expected an object with 'epoch' or 'iteration' and 'loss', found something else"
              .formatted(file, line));
    }
    return step;
  }

  /// The step of a line; null of something else.
  static @Nullable Step step(String line) {
    JsonNode node;
    try {
      node = JSON.readTree(line);
    } catch (JacksonException e) {
      return null;
    }
    String unit = unit(node);
    JsonNode number = node.path(unit);
    return number.isInt() && number.intValue() >= 1 && node.path("loss").isNumber()
        ? step(node, unit, number.intValue())
        : null;
  }

  private static String unit(JsonNode node) {
    return node.has("iteration") ? "iteration" : "epoch";
  }

  private static Step step(JsonNode node, String unit, int number) {
    Map<String, Double> numbers = new LinkedHashMap<>();
    Map<String, Double> phases = Map.of();
    Map<String, Map<String, Double>> scores = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      JsonNode value = field.getValue();
      if (value.isNumber()) {
        numbers.put(field.getKey(), value.doubleValue());
      } else if (field.getKey().equals("phase_seconds")) {
        phases = numbers(value);
      } else if (value.isObject()) {
        scores.put(field.getKey(), numbers(value));
      }
    }
    return new Step(unit, number, numbers, phases, scores);
  }

  private static Map<String, Double> numbers(JsonNode object) {
    Map<String, Double> numbers = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      if (field.getValue().isNumber()) {
        numbers.put(field.getKey(), field.getValue().doubleValue());
      }
    }
    return numbers;
  }
}
