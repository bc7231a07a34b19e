package dev.gossamer.run;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.base.io.InputFile;
import dev.gossamer.run.memory.MemoryEstimate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// What was computed of a run before it began, as `plan.json` has it: beside it stands what was
/// measured.
///
/// @param memory of the process that needs most
/// @param epochSeconds planned seconds by phase of an epoch, or of an iteration once the network is
///   pruned; empty if nothing was known of the machines
public record RunEstimate(MemoryEstimate memory, Map<String, Double> epochSeconds) {
  private static final String FORMAT = "gossamer-plan";

  /// A plan has some tens of items.
  private static final int LONGEST = 1 << 18;

  /// Of an item, so that sums are numbers.
  private static final long MOST_BYTES = 1L << 53;

  private static final JsonMapper JSON = new JsonMapper();

  /// Copies the map.
  public RunEstimate {
    epochSeconds = Map.copyOf(epochSeconds);
  }

  /// {@return planned seconds of an epoch or iteration; 0 if nothing was known of the machines}
  public double seconds() {
    return epochSeconds.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /// Writes the file, in the place of an earlier one.
  ///
  /// @param file `plan.json`
  /// @throws InvalidInputException if it cannot be written
  public void write(Path file) {
    ObjectNode root = JSON.createObjectNode();
    root.put("format", FORMAT);
    root.put("version", 1);
    ArrayNode items = root.putArray("memory");
    for (MemoryEstimate.Item item : memory.items()) {
      items
          .addObject()
          .put("name", item.name())
          .put("bytes", item.bytes())
          .put("mapped", item.mapped());
    }
    ObjectNode seconds = root.putObject("epoch_seconds");
    epochSeconds.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(phase -> seconds.put(phase.getKey(), phase.getValue()));
    AtomicOutput.file(file, temporary -> Files.write(temporary, JSON.writeValueAsBytes(root)));
  }

  /// Reads a file.
  ///
  /// @param file `plan.json`
  /// @return its estimate
  /// @throws InvalidInputException if it is something else
  public static RunEstimate read(Path file) {
    JsonNode root;
    try {
      root = JSON.readTree(InputFile.of(file).bytes(LONGEST));
    } catch (JacksonException e) {
      throw new InvalidInputException("%s: expected JSON, found something else".formatted(file), e);
    }
    if (!root.path("format").asString("").equals(FORMAT) || !root.path("memory").isArray()) {
      throw new InvalidInputException(
          "%s: expected an object of the format '%s' with 'memory', found something else"
              .formatted(file, FORMAT));
    }
    MemoryEstimate memory =
        new MemoryEstimate(root.get("memory").valueStream().map(node -> item(file, node)).toList());
    Map<String, Double> seconds = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> phase : root.path("epoch_seconds").properties()) {
      double value = phase.getValue().asDouble(Double.NaN);
      if (!Double.isFinite(value) || value < 0) {
        throw new InvalidInputException(
            "%s: epoch_seconds: expected numbers of at least 0, found something else"
                .formatted(file));
      }
      seconds.put(phase.getKey(), value);
    }
    return new RunEstimate(memory, seconds);
  }

  private static MemoryEstimate.Item item(Path file, JsonNode node) {
    JsonNode bytes = node.path("bytes");
    if (!node.path("name").isString()
        || !bytes.isIntegralNumber()
        || !bytes.canConvertToLong()
        || bytes.longValue() < 0
        || bytes.longValue() > MOST_BYTES) {
      throw new InvalidInputException(
          "%s: memory: expected items with 'name' and a number of 'bytes', found something else"
              .formatted(file));
    }
    return new MemoryEstimate.Item(
        node.get("name").stringValue(), bytes.longValue(), node.path("mapped").asBoolean(false));
  }
}
