package dev.gossamer.cli.settings;

import dev.gossamer.base.InvalidInputException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// The JSON schema of a [ConfigFile]: a property for each flag that is a setting, with its type,
/// its default and its help.
public final class SettingsSchema {
  private static final JsonMapper JSON = new JsonMapper();

  private SettingsSchema() {}

  /// Returns the schema of a command's settings, on several lines.
  ///
  /// @throws InvalidInputException if the command reads no file of settings
  public static String of(CommandSpec command) {
    if (command.findOption("--config") == null) {
      throw new InvalidInputException(
          "COMMAND: expected one with --config, found " + command.qualifiedName());
    }
    ObjectNode schema = JSON.createObjectNode();
    schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.put("title", "Settings of '%s'".formatted(command.qualifiedName()));
    schema.put("type", "object");
    schema.put("additionalProperties", false);
    ObjectNode properties = schema.putObject("properties");
    for (OptionSpec option : command.options()) {
      if (ConfigFile.isSetting(option)) {
        describe(properties.putObject(option.longestName().substring(2)), option);
      }
    }
    return JSON.writerWithDefaultPrettyPrinter().writeValueAsString(schema);
  }

  private static void describe(ObjectNode property, OptionSpec option) {
    property.put("description", String.join(" ", option.description()));
    Class<?> type = option.auxiliaryTypes()[0];
    if (Collection.class.isAssignableFrom(option.type())) {
      ArrayNode either = property.putArray("anyOf");
      addType(either.addObject(), type, option);
      ObjectNode list = either.addObject();
      list.put("type", "array");
      addType(list.putObject("items"), type, option);
    } else {
      addType(property, type, option);
      addDefault(property, type, option.defaultValue());
    }
  }

  private static void addType(ObjectNode node, Class<?> type, OptionSpec option) {
    if (type == boolean.class || type == Boolean.class) {
      node.put("type", "boolean");
    } else if (isInteger(type)) {
      node.put("type", "integer");
    } else if (type == double.class || type == Double.class) {
      node.put("type", "number");
    } else if (option.completionCandidates() != null) {
      ArrayNode names = node.putArray("enum");
      option.completionCandidates().forEach(names::add);
    } else {
      ArrayNode scalars = node.putArray("type");
      scalars.add("string").add("number").add("boolean");
    }
  }

  private static boolean isInteger(Class<?> type) {
    return type == int.class || type == Integer.class || type == long.class || type == Long.class;
  }

  private static void addDefault(ObjectNode node, Class<?> type, @Nullable String usual) {
    if (usual == null) {
      return;
    }
    if (isInteger(type)) {
      node.put("default", Long.parseLong(usual));
    } else if (type == double.class) {
      node.put("default", Double.parseDouble(usual));
    } else {
      node.put("default", usual);
    }
  }
}
