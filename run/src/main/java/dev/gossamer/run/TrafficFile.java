package dev.gossamer.run;

import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.comm.Operation;
import dev.gossamer.comm.Traffic;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonEncoding;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/// `traffic.json`: messages and bytes that each rank sent, by operation and by receiving rank, in
/// the whole run and in each epoch, and its seconds of training by phase. Each rank creates its
/// part; the first rank writes them.
final class TrafficFile {
  static final String SECONDS = "phase_seconds";

  private static final JsonMapper JSON = new JsonMapper();

  private TrafficFile() {}

  /// Returns one rank's element of the array.
  ///
  /// @param run everything that it sent, including setup and evaluations
  /// @param seconds of training by phase
  /// @param epochs what it sent in each
  static byte[] part(
      int rank, Traffic.Snapshot run, Map<String, Double> seconds, List<EpochTraffic> epochs) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeNumberProperty("rank", rank);
      json.writeName("run");
      json.writeStartObject();
      counts(json, run);
      json.writeEndObject();
      json.writeObjectPropertyStart(SECONDS);
      seconds.forEach(json::writeNumberProperty);
      json.writeEndObject();
      json.writeArrayPropertyStart("epochs");
      for (EpochTraffic each : epochs) {
        json.writeStartObject();
        json.writeNumberProperty("first", each.first());
        json.writeNumberProperty("last", each.last());
        counts(json, each.sent());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    return bytes.toByteArray();
  }

  private static void counts(JsonGenerator json, Traffic.Snapshot sent) {
    json.writeNumberProperty("messages", sent.totalMessages());
    json.writeNumberProperty("bytes", sent.totalBytes());
    json.writeObjectPropertyStart("operations");
    for (Operation operation : Operation.values()) {
      if (sent.messages(operation) > 0) {
        json.writeObjectPropertyStart(operation.label());
        json.writeNumberProperty("messages", sent.messages(operation));
        json.writeNumberProperty("bytes", sent.bytes(operation));
        json.writeArrayPropertyStart("to");
        for (int peer = 0; peer < sent.size(); peer++) {
          peer(json, operation, peer, sent);
        }
        json.writeEndArray();
        json.writeEndObject();
      }
    }
    json.writeEndObject();
  }

  private static void peer(
      JsonGenerator json, Operation operation, int peer, Traffic.Snapshot sent) {
    if (sent.messages(operation, peer) > 0) {
      json.writeStartObject();
      json.writeNumberProperty("rank", peer);
      json.writeNumberProperty("messages", sent.messages(operation, peer));
      json.writeNumberProperty("bytes", sent.bytes(operation, peer));
      json.writeEndObject();
    }
  }

  /// Writes the file.
  ///
  /// @param parts of all ranks, in their order
  static void write(Path file, List<byte[]> parts) {
    AtomicOutput.file(
        file,
        temporary -> {
          try (JsonGenerator json = JSON.createGenerator(temporary.toFile(), JsonEncoding.UTF8)) {
            json.writeStartObject();
            json.writeStringProperty("format", "gossamer-traffic");
            json.writeNumberProperty("version", 1);
            json.writeNumberProperty("ranks", parts.size());
            json.writeArrayPropertyStart("sent");
            for (byte[] part : parts) {
              json.writeRawValue(new String(part, StandardCharsets.UTF_8));
            }
            json.writeEndArray();
            json.writeEndObject();
          }
        });
  }
}
