package dev.gossamer.run;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// What the ranks of a run sent to each other in the whole run, and how they spent its time, as
/// `traffic.json` has it.
///
/// @param sent bytes that each rank sent
/// @param cells bytes that each rank (row) sent to each (column); of more than [#MOST_CELLS] ranks,
///   as many groups of ranks that follow each other
/// @param byOperation bytes of each operation (`all-to-all`)
/// @param seconds of training by phase, of each rank; without phases in files of older versions
@SuppressWarnings("ArrayRecordComponent")
public record RunTraffic(
    long[] sent,
    long[][] cells,
    SortedMap<String, Long> byOperation,
    List<Map<String, Double>> seconds) {
  /// Rows of [#cells] at most.
  public static final int MOST_CELLS = 64;

  /// The file has an element for each operation and pair of ranks.
  private static final int LONGEST = 1 << 29;

  /// Of a message, so that sums over ranks and operations are numbers.
  private static final long MOST_BYTES = 1L << 47;

  /// More than any run takes.
  private static final double MOST_SECONDS = 1e10;

  private static final JsonMapper JSON = new JsonMapper();

  /// {@return the number of ranks}
  public int ranks() {
    return sent.length;
  }

  /// {@return the first rank of a group, which is a row of the cells}
  ///
  /// @param group from 0 to the number of groups
  public int firstOf(int group) {
    return (int) Math.ceilDiv((long) group * ranks(), (long) cells.length);
  }

  /// {@return the mean seconds of consecutive ranks in a phase}
  ///
  /// @param phase such as `spmm`
  /// @param begin first rank
  /// @param end exclusive, more than `begin`
  public double meanSeconds(String phase, int begin, int end) {
    return seconds.subList(begin, end).stream()
        .mapToDouble(each -> each.getOrDefault(phase, 0.0))
        .average()
        .orElseThrow();
  }

  /// {@return the seconds of the rank that spent most in a phase}
  ///
  /// @param phase such as `spmm`
  public double mostSeconds(String phase) {
    return seconds.stream().mapToDouble(each -> each.getOrDefault(phase, 0.0)).max().orElse(0);
  }

  /// Reads a file.
  ///
  /// @param file `traffic.json`
  /// @return what it says of the whole run
  /// @throws InvalidInputException if it is something else
  public static RunTraffic read(Path file) {
    JsonNode node;
    try {
      node = JSON.readTree(InputFile.of(file).bytes(LONGEST));
    } catch (JacksonException e) {
      throw new InvalidInputException("%s: expected JSON, found something else".formatted(file), e);
    }
    JsonNode each = node.path("sent");
    if (!each.isArray() || each.isEmpty()) {
      throw new InvalidInputException(
          "%s: expected 'sent', a list with an element for each rank, found none".formatted(file));
    }
    int ranks = each.size();
    int groups = Math.min(ranks, MOST_CELLS);
    long[] sent = new long[ranks];
    long[][] cells = new long[groups][groups];
    SortedMap<String, Long> byOperation = new TreeMap<>();
    List<Map<String, Double>> seconds = new ArrayList<>();
    for (int from = 0; from < ranks; from++) {
      seconds.add(seconds(file, each.get(from).path(TrafficFile.SECONDS)));
      JsonNode operations = each.get(from).path("run").path("operations");
      for (Map.Entry<String, JsonNode> operation : operations.properties()) {
        for (JsonNode to : operation.getValue().path("to")) {
          long receiver = number(file, to.path("rank"), ranks - 1L);
          long bytes = number(file, to.path("bytes"), MOST_BYTES);
          sent[from] += bytes;
          cells[group(from, ranks)][group(receiver, ranks)] += bytes;
          byOperation.merge(operation.getKey(), bytes, Long::sum);
        }
      }
    }
    return new RunTraffic(sent, cells, byOperation, seconds);
  }

  private static Map<String, Double> seconds(Path file, JsonNode phases) {
    Map<String, Double> seconds = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> phase : phases.properties()) {
      double time = phase.getValue().asDouble(Double.NaN);
      if (!(time >= 0 && time <= MOST_SECONDS)) {
        throw new InvalidInputException(
            "%s: expected seconds of each phase, found something else".formatted(file));
      }
      seconds.put(phase.getKey(), time);
    }
    return seconds;
  }

  private static int group(long rank, int ranks) {
    return (int) (rank * Math.min(ranks, MOST_CELLS) / ranks);
  }

  private static long number(Path file, JsonNode node, long most) {
    if (!node.isIntegralNumber()
        || !node.canConvertToLong()
        || node.longValue() < 0
        || node.longValue() > most) {
      throw new InvalidInputException(
          "%s: expected ranks and bytes of each message, found a number that is neither"
              .formatted(file));
    }
    return node.longValue();
  }
}
