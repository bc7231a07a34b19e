package dev.gossamer.cli.terminal;

import java.util.Map;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// The objects that `--json` prints. Each has a schema version, which changes when a field is
/// removed or its meaning changes; docs/json.md describes them.
public final class JsonOutput {
  /// Version of all objects.
  public static final int VERSION = 1;

  private static final JsonMapper JSON = new JsonMapper();

  private JsonOutput() {}

  /// Returns an object to which a command adds its fields.
  public static ObjectNode object() {
    ObjectNode node = JSON.createObjectNode();
    node.put("schema_version", VERSION);
    return node;
  }

  /// Returns an object with these fields.
  public static ObjectNode object(Map<String, ?> fields) {
    ObjectNode node = object();
    fields.forEach((name, value) -> node.set(name, JSON.valueToTree(value)));
    return node;
  }

  /// Adds the settings of a run, as flags without their dashes.
  public static void putSettings(ObjectNode node, Map<String, Object> settings) {
    node.set("settings", JSON.valueToTree(settings));
  }

  /// Returns the object of a command that fails.
  ///
  /// @param status exit status
  static ObjectNode failure(String message, int status) {
    ObjectNode node = object();
    node.put("error", message);
    node.put("exit_status", status);
    return node;
  }

  /// Returns the object as one line.
  public static String line(ObjectNode node) {
    return JSON.writeValueAsString(node);
  }
}
