package dev.gossamer.cli;

import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.TextCorpus;
import dev.gossamer.pruned.layers.DenseNetwork;
import dev.gossamer.pruned.layers.Gpt;
import dev.gossamer.pruned.layers.GptSettings;
import dev.gossamer.pruned.layers.Shape;
import dev.gossamer.pruned.layers.Vgg;
import dev.gossamer.pruned.layers.VggSettings;
import dev.gossamer.pruned.layers.WideResNet;
import dev.gossamer.pruned.layers.WideResNetSettings;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that describe a dense network.
final class DenseModelOptions {
  @Option(
      names = "--model",
      paramLabel = "NAME",
      description =
          "Texts: gpt-tiny, gpt-small, gpt-50m, gpt-xl, gpt-2.7b, gpt-6.7b or gpt-13b. Images: vgg-mnist,"
              + " vgg19, vgg19-plain (without batch normalisation), wideresnet-small or wideresnet101"
              + " (default: gpt-small or vgg-mnist).")
  @Nullable String model;

  @Option(
      names = "--layers",
      paramLabel = "N",
      description = "Blocks of a gpt (default: the model's).")
  @Nullable Integer layers;

  @Option(
      names = "--width",
      paramLabel = "N",
      description = "Channels between blocks of a gpt (default: the model's).")
  @Nullable Integer width;

  @Option(
      names = "--heads",
      paramLabel = "N",
      description = "Heads of attention of a gpt (default: the model's).")
  @Nullable Integer heads;

  @Option(
      names = "--length",
      paramLabel = "T",
      description = "Tokens that a gpt sees at once (default: the model's).")
  @Nullable Integer length;

  @Option(
      names = "--dropout",
      paramLabel = "RATE",
      defaultValue = "0",
      description = "Dropout of a gpt (default: ${DEFAULT-VALUE}).")
  float dropout;

  private static final List<String> NAMES =
      Stream.of(GptSettings.NAMES, VggSettings.NAMES, WideResNetSettings.NAMES)
          .flatMap(List::stream)
          .toList();

  private static final String TEXT_MODEL = "gpt-small";
  private static final String IMAGE_MODEL = "vgg-mnist";

  /// Tokens of a window of a text, whether the data are texts or not.
  int length() {
    return isGpt(name(TEXT_MODEL)) ? settings(name(TEXT_MODEL), 0).length() : 1;
  }

  /// The network for a corpus.
  DenseNetwork network(Corpus corpus, long seed) {
    boolean text = corpus instanceof TextCorpus;
    String name = name(text ? TEXT_MODEL : IMAGE_MODEL);
    if (text != isGpt(name)) {
      throw new InvalidInputException(
          "--model: %s is for %s, but %s has %s"
              .formatted(name, text ? "images" : "texts", corpus.name(), text ? "text" : "images"));
    }
    return text
        ? gpt(name, corpus.classes(), seed)
        : image(name, corpus.input(), corpus.classes(), seed);
  }

  /// The network with the sizes of its publication.
  DenseNetwork published(long seed) {
    String name = name(TEXT_MODEL);
    return isGpt(name)
        ? gpt(name, settings(name, 0).vocabulary(), seed)
        : image(name, null, 0, seed);
  }

  boolean isText(DenseNetwork network) {
    return isGpt(network.name());
  }

  /// Floating-point operations of one sample's forward pass. Of a gpt by the formula of Narayanan
  /// and others (2021), `24 l s h^2 (1 + s / 6h + V / 12lh)`, which counts the masked half of
  /// attention too.
  double operations(DenseNetwork network) {
    if (!isText(network)) {
      return network.operations();
    }
    GptSettings sizes = settings(network.name(), network.output().channels());
    double l = sizes.layers();
    double s = sizes.length();
    double h = sizes.width();
    double v = sizes.vocabulary();
    return 24 * l * s * h * h * (1 + s / (6 * h) + v / (12 * l * h));
  }

  /// What a model file says about the network, so that it can be made again.
  Map<String, String> description(DenseNetwork network) {
    Map<String, String> description = new TreeMap<>();
    description.put("model", network.name());
    description.put("input", network.input().toString());
    description.put("classes", Integer.toString(network.output().channels()));
    description.put("length", Integer.toString(network.input().height()));
    if (isText(network)) {
      GptSettings sizes = settings(network.name(), network.output().channels());
      description.put("layers", Integer.toString(sizes.layers()));
      description.put("heads", Integer.toString(sizes.heads()));
      description.put("width", Integer.toString(sizes.width()));
    }
    return description;
  }

  private DenseNetwork gpt(String name, int vocabulary, long seed) {
    try {
      return Gpt.of(name, settings(name, vocabulary), seed);
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("--model, --layers, --width, --heads: " + e.getMessage(), e);
    }
  }

  /// @param input of the images; null for the published one
  /// @param classes ignored without an input
  private static DenseNetwork image(String name, @Nullable Shape input, int classes, long seed) {
    try {
      if (VggSettings.NAMES.contains(name)) {
        VggSettings usual = VggSettings.named(name);
        return Vgg.of(name, input == null ? usual : usual.on(input, classes), seed);
      }
      WideResNetSettings usual = WideResNetSettings.named(name);
      return WideResNet.of(name, input == null ? usual : usual.on(input, classes));
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("--model: " + e.getMessage(), e);
    }
  }

  private GptSettings settings(String name, int vocabulary) {
    try {
      GptSettings usual = GptSettings.named(name);
      return new GptSettings(
          vocabulary == 0 ? usual.vocabulary() : vocabulary,
          length == null ? usual.length() : length,
          layers == null ? usual.layers() : layers,
          heads == null ? usual.heads() : heads,
          width == null ? usual.width() : width,
          dropout);
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException("--model, --layers: " + e.getMessage(), e);
    }
  }

  private String name(String usual) {
    String name = model == null ? usual : model;
    if (!NAMES.contains(name)) {
      throw new InvalidInputException(
          "--model: expected one of %s, found %s".formatted(String.join(", ", NAMES), name));
    }
    return name;
  }

  private static boolean isGpt(String name) {
    return GptSettings.NAMES.contains(name);
  }

  /// The language model that a model file describes.
  ///
  /// @throws InvalidInputException if it describes none
  static DenseNetwork described(Map<String, String> metadata) {
    String name = metadata.getOrDefault("model", "nothing");
    if (!isGpt(name)) {
      throw new InvalidInputException(
          "model file: expected one of %s, found %s"
              .formatted(String.join(", ", GptSettings.NAMES), name));
    }
    try {
      GptSettings sizes =
          new GptSettings(
              Integer.parseInt(metadata.getOrDefault("classes", "")),
              Integer.parseInt(metadata.getOrDefault("length", "")),
              Integer.parseInt(metadata.getOrDefault("layers", "")),
              Integer.parseInt(metadata.getOrDefault("heads", "")),
              Integer.parseInt(metadata.getOrDefault("width", "")),
              0);
      return Gpt.of(name, sizes, 0);
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(
          "model file: expected the sizes of %s in its metadata, found %s"
              .formatted(name, metadata),
          e);
    }
  }
}
