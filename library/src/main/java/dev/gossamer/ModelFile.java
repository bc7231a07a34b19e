package dev.gossamer;

import dev.gossamer.Architecture.FeatureScaling;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.objective.ClassDecision;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.LayerKind;
import dev.gossamer.gnn.stack.LayerKinds;
import dev.gossamer.gnn.stack.Network;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.graph.Relations;
import dev.gossamer.graph.Standardisation;
import dev.gossamer.graph.Task;
import dev.gossamer.nn.layers.Activation;
import dev.gossamer.nn.layers.Jumping;
import dev.gossamer.nn.layers.Norm;
import dev.gossamer.nn.layers.Order;
import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.nn.state.Safetensors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// `model.safetensors`: one tensor per parameter, and in the metadata a [ModelDescription] as JSON
/// under `gossamer`. The file is all that prediction needs.
final class ModelFile {
  /// What `format` says.
  private static final String FORMAT = "gossamer-model";

  private static final String DESCRIPTION = "gossamer";

  /// What models have that older versions of the program can read, too: [Finish#USUAL] and
  /// [ClassDecision#LIKELIEST].
  private static final int PLAIN_VERSION = 2;

  /// What models have that older versions can read that know what follows layers, and decisions.
  private static final int FINISHED_VERSION = 3;

  /// What models have that older versions can read that also know decoders and jumping knowledge.
  private static final int JUMPING_VERSION = 4;

  private static final int VERSION = 5;

  /// Before the name of the task.
  private static final String TASK = "vertex-";

  private static final String DECODER = "decoder";

  private static final String EDGES = "edges";

  private static final String INPUT_PROJECTION = "inputProjection";

  private static final String FEED_FORWARD = "feedForward";

  /// Names, values and brackets of a description, at most: what parsing takes is bounded by them.
  private static final int MAX_TOKENS = 1 << 22;

  private static final JsonMapper JSON =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxTokenCount(MAX_TOKENS).build())
                  .build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  private ModelFile() {}

  /// Parameters of a network, which do not depend on the order of its products.
  static ParameterLayout layout(ModelDescription description) {
    return Network.of(
            description.network(),
            description.features().width(),
            description.outputs().names().size(),
            (l, in, out) -> Order.AGGREGATE_AND_KEEP)
        .layout();
  }

  /// Whether a file is a model of a graph.
  static boolean isIn(Path file) {
    try (Arena mapping = Arena.ofConfined()) {
      return FORMAT.equals(Safetensors.open(mapping, file).metadata().get("format"));
    }
  }

  /// Writes a model atomically.
  ///
  /// @param weights of the [#layout], flat
  static void write(Path file, ModelDescription description, MemorySegment weights) {
    new Safetensors(tensors(description, weights), metadata(description)).write(file);
  }

  /// The parameters by their names, in the order of the file.
  ///
  /// @param weights of the [#layout], flat; borrowed
  static Map<String, Safetensors.Tensor> tensors(
      ModelDescription description, MemorySegment weights) {
    Map<String, Safetensors.Tensor> tensors = new LinkedHashMap<>();
    for (ParameterLayout.Entry entry : layout(description).entries()) {
      tensors.put(entry.name(), new Safetensors.Tensor(entry.shape(), entry.of(weights)));
    }
    return tensors;
  }

  /// All that the file says besides.
  static Map<String, String> metadata(ModelDescription description) {
    return Map.of("format", FORMAT, DESCRIPTION, json(description));
  }

  private static String json(ModelDescription description) {
    NetworkSettings network = description.network();
    ObjectNode node = JSON.createObjectNode();
    ClassDecision decision = description.outputs().decision();
    int version = version(network, decision);
    node.put("version", version);
    node.put("task", name(description.outputs().task()));
    ObjectNode shape = node.putObject("network");
    shape.put("layer", network.kind().name());
    ObjectNode options = shape.putObject("options");
    new TreeMap<>(network.kind().options())
        .forEach((option, value) -> options.put(option, value.toString()));
    if (!network.kind().relations().isEmpty()) {
      ArrayNode relations = shape.putArray("relations");
      network.kind().relations().forEach(relations::add);
    }
    ArrayNode hidden = shape.putArray("hidden");
    network.hidden().forEach(hidden::add);
    shape.put("normalisation", InvalidSettingException.nameOf(network.normalisation()));
    shape.put("selfLoops", network.selfLoops());
    put(shape, network.finish(), version);
    if (!network.decoder().isDot()) {
      put(shape.putObject(DECODER), network.decoder());
    }
    ObjectNode features = node.putObject("features");
    features.put("width", description.features().width());
    features.put("scaling", InvalidSettingException.nameOf(description.features().scaling()));
    if (!description.features().names().isEmpty()) {
      ArrayNode names = features.putArray("names");
      description.features().names().forEach(names::add);
    }
    if (!description.features().encoding().isEmpty()) {
      features.put("encoding", description.features().encoding());
    }
    String schema = description.features().schema();
    if (schema != null) {
      features.set("schema", JSON.readTree(schema));
    }
    Standardisation standard = description.features().standard();
    if (standard != null) {
      put(features, standard);
    }
    ArrayNode outputs = node.putArray(key(description.outputs().task()));
    description.outputs().names().forEach(outputs::add);
    Standardisation units = description.outputs().units();
    if (units != null) {
      put(node.putObject("units"), units);
    }
    if (!decision.equals(ClassDecision.LIKELIEST)) {
      ObjectNode how = node.putObject("decision");
      how.put("temperature", decision.temperature());
      if (decision.threshold() != null) {
        how.put("threshold", decision.threshold());
      }
    }
    ModelDescription.Edges edges = description.edges();
    if (edges != null) {
      ObjectNode form = node.putObject(EDGES);
      form.put("directed", edges.directed());
      form.put("weighted", edges.weighted());
      ModelDescription.EdgeColumns columns = edges.columns();
      if (columns != null) {
        put(form.putObject("features"), columns);
      }
    }
    ObjectNode facts = node.putObject("training");
    new TreeMap<>(description.facts()).forEach(facts::put);
    return JSON.writeValueAsString(node);
  }

  private static void put(ObjectNode node, ModelDescription.EdgeColumns columns) {
    node.put("width", columns.width());
    if (!columns.names().isEmpty()) {
      ArrayNode names = node.putArray("names");
      columns.names().forEach(names::add);
    }
    if (!columns.encoding().isEmpty()) {
      node.put("encoding", columns.encoding());
    }
  }

  private static void put(ObjectNode node, Standardisation scale) {
    ArrayNode means = node.putArray("means");
    scale.means().forEach(means::add);
    ArrayNode deviations = node.putArray("deviations");
    scale.deviations().forEach(deviations::add);
  }

  /// The oldest version that has all that a model has.
  private static int version(NetworkSettings network, ClassDecision decision) {
    Finish finish = network.finish();
    if (finish.inputProjection() || finish.feedForward()) {
      return VERSION;
    }
    if (finish.jumps() || !network.decoder().isDot()) {
      return JUMPING_VERSION;
    }
    boolean plain = finish.equals(Finish.USUAL) && decision.equals(ClassDecision.LIKELIEST);
    return plain ? PLAIN_VERSION : FINISHED_VERSION;
  }

  private static void put(ObjectNode shape, Finish finish, int version) {
    if (version >= FINISHED_VERSION) {
      if (finish.activation() != null) {
        shape.put("activation", InvalidSettingException.nameOf(finish.activation()));
      }
      shape.put("norm", InvalidSettingException.nameOf(finish.norm()));
      shape.put("residual", finish.residual());
    }
    if (version >= JUMPING_VERSION) {
      shape.put("jumping", InvalidSettingException.nameOf(finish.jumping()));
    }
    if (version >= VERSION) {
      shape.put(INPUT_PROJECTION, finish.inputProjection());
      shape.put(FEED_FORWARD, finish.feedForward());
    }
  }

  private static void put(ObjectNode node, LinkDecoder decoder) {
    node.put("kind", InvalidSettingException.nameOf(decoder.kind()));
    node.put("directed", decoder.directed());
    ArrayNode types = node.putArray("types");
    decoder.types().forEach(types::add);
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
      ModelDescription description = description(file, tensors.metadata());
      return new Read(description, tensors.parameters(arena, file, layout(description)));
    }
  }

  /// Reads the description of a model, without its weights.
  ///
  /// @throws InvalidInputException if it is missing, damaged, or none of a graph network
  static ModelDescription describe(Path file) {
    try (Arena mapping = Arena.ofConfined()) {
      return description(file, Safetensors.open(mapping, file).metadata());
    }
  }

  private static ModelDescription description(Path file, Map<String, String> metadata) {
    String json = metadata.get(DESCRIPTION);
    if (!FORMAT.equals(metadata.get("format")) || json == null) {
      throw new InvalidInputException(
          "%s: expected the model of a graph network with its description (format %s, version %d), found %s; train it again with this version"
              .formatted(
                  file,
                  FORMAT,
                  VERSION,
                  FORMAT.equals(metadata.get("format"))
                      ? "weights alone"
                      : "another kind of file"));
    }
    return description(file, json);
  }

  private static ModelDescription description(Path file, String json) {
    try {
      Fields root = new Fields(file, "", JSON.readTree(json));
      int version = root.count("version", 1);
      if (version < PLAIN_VERSION || version > VERSION) {
        throw new InvalidInputException(
            "%s: expected a model of version %d to %d, found %d"
                .formatted(file, PLAIN_VERSION, VERSION, version));
      }
      ModelDescription.Edges edges = root.has(EDGES) ? edges(root.object(EDGES)) : null;
      NetworkSettings network = network(root.object("network"), version);
      return new ModelDescription(
          edges == null || edges.columns() == null
              ? network
              : network.onEdges(edges.columns().width()),
          features(root.object("features")),
          outputs(root),
          edges,
          root.object("training").texts());
    } catch (InvalidSettingException e) {
      throw new InvalidInputException("%s: description: %s".formatted(file, e.getMessage()), e);
    } catch (JacksonException e) {
      throw new InvalidInputException(
          "%s: description: expected JSON, found something else".formatted(file), e);
    }
  }

  /// The key of the names of what is predicted.
  private static String name(Task task) {
    String name = InvalidSettingException.nameOf(task);
    return task == Task.LINKS ? name : TASK + name;
  }

  private static String key(Task task) {
    return switch (task) {
      case CLASSIFICATION -> "classes";
      case MULTI_LABEL -> "labels";
      case REGRESSION -> "numbers";
      case LINKS -> "embedding";
    };
  }

  private static ModelOutputs outputs(Fields root) {
    String text = root.text("task");
    Task task =
        Arrays.stream(Task.values())
            .filter(each -> text.equals(name(each)))
            .findFirst()
            .orElseThrow(() ->
                root.wrong(
                    "task",
                    Arrays.stream(Task.values())
                        .map(ModelFile::name)
                        .collect(Collectors.joining(", ", "one of ", "")),
                    text));
    List<String> names = root.names(key(task), task == Task.CLASSIFICATION ? 2 : 1);
    return new ModelOutputs(
        task,
        names,
        task == Task.REGRESSION ? standard(root.object("units"), names.size()) : null,
        root.has("decision") ? decision(root, task, names.size()) : ClassDecision.LIKELIEST);
  }

  private static ModelDescription.Edges edges(Fields fields) {
    return new ModelDescription.Edges(
        fields.flag("directed"),
        fields.flag("weighted"),
        fields.has("features") ? columns(fields.object("features")) : null);
  }

  private static ModelDescription.EdgeColumns columns(Fields fields) {
    int width = fields.count("width", 1);
    List<String> names = fields.has("names") ? fields.names("names", 1) : List.of();
    if (!names.isEmpty() && names.size() != width) {
      throw fields.wrong("names", width + " names", names.size() + " names");
    }
    return new ModelDescription.EdgeColumns(
        width, names, fields.has("encoding") ? fields.text("encoding") : "");
  }

  private static ClassDecision decision(Fields root, Task task, int classes) {
    if (task != Task.CLASSIFICATION) {
      throw root.wrong("decision", "none, since no classes are predicted", "one");
    }
    Fields fields = root.object("decision");
    double temperature = fields.number("temperature");
    if (!ClassDecision.isTemperature(temperature)) {
      throw fields.wrong(
          "temperature",
          "%s to %s".formatted(ClassDecision.MIN_TEMPERATURE, ClassDecision.MAX_TEMPERATURE),
          Double.toString(temperature));
    }
    if (!fields.has("threshold")) {
      return new ClassDecision(temperature, null);
    }
    double threshold = fields.number("threshold");
    if (classes != 2) {
      throw fields.wrong("threshold", "none of %d classes".formatted(classes), "one");
    }
    if (!ClassDecision.isThreshold(threshold)) {
      throw fields.wrong("threshold", "a number between 0 and 1", Double.toString(threshold));
    }
    return new ClassDecision(temperature, threshold);
  }

  private static NetworkSettings network(Fields fields, int version) {
    LayerKind kind = LayerKinds.named(fields.text("layer"), fields.object("options").texts());
    return NetworkSettings.of(relations(fields, kind))
        .withGraph(fields.choice(Normalisation.class, "normalisation"), fields.flag("selfLoops"))
        .withHidden(fields.counts("hidden"))
        .withFinish(version == PLAIN_VERSION ? Finish.USUAL : finish(fields, version))
        .withDecoder(fields.has(DECODER) ? decoder(fields.object(DECODER)) : LinkDecoder.DOT);
  }

  private static LinkDecoder decoder(Fields fields) {
    LinkDecoder.Kind kind = fields.choice(LinkDecoder.Kind.class, "kind");
    List<String> types = fields.names("types", kind == LinkDecoder.Kind.DOT ? 0 : 1);
    boolean directed = fields.flag("directed");
    int most = kind == LinkDecoder.Kind.DOT ? 0 : GraphTypes.MOST_EDGES;
    if (types.size() > most) {
      throw fields.wrong("types", "at most %d names".formatted(most), types.size() + " names");
    }
    if (directed && kind != LinkDecoder.Kind.BILINEAR) {
      throw fields.wrong("directed", "false, but for bilinear", "true");
    }
    return new LinkDecoder(kind, types, directed);
  }

  /// The kind with the relations of the graph that it was trained on.
  private static LayerKind relations(Fields fields, LayerKind kind) {
    if (kind.sight() != LayerKind.Sight.RELATIONS) {
      return kind;
    }
    List<String> names = fields.names("relations", 1);
    if (names.size() > Relations.MOST) {
      throw fields.wrong(
          "relations", "at most %d names".formatted(Relations.MOST), names.size() + " names");
    }
    return kind.on(new Relations(names, List.of()));
  }

  private static Finish finish(Fields fields, int version) {
    Activation.Function activation =
        fields.has("activation") ? fields.choice(Activation.Function.class, "activation") : null;
    Finish plain =
        new Finish(activation, fields.choice(Norm.class, "norm"), fields.flag("residual"));
    if (version < JUMPING_VERSION) {
      return plain;
    }
    Finish jumping = plain.withJumping(fields.choice(Jumping.class, "jumping"));
    return version < VERSION
        ? jumping
        : jumping
            .withInputProjection(fields.flag(INPUT_PROJECTION))
            .withFeedForward(fields.flag(FEED_FORWARD));
  }

  private static ModelDescription.Features features(Fields fields) {
    int width = fields.count("width", 1);
    List<String> names = fields.has("names") ? fields.names("names", 1) : List.of();
    if (!names.isEmpty() && names.size() != width) {
      throw fields.wrong("names", width + " names", names.size() + " names");
    }
    FeatureScaling scaling = fields.choice(FeatureScaling.class, "scaling");
    return new ModelDescription.Features(
        width,
        scaling,
        names,
        fields.has("encoding") ? fields.text("encoding") : "",
        scaling == FeatureScaling.STANDARD ? standard(fields, width) : null,
        fields.has("schema") ? fields.object("schema").node().toString() : null);
  }

  private static Standardisation standard(Fields fields, int width) {
    List<Double> deviations = fields.numbers("deviations", width);
    if (deviations.stream().anyMatch(deviation -> deviation <= 0)) {
      throw fields.wrong("deviations", "positive numbers", "one that is not");
    }
    return new Standardisation(fields.numbers("means", width), deviations);
  }

  /// An object of the description, which may hold anything, and each field's complaint.
  ///
  /// @param place names of the objects around it, each with a dot behind it
  private record Fields(Path file, String place, JsonNode node) {
    boolean has(String key) {
      return node.has(key);
    }

    Fields object(String key) {
      JsonNode found = node.path(key);
      if (!found.isObject()) {
        throw wrong(key, "an object", found);
      }
      return new Fields(file, place + key + ".", found);
    }

    /// All fields, which are strings.
    Map<String, String> texts() {
      Map<String, String> texts = new LinkedHashMap<>();
      node.properties().forEach(each -> texts.put(each.getKey(), text(each.getKey())));
      return texts;
    }

    String text(String key) {
      JsonNode found = node.path(key);
      if (!found.isString()) {
        throw wrong(key, "a string", found);
      }
      return found.stringValue();
    }

    boolean flag(String key) {
      JsonNode found = node.path(key);
      if (!found.isBoolean()) {
        throw wrong(key, "true or false", found);
      }
      return found.booleanValue();
    }

    int count(String key, int least) {
      JsonNode found = node.path(key);
      if (!found.isIntegralNumber() || !found.canConvertToInt() || found.intValue() < least) {
        throw wrong(
            key,
            "an integer of at least %d and at most %d".formatted(least, Integer.MAX_VALUE),
            found);
      }
      return found.intValue();
    }

    List<Integer> counts(String key) {
      Fields elements = array(key);
      List<Integer> counts = new ArrayList<>();
      for (JsonNode each : elements.node()) {
        if (!each.isIntegralNumber() || !each.canConvertToInt() || each.intValue() < 1) {
          throw wrong(key, "integers of at least 1 and at most " + Integer.MAX_VALUE, each);
        }
        counts.add(each.intValue());
      }
      return counts;
    }

    double number(String key) {
      JsonNode found = node.path(key);
      if (!found.isNumber() || !Double.isFinite(found.doubleValue())) {
        throw wrong(key, "a finite number", found);
      }
      return found.doubleValue();
    }

    List<Double> numbers(String key, int count) {
      Fields elements = array(key);
      if (elements.node().size() != count) {
        throw wrong(key, count + " numbers", elements.node().size() + " elements");
      }
      List<Double> numbers = new ArrayList<>();
      for (JsonNode each : elements.node()) {
        if (!each.isNumber() || !Double.isFinite(each.doubleValue())) {
          throw wrong(key, "finite numbers", each);
        }
        numbers.add(each.doubleValue());
      }
      return numbers;
    }

    /// Names that people will read in files and on terminals.
    List<String> names(String key, int least) {
      Fields elements = array(key);
      if (elements.node().size() < least) {
        throw wrong(key, "at least %d names".formatted(least), elements.node().size() + " names");
      }
      List<String> names = new ArrayList<>();
      for (JsonNode each : elements.node()) {
        if (!each.isString() || Dataset.hasControlCharacter(each.stringValue())) {
          throw wrong(key, "strings without control characters", each);
        }
        names.add(each.stringValue());
      }
      return names;
    }

    private Fields array(String key) {
      JsonNode found = node.path(key);
      if (!found.isArray()) {
        throw wrong(key, "an array", found);
      }
      return new Fields(file, place, found);
    }

    <E extends Enum<E>> E choice(Class<E> type, String key) {
      for (E each : type.getEnumConstants()) {
        if (InvalidSettingException.nameOf(each).equals(node.path(key).stringValue(""))) {
          return each;
        }
      }
      String names =
          Arrays.stream(type.getEnumConstants())
              .map(InvalidSettingException::nameOf)
              .collect(Collectors.joining(", "));
      throw wrong(key, "one of " + names, node.path(key));
    }

    private InvalidInputException wrong(String key, String expected, JsonNode found) {
      return wrong(key, expected, found.isMissingNode() ? "nothing" : found.toString());
    }

    InvalidInputException wrong(String key, String expected, String found) {
      int most = 60;
      return new InvalidInputException(
          "%s: description: %s%s: expected %s, found %s"
              .formatted(
                  file,
                  place,
                  key,
                  expected,
                  found.length() <= most ? found : found.substring(0, most) + "..."));
    }
  }
}
