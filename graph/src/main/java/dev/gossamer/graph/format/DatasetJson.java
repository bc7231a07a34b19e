package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.io.InputFile;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.EdgeTimes;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.Task;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/// The file `dataset.json` of a data set folder.
///
/// @param task what is predicted of each vertex
/// @param targets names of labels or numbers to predict; empty for classes
/// @param vertices `n`
/// @param arcs stored entries of `A`
/// @param features kind of storage of `X`
/// @param width `f`; 0 without features
/// @param nnz stored entries of `X`; 0 without features
/// @param vertexTypes types of vertices; empty if there is one
/// @param edgeTypes name of each type of edges; empty without types
/// @param edgeTimes unit of the times of edges; null without times
/// @param edgeWidth features per edge; 0 without
record DatasetJson(
    GraphData.Info info,
    Task task,
    List<String> targets,
    int vertices,
    long arcs,
    FeatureKind features,
    int width,
    long nnz,
    List<GraphTypes.OfVertices> vertexTypes,
    List<String> edgeTypes,
    EdgeTimes.@Nullable Unit edgeTimes,
    int edgeWidth) {
  static final String FILE = "dataset.json";
  static final String FORMAT = "gossamer-dataset";
  static final int VERSION = 1;

  private static final Set<String> KEYS =
      Set.of(
          "format",
          "version",
          "name",
          "vertices",
          "arcs",
          "directed",
          "classes",
          "class_names",
          "nested_names",
          "features",
          "provenance",
          "schema",
          "task",
          "targets",
          "vertex_types",
          "edge_types",
          "edge_times",
          "edge_features");
  private static final int LONGEST = 16 << 20;

  enum FeatureKind {
    DENSE("dense"),
    SPARSE("sparse"),
    NONE("none");

    private final String key;

    FeatureKind(String key) {
      this.key = key;
    }
  }

  /// Of a data set that is written.
  static DatasetJson of(GraphData d, FeatureKind features, int width, long nnz) {
    GraphTypes types = d.types();
    EdgeTimes times = d.times();
    EdgeFeatures ofEdges = d.edgeFeatures();
    return new DatasetJson(
        d.info(),
        d.task(),
        d.targets() == null ? List.of() : d.outputNames(),
        d.vertices(),
        d.adjacency().nnz(),
        features,
        width,
        nnz,
        types == null ? List.of() : types.vertices(),
        types == null ? List.of() : types.edges(),
        times == null ? null : times.unit(),
        ofEdges == null ? 0 : ofEdges.width());
  }

  void write(Path folder) throws IOException {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("format", FORMAT);
    json.put("version", VERSION);
    json.put("name", info.name());
    json.put("vertices", vertices);
    json.put("arcs", arcs);
    json.put("directed", info.directed());
    json.put("classes", info.classNames().size());
    json.put("class_names", info.classNames());
    json.put("nested_names", info.nestedNames());
    if (task != Task.CLASSIFICATION) {
      json.put("task", InvalidSettingException.nameOf(task));
      json.put("targets", targets);
    }
    Map<String, Object> x = new LinkedHashMap<>();
    x.put("kind", features.key);
    x.put("width", width);
    x.put("nnz", nnz);
    json.put("features", x);
    json.put("provenance", new TreeMap<>(info.provenance()));
    if (!vertexTypes.isEmpty()) {
      json.put(
          "vertex_types",
          vertexTypes.stream()
              .map(type -> Map.of("name", type.name(), "vertices", type.count()))
              .map(TreeMap::new)
              .toList());
      json.put("edge_types", edgeTypes);
    }
    if (edgeTimes != null) {
      json.put("edge_times", InvalidSettingException.nameOf(edgeTimes));
    }
    if (edgeWidth > 0) {
      json.put("edge_features", edgeWidth);
    }
    JsonMapper mapper = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();
    String schema = info.schema();
    if (schema != null) {
      json.put("schema", mapper.readTree(schema));
    }
    Files.writeString(folder.resolve(FILE), mapper.writeValueAsString(json) + "\n");
  }

  static DatasetJson read(Path folder) {
    Path file = folder.resolve(FILE);
    JsonMapper mapper =
        JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    try {
      JsonNode root = mapper.readTree(InputFile.of(file).text(LONGEST));
      return new Fields(file, root).dataset();
    } catch (JacksonException e) {
      throw JsonTokens.damaged(file, e);
    }
  }

  /// The fields of a parsed file, each with its own complaint.
  private record Fields(Path file, JsonNode root) {
    DatasetJson dataset() {
      if (!root.isObject()) {
        throw wrong("", "a JSON object", root);
      }
      for (String key : root.propertyNames()) {
        if (!KEYS.contains(key)) {
          throw new InvalidInputException(
              "%s: key '%s': expected one of %s, found another; facts of your own belong under"
                      .formatted(file, key, String.join(", ", KEYS.stream().sorted().toList()))
                  + " provenance");
        }
      }
      if (!FORMAT.equals(root.path("format").stringValue(""))) {
        throw wrong("format", "\"" + FORMAT + "\"", root.path("format"));
      }
      if (number("version", VERSION, VERSION) != VERSION) {
        throw wrong("version", Integer.toString(VERSION), root.path("version"));
      }
      List<String> classNames = strings("class_names");
      ArrayChecks.classNames(file + ": class_names", classNames);
      requireClasses(classNames.size());
      GraphData.Info info =
          new GraphData.Info(
              string("name"),
              flag("directed"),
              classNames,
              root.has("nested_names") && flag("nested_names"),
              provenance(),
              schema());
      JsonNode x = root.path("features");
      FeatureKind kind = kind(x);
      Fields features = new Fields(file, x);
      boolean some = kind != FeatureKind.NONE;
      int vertices = (int) number("vertices", 0, Integer.MAX_VALUE);
      List<GraphTypes.OfVertices> vertexTypes = vertexTypes(vertices);
      Task task = task();
      return new DatasetJson(
          info,
          task,
          targets(task, classNames),
          vertices,
          number("arcs", 0, Long.MAX_VALUE / Long.BYTES),
          kind,
          some ? (int) features.number("width", 1, Integer.MAX_VALUE) : 0,
          kind == FeatureKind.SPARSE ? features.number("nnz", 0, Long.MAX_VALUE / Long.BYTES) : 0,
          vertexTypes,
          edgeTypes(!vertexTypes.isEmpty()),
          edgeTimes(),
          root.has("edge_features") ? (int) number("edge_features", 1, Integer.MAX_VALUE) : 0);
    }

    private Task task() {
      if (!root.has("task")) {
        return Task.CLASSIFICATION;
      }
      String text = root.path("task").stringValue("");
      for (Task task : List.of(Task.MULTI_LABEL, Task.REGRESSION)) {
        if (InvalidSettingException.nameOf(task).equals(text)) {
          return task;
        }
      }
      throw wrong("task", "multi-label or regression", root.path("task"));
    }

    private List<String> targets(Task task, List<String> classNames) {
      List<String> targets = strings("targets");
      boolean classes = task == Task.CLASSIFICATION;
      if (classes != targets.isEmpty()) {
        throw wrong(
            "targets",
            classes ? "none without task" : "the name of each label or number",
            root.path("targets"));
      }
      if (!classes && !classNames.isEmpty()) {
        throw wrong("class_names", "none beside targets", root.path("class_names"));
      }
      return targets;
    }

    private FeatureKind kind(JsonNode x) {
      String key = x.path("kind").stringValue("");
      for (FeatureKind kind : FeatureKind.values()) {
        if (kind.key.equals(key)) {
          return kind;
        }
      }
      throw wrong("features.kind", "dense, sparse or none", x.path("kind"));
    }

    private List<String> strings(String key) {
      List<String> strings = new ArrayList<>();
      for (JsonNode each : root.path(key)) {
        if (!each.isString()) {
          throw wrong(key, "strings", each);
        }
        strings.add(each.stringValue());
      }
      return strings;
    }

    private void requireClasses(int names) {
      long classes = number("classes", 0, Integer.MAX_VALUE);
      if (classes != names) {
        throw new InvalidInputException(
            "%s: classes: expected %d, the number of class_names, found %d"
                .formatted(file, names, classes));
      }
    }

    private List<GraphTypes.OfVertices> vertexTypes(int vertices) {
      List<GraphTypes.OfVertices> types = new ArrayList<>();
      long sum = 0;
      for (JsonNode each : root.path("vertex_types")) {
        if (!each.isObject()) {
          throw wrong("vertex_types", "objects with name and vertices", each);
        }
        Fields type = new Fields(file, each);
        types.add(
            new GraphTypes.OfVertices(
                type.string("name"), (int) type.number("vertices", 0, vertices)));
        sum += types.getLast().count();
      }
      if (!types.isEmpty() && sum != vertices) {
        throw new InvalidInputException(
            "%s: vertex_types: expected %d vertices, found %d".formatted(file, vertices, sum));
      }
      return types;
    }

    private List<String> edgeTypes(boolean typed) {
      List<String> types = strings("edge_types");
      if (typed ? types.isEmpty() || types.size() > GraphTypes.MOST_EDGES : !types.isEmpty()) {
        throw new InvalidInputException(
            "%s: edge_types: expected 1 to %d beside vertex_types, found %d"
                .formatted(file, GraphTypes.MOST_EDGES, types.size()));
      }
      return types;
    }

    private EdgeTimes.@Nullable Unit edgeTimes() {
      if (!root.has("edge_times")) {
        return null;
      }
      String text = root.path("edge_times").stringValue("");
      for (EdgeTimes.Unit unit : EdgeTimes.Unit.values()) {
        if (InvalidSettingException.nameOf(unit).equals(text)) {
          return unit;
        }
      }
      throw wrong("edge_times", "numbers or dates", root.path("edge_times"));
    }

    private Map<String, String> provenance() {
      Map<String, String> facts = new LinkedHashMap<>();
      for (Map.Entry<String, JsonNode> fact : root.path("provenance").properties()) {
        if (!fact.getValue().isString()) {
          throw wrong("provenance." + fact.getKey(), "a string", fact.getValue());
        }
        facts.put(fact.getKey(), fact.getValue().stringValue());
      }
      return facts;
    }

    private @Nullable String schema() {
      JsonNode schema = root.get("schema");
      if (schema != null && !schema.isObject()) {
        throw wrong("schema", "an object", schema);
      }
      return schema == null ? null : schema.toString();
    }

    private String string(String key) {
      JsonNode node = root.path(key);
      if (!node.isString()) {
        throw wrong(key, "a string", node);
      }
      return node.stringValue();
    }

    private boolean flag(String key) {
      JsonNode node = root.path(key);
      if (!node.isBoolean()) {
        throw wrong(key, "true or false", node);
      }
      return node.booleanValue();
    }

    private long number(String key, long least, long most) {
      JsonNode node = root.path(key);
      if (!node.isIntegralNumber()
          || !node.canConvertToLong()
          || node.longValue() < least
          || node.longValue() > most) {
        throw wrong(key, "an integer in %d..%d".formatted(least, most), node);
      }
      return node.longValue();
    }

    private InvalidInputException wrong(String key, String expected, JsonNode found) {
      String text = found.isMissingNode() ? "nothing" : found.toString();
      return new InvalidInputException(
          "%s: %sexpected %s, found %s"
              .formatted(
                  file,
                  key.isEmpty() ? "" : key + ": ",
                  expected,
                  text.length() <= 60 ? text : text.substring(0, 60) + "..."));
    }
  }
}
