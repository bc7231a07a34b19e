package dev.gossamer;

import dev.gossamer.Architecture.FeatureScaling;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.LayerKinds;
import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.nn.Order;
import dev.gossamer.nn.ParameterLayout;
import dev.gossamer.nn.Safetensors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `model.safetensors`: one tensor a parameter, and in the metadata a [ModelDescription] as JSON
/// under `gossamer`. Whoever has the file can predict.
final class ModelFile {
  /// What `format` says.
  private static final String FORMAT = "gossamer-model";

  private static final String DESCRIPTION = "gossamer";
  private static final int VERSION = 2;
  private static final JsonMapper JSON = new JsonMapper();

  private ModelFile() {}

  /// Parameters of a network, which do not depend on the order of its products.
  static ParameterLayout layout(ModelDescription description) {
    return Network.of(
            description.network(),
            description.features().width(),
            description.classes().size(),
            (l, in, out) -> Order.AGGREGATE_AND_KEEP)
        .layout();
  }

  /// Writes a model, whole or not at all.
  ///
  /// @param weights of the [#layout], flat
  static void write(Path file, ModelDescription description, MemorySegment weights) {
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    for (ParameterLayout.Entry entry : layout(description).entries()) {
      tensors.put(entry.name(), new Safetensors.Tensor(entry.shape(), entry.of(weights)));
    }
    new Safetensors(tensors, Map.of("format", FORMAT, DESCRIPTION, json(description))).write(file);
  }

  private static String json(ModelDescription description) {
    NetworkSettings network = description.network();
    ObjectNode node = JSON.createObjectNode();
    node.put("version", VERSION);
    node.put("task", "vertex-classification");
    ObjectNode shape = node.putObject("network");
    shape.put("layer", network.kind().name());
    ObjectNode options = shape.putObject("options");
    new TreeMap<>(network.kind().options()).forEach(options::put);
    ArrayNode hidden = shape.putArray("hidden");
    network.hidden().forEach(hidden::add);
    shape.put("normalisation", name(network.normalisation()));
    shape.put("selfLoops", network.selfLoops());
    ObjectNode features = node.putObject("features");
    features.put("width", description.features().width());
    features.put("scaling", name(description.features().scaling()));
    ArrayNode classes = node.putArray("classes");
    description.classes().forEach(classes::add);
    ObjectNode facts = node.putObject("training");
    new TreeMap<>(description.facts()).forEach(facts::put);
    return JSON.writeValueAsString(node);
  }

  private static String name(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// A model as its file has it.
  ///
  /// @param weights of the [#layout], flat
  record Read(ModelDescription description, MemorySegment weights) {}

  /// Reads a model.
  ///
  /// @param arena owner of the weights
  /// @throws InvalidInputException if it is missing, damaged, or none of a graph network
  static Read read(Arena arena, Path file) {
    try (Arena mapping = Arena.ofConfined()) {
      Safetensors tensors = Safetensors.open(mapping, file);
      String json = tensors.metadata().get(DESCRIPTION);
      if (!FORMAT.equals(tensors.metadata().get("format")) || json == null) {
        throw new InvalidInputException(
            "%s: expected the model of a graph network with its description (format %s, version %d), found %s; train it again with this version"
                .formatted(
                    file,
                    FORMAT,
                    VERSION,
                    FORMAT.equals(tensors.metadata().get("format"))
                        ? "weights alone"
                        : "another kind of file"));
      }
      ModelDescription description = description(file, json);
      ParameterLayout layout = layout(description);
      MemorySegment weights = arena.allocate(layout.count() * Float.BYTES, Float.BYTES);
      tensors.copyTo(file, layout, weights);
      return new Read(description, weights);
    }
  }

  private static ModelDescription description(Path file, String json) {
    try {
      JsonNode node = JSON.readTree(json);
      int version = required(node, "version").asInt();
      if (version != VERSION) {
        throw new InvalidInputException(
            "%s: expected a model of version %d, found %d".formatted(file, VERSION, version));
      }
      JsonNode features = required(node, "features");
      return new ModelDescription(
          network(required(node, "network")),
          new ModelDescription.Features(
              required(features, "width").asInt(),
              value(FeatureScaling.class, required(features, "scaling"))),
          texts(required(node, "classes")),
          facts(required(node, "training")));
    } catch (InvalidInputException e) {
      throw e;
    } catch (JacksonException | IllegalArgumentException e) {
      throw new InvalidInputException(
          "%s: metadata: expected the description of a model, found %s"
              .formatted(file, e.getMessage()),
          e);
    }
  }

  private static NetworkSettings network(JsonNode node) {
    Map<String, String> options = new LinkedHashMap<>();
    required(node, "options")
        .properties()
        .forEach(each -> options.put(each.getKey(), each.getValue().asString()));
    LayerKind kind = LayerKinds.named(required(node, "layer").asString(), options);
    List<Integer> hidden = new ArrayList<>();
    required(node, "hidden").forEach(width -> hidden.add(width.asInt()));
    return NetworkSettings.of(kind)
        .withGraph(
            value(Normalisation.class, required(node, "normalisation")),
            required(node, "selfLoops").asBoolean())
        .withHidden(hidden);
  }

  private static JsonNode required(JsonNode node, String name) {
    JsonNode found = node.get(name);
    if (found == null) {
      throw new IllegalArgumentException("no " + name);
    }
    return found;
  }

  private static <E extends Enum<E>> E value(Class<E> type, JsonNode node) {
    return Enum.valueOf(type, node.asString().toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(each -> texts.add(each.asString()));
    return texts;
  }

  private static Map<String, String> facts(JsonNode node) {
    Map<String, String> facts = new LinkedHashMap<>();
    node.properties().forEach(each -> facts.put(each.getKey(), each.getValue().asString()));
    return facts;
  }
}
