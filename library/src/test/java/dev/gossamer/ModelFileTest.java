package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.Architecture.FeatureScaling;
import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/// Model files that are damaged, or made to do harm: one line each, before anything is taken that
/// the file does not warrant.
final class ModelFileTest {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String WEIGHT = "layers.0.weight";

  @TempDir static Path shared;
  @TempDir Path folder;

  private static byte[] good;

  @BeforeAll
  static void train() throws IOException {
    Path file = shared.resolve("good.safetensors");
    try (Dataset dataset = ExampleGraphs.dense(60, 1)) {
      ExampleGraphs.training(dataset).gcn(4).threads(1).epochs(1).run().write(file);
    }
    good = Files.readAllBytes(file);
  }

  private static int headerLength() {
    return (int) ByteBuffer.wrap(good).order(ByteOrder.LITTLE_ENDIAN).getLong();
  }

  private static byte[] tensors() {
    return Arrays.copyOfRange(good, Long.BYTES + headerLength(), good.length);
  }

  private static byte[] file(String header, byte[] tensors) {
    byte[] text = header.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(Long.BYTES + text.length + tensors.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putLong(text.length)
        .put(text)
        .put(tensors)
        .array();
  }

  private static ObjectNode header() {
    String text = new String(good, Long.BYTES, headerLength(), StandardCharsets.UTF_8);
    return (ObjectNode) JSON.readTree(text);
  }

  private void refused(byte[] bytes, String expected) throws IOException {
    Path file = Files.write(folder.resolve("bad.safetensors"), bytes);
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> GraphModel.open(file))
        .withMessageStartingWith(file + ": ")
        .withMessageContaining(expected)
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(500).doesNotMatch("\\p{Cntrl}"));
  }

  @Test
  void theFileThatIsChangedIsGood() throws IOException {
    Path file = Files.write(folder.resolve("same"), file(header().toString(), tensors()));
    assertThat(GraphModel.open(file).classes()).isEqualTo(ExampleGraphs.CLASSES);
  }

  private static Arguments header(String name, Consumer<ObjectNode> change, String expected) {
    return Arguments.of(name, change, expected);
  }

  private static Arguments tensor(String name, Consumer<ObjectNode> change, String expected) {
    return header(name, root -> change.accept((ObjectNode) root.get(WEIGHT)), expected);
  }

  private static Arguments metadata(String name, Consumer<ObjectNode> change, String expected) {
    return header(name, root -> change.accept((ObjectNode) root.get("__metadata__")), expected);
  }

  private static Arguments description(String name, Consumer<ObjectNode> change, String expected) {
    return described(name, change, "description: " + expected);
  }

  /// With another description, which does not fit the tensors.
  private static Arguments described(String name, Consumer<ObjectNode> change, String expected) {
    return metadata(
        name,
        node -> {
          ObjectNode description = (ObjectNode) JSON.readTree(node.get("gossamer").stringValue());
          change.accept(description);
          node.put("gossamer", description.toString());
        },
        expected);
  }

  private static Arguments network(String name, Consumer<ObjectNode> change, String expected) {
    return description(
        name, node -> change.accept((ObjectNode) node.get("network")), "network." + expected);
  }

  /// @param fields with single quotes
  private static Arguments decoder(String name, String fields, String expected) {
    String json = "{" + fields.replace("'", "\"") + "}";
    return network(name, node -> put(node, "decoder", json), expected);
  }

  private static Arguments features(String name, Consumer<ObjectNode> change, String expected) {
    return description(
        name, node -> change.accept((ObjectNode) node.get("features")), "features." + expected);
  }

  private static Arguments decision(String name, String json, String expected) {
    return description(name, node -> put(node, "decision", json), "decision" + expected);
  }

  private static void put(ObjectNode node, String key, String json) {
    node.set(key, JSON.readTree(json));
  }

  /// Makes a network of relations.
  private static void relate(ObjectNode node, String relations) {
    node.put("layer", "rgcn");
    put(node, "relations", relations);
  }

  /// Makes a network whose outputs are computed from all layers.
  private static ObjectNode jump(ObjectNode description, String json) {
    ObjectNode network = (ObjectNode) description.put("version", 4).get("network");
    network.put("norm", "none").put("residual", false);
    put(network, "jumping", json);
    return network;
  }

  private static Arguments jumping(String name, String json, String expected) {
    return described(name, node -> jump(node, json), expected);
  }

  /// Makes a network that may have further dense layers.
  ///
  /// @param key of one of them
  private static Arguments dense(String name, String key, String json, String expected) {
    return described(
        name,
        node -> {
          ObjectNode network = jump(node, "\"none\"");
          node.put("version", 5);
          network.put("inputProjection", false).put("feedForward", false);
          put(network, key, json);
        },
        expected);
  }

  private static Arguments classes(String name, String json, String expected) {
    return description(name, node -> put(node, "classes", json), "classes: " + expected);
  }

  private static void rename(ObjectNode root, String to) {
    root.set(to, root.remove(WEIGHT));
  }

  static Stream<Arguments> changes() {
    String escape = "\"\\u001b[31mred\"";
    BiConsumer<ObjectNode, long[]> offsets =
        (node, range) -> put(node, "data_offsets", Arrays.toString(range));
    return Stream.of(
        metadata("no format", node -> node.remove("format"), "another kind of file"),
        metadata("no description", node -> node.remove("gossamer"), "weights alone"),
        metadata("a number", node -> node.put("format", 1), "format: expected a string, found 1"),
        metadata("not JSON", node -> node.put("gossamer", "{"), "description: expected JSON"),
        metadata("empty", node -> node.put("gossamer", ""), "version: expected an integer"),
        metadata("null", node -> node.put("gossamer", "null"), "version: expected an integer"),
        metadata("a list", node -> node.put("gossamer", "[]"), "version: expected an integer"),
        metadata(
            "deep",
            node -> node.put("gossamer", "[".repeat(100_000)),
            "description: expected JSON"),
        header("null", root -> root.putNull("__metadata__"), "expected an object of strings"),
        header("none", root -> root.remove("__metadata__"), "another kind of file"),
        header("escapes", root -> rename(root, "\u001b[2J\0"), "expected a tensor " + WEIGHT),
        header(
            "one more",
            root -> put(root, "\0", "{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}"),
            "expected 4 tensors, found 5"),
        header("one less", root -> root.remove("layers.1.bias"), "expected "),
        header("null tensor", root -> root.putNull(WEIGHT), "expected offsets within"),
        tensor("type", node -> node.put("dtype", "F64"), "expected dtype F32, F16"),
        tensor("null type", node -> node.putNull("dtype"), "expected dtype F32, F16"),
        tensor("half type", node -> node.put("dtype", "F16"), "expected 64 bytes for shape"),
        tensor("transposed", node -> put(node, "shape", "[4,8]"), "expected shape [8, 4], found"),
        tensor("flat", node -> put(node, "shape", "[32]"), "expected shape [8, 4], found [32]"),
        tensor("less", node -> put(node, "shape", "[8,3]"), "expected 96 bytes for shape"),
        tensor("negative", node -> put(node, "shape", "[-8,-4]"), "sizes of at least 0"),
        tensor("fractions", node -> put(node, "shape", "[8.0,4.0]"), "sizes of at least 0"),
        tensor("words", node -> put(node, "shape", "[\"8\",4]"), "sizes of at least 0"),
        tensor("no shape", node -> node.remove("shape"), "a shape of at most 8 dimensions"),
        tensor("null shape", node -> node.putNull("shape"), "a shape of at most 8 dimensions"),
        tensor(
            "99 dimensions",
            node -> put(node, "shape", Collections.nCopies(99, 1).toString()),
            "a shape of at most 8 dimensions"),
        tensor(
            "overflow",
            node -> put(node, "shape", "[4611686018427387904,8]"),
            "expected a shape of at most 2^63 bytes"),
        tensor("outside", node -> offsets.accept(node, new long[] {0, 1L << 40}), "within "),
        tensor("backwards", node -> offsets.accept(node, new long[] {128, 0}), "within "),
        tensor("before", node -> offsets.accept(node, new long[] {-128, 0}), "within "),
        tensor("one offset", node -> put(node, "data_offsets", "[0]"), "found -1..-1"),
        tensor("overlapping", node -> offsets.accept(node, new long[] {16, 144}), "first byte"),
        description(
            "another task",
            node -> node.put("task", "link-prediction"),
            "task: expected one of vertex-classification, vertex-multi-label, vertex-regression, links, found link-prediction"),
        description("version", node -> node.put("version", -2), "version: expected an integer"),
        description("classless", node -> node.remove("classes"), "classes: expected an array"),
        description("no network", node -> node.putNull("network"), "network: expected an object"),
        description("no features", node -> node.put("features", 8), "features: expected an object"),
        description("edges", node -> node.put("edges", 2), "edges: expected an object"),
        description(
            "edge",
            node -> put(node, "edges", "{\"directed\":false,\"weighted\":1}"),
            "edges.weighted: expected true or false"),
        description(
            "no training", node -> node.putNull("training"), "training: expected an object"),
        description(
            "training",
            node -> put(node, "training", "{\"a\":{}}"),
            "training.a: expected a string"),
        classes("null classes", "null", "expected an array, found null"),
        classes("a class", "[\"red\"]", "expected at least 2 names, found 1 names"),
        classes("numbers", "[1,2,3]", "expected strings without control characters, found 1"),
        classes("nothing", "[null,null]", "expected strings without control characters"),
        classes("escape", "[" + escape + ",\"b\",\"c\"]", "expected strings without control"),
        classes("zero", "[\"a\\u0000\",\"b\",\"c\"]", "expected strings without control"),
        network("layer", node -> node.putNull("layer"), "layer: expected a string"),
        network("options", node -> node.putNull("options"), "options: expected an object"),
        network("relations", node -> node.put("layer", "rgcn"), "relations: expected an array"),
        network("unrelated", node -> relate(node, "[]"), "relations: expected at least 1 names"),
        network(
            "too many",
            node -> relate(node, Collections.nCopies(65, "\"a\"").toString()),
            "relations: expected at most 64 names, found 65 names"),
        decoder(
            "no kind",
            "",
            "decoder.kind: expected one of dot, distmult, bilinear, mlp, found nothing"),
        decoder("kind", "'kind':'x'", "decoder.kind: expected one of dot, distmult, bilinear, mlp"),
        decoder("no types", "'kind':'distmult'", "decoder.types: expected an array"),
        decoder(
            "without types",
            "'kind':'distmult','types':[],'directed':false",
            "decoder.types: expected at least 1 names"),
        decoder(
            "many types",
            "'kind':'distmult','directed':false,'types':"
                + Collections.nCopies(33, "'a'").toString(),
            "decoder.types: expected at most 32 names, found 33 names"),
        decoder(
            "directed",
            "'kind':'distmult','types':['a'],'directed':true",
            "decoder.directed: expected false, but for bilinear, found true"),
        network("hidden", node -> node.putNull("hidden"), "hidden: expected an array"),
        network("negative", node -> put(node, "hidden", "[-4]"), "hidden: expected integers"),
        network("huge", node -> put(node, "hidden", "[4294967300]"), "hidden: expected integers"),
        network("half", node -> put(node, "hidden", "[4.5]"), "hidden: expected integers"),
        network("scales", node -> node.put("normalisation", "x"), "normalisation: expected one of"),
        network("loops", node -> node.put("selfLoops", "yes"), "selfLoops: expected true or false"),
        description(
            "no normalisation that there is",
            node -> ((ObjectNode) node.put("version", 3).get("network")).put("norm", "x"),
            "network.norm: expected one of none, layer, batch, found"),
        jumping(
            "no jump", "null", "network.jumping: expected one of none, concat, max, sum, found"),
        jumping("another jump", "\"lstm\"", "network.jumping: expected one of none, concat, max"),
        jumping("a jump", "\"max\"", "tensor layers.1.weight: expected 16 elements, found shape"),
        described(
            "a sum of two widths",
            node -> put(jump(node, "\"sum\""), "hidden", "[4,8]"),
            "hidden: expected one width for all hidden layers with jumping sum, found [4, 8]"),
        described(
            "more columns than there can be",
            node -> put(jump(node, "\"concat\""), "hidden", "[1073741824]"),
            "hidden: expected at most 2147483647 columns of all hidden layers with jumping concat"),
        dense(
            "no projection",
            "inputProjection",
            "null",
            "network.inputProjection: expected true or false, found null"),
        dense(
            "a projection",
            "inputProjection",
            "true",
            "expected a tensor layers.0.projection.weight, found none"),
        dense(
            "no feed-forward layers",
            "feedForward",
            "1",
            "network.feedForward: expected true or false, found 1"),
        dense(
            "feed-forward layers",
            "feedForward",
            "true",
            "expected a tensor layers.0.feed_forward.weight, found none"),
        decision("no decision", "null", ": expected an object, found null"),
        decision("no temperature", "{}", ".temperature: expected a finite number, found nothing"),
        decision("text", "{\"temperature\":\"1\"}", ".temperature: expected a finite number"),
        decision("infinite", "{\"temperature\":1e999}", ".temperature: expected a finite number"),
        decision("cold", "{\"temperature\":0}", ".temperature: expected 0.05 to 20.0, found 0.0"),
        decision("hot", "{\"temperature\":21}", ".temperature: expected 0.05 to 20.0, found 21.0"),
        decision(
            "a threshold of three classes",
            "{\"temperature\":1,\"threshold\":0.5}",
            ".threshold: expected none of 3 classes, found one"),
        metadata(
            "a version to come",
            node -> {
              String text = node.get("gossamer").stringValue();
              node.put("gossamer", text.replace("\"version\":2", "\"version\":6"));
            },
            "expected a model of version 2 to 5, found 6"),
        description(
            "unknown layer",
            node -> ((ObjectNode) node.get("network")).put("layer", "transformer"),
            "model: expected one of gcn, sage, gat, rgcn, rsage, gin, appnp, gcnii, sgc, sign, mlp, found"
                + " transformer"),
        description(
            "unknown option",
            node -> put((ObjectNode) node.get("network"), "options", "{\"heads\":\"9\"}"),
            "heads: model gcn does not read it"),
        described(
            "hundreds of layers",
            node -> {
              ArrayNode hidden = ((ObjectNode) node.get("network")).putArray("hidden");
              for (int l = 0; l < 900; l++) {
                hidden.add(4);
              }
            },
            "tensor layers.1.weight: expected 16 elements, found shape [4, 3]"),
        features(
            "no width", node -> node.put("width", 0), "width: expected an integer of at least"),
        features(
            "below 0", node -> node.put("width", -8), "width: expected an integer of at least"),
        features(
            "a text", node -> node.put("width", "8"), "width: expected an integer of at least"),
        features(
            "too wide",
            node -> node.put("width", 1L << 40),
            "width: expected an integer of at least 1 and at most 2147483647, found 1099511627776"),
        features(
            "no scaling", node -> node.remove("scaling"), "scaling: expected one of none, row"),
        features("factors", node -> put(node, "scaling", "[1,2]"), "scaling: expected one of none"),
        features(
            "no means",
            node -> {
              node.put("scaling", "standard");
              put(node, "deviations", "[1,1,1,1,1,1,1,1]");
            },
            "means: expected an array, found nothing"),
        features(
            "too few deviations",
            node -> {
              node.put("scaling", "standard");
              put(node, "deviations", "[1,1]");
            },
            "deviations: expected 8 numbers, found 2 elements"),
        features(
            "a deviation of 0",
            node -> {
              node.put("scaling", "standard");
              put(node, "means", "[0,0,0,0,0,0,0,0]");
              put(node, "deviations", "[1,1,1,1,1,1,1,0]");
            },
            "deviations: expected positive numbers, found one that is not"),
        features(
            "an infinite deviation",
            node -> {
              node.put("scaling", "standard");
              put(node, "deviations", "[1,1,1,1,1,1,1,1e999]");
            },
            "deviations: expected finite numbers, found"),
        features(
            "names", node -> put(node, "names", "[\"a\"]"), "names: expected 8 names, found 1"),
        features(
            "bad name",
            node -> put(node, "names", "[" + escape + "]"),
            "names: expected strings without control characters"),
        features("encoding", node -> node.put("encoding", 7), "encoding: expected a string"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("changes")
  void aChangedHeaderIsOneLine(String name, Consumer<ObjectNode> change, String expected)
      throws IOException {
    ObjectNode header = header();
    change.accept(header);
    refused(file(header.toString(), tensors()), expected);
  }

  /// Widths that other tensors would have are found out before there is memory for them.
  @ParameterizedTest
  @MethodSource("widths")
  void widthsThatTheTensorsDoNotHaveAreRefused(String place, String json, String expected)
      throws IOException {
    ObjectNode header = header();
    ObjectNode metadata = (ObjectNode) header.get("__metadata__");
    ObjectNode description = (ObjectNode) JSON.readTree(metadata.get("gossamer").stringValue());
    put(
        place.isEmpty() ? description : (ObjectNode) description.get(place),
        place.isEmpty() ? "classes" : place.equals("network") ? "hidden" : "width",
        json);
    metadata.put("gossamer", description.toString());
    refused(file(header.toString(), tensors()), expected);
  }

  static Stream<Arguments> widths() {
    return Stream.of(
        Arguments.of("network", "[2147483647]", "tensor layers.0.weight: expected 17179869176"),
        Arguments.of("network", "[]", "tensor layers.0.weight: expected 24 elements, found"),
        Arguments.of("network", "[4,4]", "tensor layers.1.weight: expected 16 elements, found"),
        Arguments.of("features", "2147483647", "tensor layers.0.weight: expected 8589934588"),
        Arguments.of("", "[\"a\",\"b\"]", "tensor layers.1.weight: expected 8 elements, found"),
        Arguments.of("", "[\"a\",\"b\",\"c\",\"d\"]", "tensor layers.1.weight: expected 16"));
  }

  @Test
  void damagedBytesAreOneLine() throws IOException {
    String header = header().toString();
    byte[] tensors = tensors();
    refused(new byte[0], "expected a safetensors file, found 0 bytes");
    refused(Arrays.copyOf(good, good.length - 1), "within " + (tensors.length - 1) + " bytes");
    refused(Arrays.copyOf(good, good.length + 4), "bytes of tensors, as the header says, found");
    refused(Arrays.copyOf(good, 100), "header length: expected 2..92, found");
    refused(file("[]", tensors), "header: expected an object, found []");
    refused(file("null", tensors), "header: expected an object, found null");
    refused(file("[".repeat(1 << 20), tensors), "header: expected JSON");
    refused(file(header.replace("\"layers.1.bias\"", "\"" + WEIGHT + "\""), tensors), "JSON");
    byte[] notNumbers = tensors.clone();
    ByteBuffer.wrap(notNumbers).order(ByteOrder.LITTLE_ENDIAN).putFloat(20, Float.NaN);
    refused(file(header, notNumbers), "element 5: expected a finite number, found NaN");
  }

  /// Parsed as a tree, it would take forty times its bytes.
  @Test
  void aHeaderOfBracketsIsNotParsed() throws IOException {
    String brackets = "{\"a\":[" + "{},".repeat(2_200_000) + "{}]}";
    refused(file(brackets, new byte[0]), "header: expected JSON");
  }

  @Test
  void whatIsNoRegularFileIsRefused() throws IOException {
    Path run = Files.createDirectories(folder.resolve("run"));
    Files.createDirectory(run.resolve("model.safetensors"));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> GraphModel.open(run))
        .withMessageContaining("model.safetensors: expected");
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> GraphModel.open(Path.of("/dev/zero")))
        .withMessage(
            "/dev/zero: expected a regular file, found a pipe, socket or device; write its content to a"
                + " file first");
  }

  @Test
  void whatIsKnownOfTheFeaturesIsKept() {
    List<String> names = List.of("a", "b", "c", "d", "e", "f", "g", "h");
    Path file = folder.resolve("named.safetensors");
    try (Dataset dataset = ExampleGraphs.dense(60, 1)) {
      Dataset named = Dataset.of(dataset.data().withFeatureNames(names));
      GraphModel model =
          ExampleGraphs.training(named)
              .featureScaling(FeatureScaling.ROW)
              .threads(1)
              .epochs(1)
              .run();
      model.write(file);
      ModelDescription.Features features = GraphModel.open(file).description().features();
      assertThat(features).isEqualTo(model.description().features());
      assertThat(features.names()).isEqualTo(names);
      assertThat(features.encoding()).hasSize(64);
    }
  }
}
