package dev.gossamer.pruned;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.pruned.corpus.Corpus;
import dev.gossamer.pruned.corpus.TextCorpus;
import dev.gossamer.pruned.layers.DenseArchitecture;
import dev.gossamer.pruned.layers.GptSettings;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The network to train. Sizes that are not given are those of the named model; vocabulary, image
/// size and classes are those of the data.
///
/// @param model one of [DenseArchitecture#NAMES]; null for the default of the kind of data, see
///   [#TEXTS] and [#IMAGES]
/// @param layers number of transformer blocks of a language model
/// @param width channels between blocks
/// @param heads number of attention heads
/// @param length context length of a language model in tokens
/// @param dropout dropout rate of a language model
/// @param tiedHead whether the head of a language model is the transposed token embedding; such a
///   network is trained on one stage
public record ModelSettings(
    @Nullable String model,
    @Nullable Integer layers,
    @Nullable Integer width,
    @Nullable Integer heads,
    @Nullable Integer length,
    float dropout,
    boolean tiedHead) {
  /// The default model for texts: the largest one that a few cores train in minutes.
  public static final String TEXTS = "gpt-small";

  /// The default model for images.
  public static final String IMAGES = "vgg-mnist";

  /// The default model of the kind of data, without dropout, because the data are seen about once.
  public static final ModelSettings DEFAULT =
      new ModelSettings(null, null, null, null, null, 0, false);

  /// Checks the settings.
  ///
  /// @throws InvalidSettingException if there is no such model, or a size is too small or too large
  public ModelSettings {
    if (model != null && !DenseArchitecture.NAMES.contains(model)) {
      throw new InvalidSettingException(
          "{model}: expected one of %s, found %s"
              .formatted(String.join(", ", DenseArchitecture.NAMES), model));
    }
    requirePositive("layers", layers);
    if (layers != null && layers > GptSettings.MOST_LAYERS) {
      throw new InvalidSettingException(
          "{layers}: expected at most %d, found %d".formatted(GptSettings.MOST_LAYERS, layers));
    }
    requirePositive("width", width);
    requirePositive("heads", heads);
    requirePositive("length", length);
    InvalidSettingException.requireRate("dropout", dropout);
  }

  private static void requirePositive(String component, @Nullable Integer value) {
    if (value != null) {
      InvalidSettingException.requireAtLeast(component, value, 1);
    }
  }

  /// {@return a named model with its sizes}
  ///
  /// @param model one of [DenseArchitecture#NAMES]
  /// @throws InvalidSettingException if there is no such model
  public static ModelSettings named(String model) {
    return DEFAULT.withModel(model);
  }

  /// {@return a copy for another model}
  ///
  /// @param newModel null for the default of the kind of data
  public ModelSettings withModel(@Nullable String newModel) {
    return new ModelSettings(newModel, layers, width, heads, length, dropout, tiedHead);
  }

  /// {@return a copy with another number of layers}
  ///
  /// @param newLayers null for that of the model
  public ModelSettings withLayers(@Nullable Integer newLayers) {
    return new ModelSettings(model, newLayers, width, heads, length, dropout, tiedHead);
  }

  /// {@return a copy with another width}
  ///
  /// @param newWidth null for that of the model
  public ModelSettings withWidth(@Nullable Integer newWidth) {
    return new ModelSettings(model, layers, newWidth, heads, length, dropout, tiedHead);
  }

  /// {@return a copy with another number of heads}
  ///
  /// @param newHeads null for that of the model
  public ModelSettings withHeads(@Nullable Integer newHeads) {
    return new ModelSettings(model, layers, width, newHeads, length, dropout, tiedHead);
  }

  /// {@return a copy with another context length}
  ///
  /// @param newLength tokens; null for that of the model
  public ModelSettings withLength(@Nullable Integer newLength) {
    return new ModelSettings(model, layers, width, heads, newLength, dropout, tiedHead);
  }

  /// {@return a copy with another dropout rate}
  ///
  /// @param newDropout rate
  public ModelSettings withDropout(float newDropout) {
    return new ModelSettings(model, layers, width, heads, length, newDropout, tiedHead);
  }

  /// {@return a copy with a head that shares the token embedding, or has its own weights}
  ///
  /// @param tied whether it shares the embedding
  public ModelSettings withTiedHead(boolean tied) {
    return new ModelSettings(model, layers, width, heads, length, dropout, tied);
  }

  private String name(String usual) {
    return model == null ? usual : model;
  }

  /// Tokens per window, if the data are a text.
  int window() {
    String name = name(TEXTS);
    return DenseArchitecture.isText(name) ? sizes(name).length() : 1;
  }

  private GptSettings sizes(String name) {
    GptSettings usual = GptSettings.named(name);
    return new GptSettings(
        usual.vocabulary(),
        length == null ? usual.length() : length,
        layers == null ? usual.layers() : layers,
        heads == null ? usual.heads() : heads,
        width == null ? usual.width() : width,
        dropout,
        tiedHead || usual.tiedHead());
  }

  /// The network for a corpus.
  ///
  /// @throws InvalidSettingException if the model is for other data, or its sizes do not fit
  DenseArchitecture on(Corpus corpus) {
    boolean text = corpus instanceof TextCorpus;
    String name = name(text ? TEXTS : IMAGES);
    if (text != DenseArchitecture.isText(name)) {
      throw new InvalidSettingException(
          "{model}: %s is for %s, but %s has %s"
              .formatted(name, text ? "images" : "texts", corpus.name(), text ? "text" : "images"));
    }
    if (!text) {
      requireNoSizes(name);
      return possible(new DenseArchitecture.Images(name, corpus.input(), corpus.classes()));
    }
    int window = corpus.input().height();
    if (length != null && length != window) {
      throw new InvalidSettingException(
          "{length}: expected %d, the tokens of a window of %s, found %d"
              .formatted(window, corpus.name(), length));
    }
    GptSettings sizes = sizes(name).withLength(window).withVocabulary(corpus.classes());
    return possible(new DenseArchitecture.Text(name, sizes));
  }

  /// The network with the sizes of its publication where none are given.
  ///
  /// @throws InvalidSettingException if sizes do not fit
  DenseArchitecture published() {
    String name = name(TEXTS);
    if (DenseArchitecture.isText(name)) {
      return possible(new DenseArchitecture.Text(name, sizes(name)));
    }
    requireNoSizes(name);
    return possible(DenseArchitecture.Images.published(name));
  }

  /// The network that continues from another one.
  ///
  /// @throws InvalidSettingException if sizes are given that the other network determines
  DenseArchitecture from(DenseArchitecture start) {
    String own = "{from}, which has its own";
    requireNone("model", model, own);
    requireNone("layers", layers, own);
    requireNone("width", width, own);
    requireNone("heads", heads, own);
    requireNone("tiedHead", tiedHead ? true : null, own);
    return switch (start) {
      case DenseArchitecture.Text(String name, GptSettings sizes, Map<String, Integer> widths) -> {
        int window = length == null ? sizes.length() : length;
        if (window > sizes.length()) {
          throw new InvalidSettingException(
              "{length}: expected at most the %d positions of {from}, found %d"
                  .formatted(sizes.length(), window));
        }
        yield new DenseArchitecture.Text(
            name, sizes.withLength(window).withDropout(dropout), widths);
      }
      case DenseArchitecture.Images images -> {
        requireNoSizes(images.name());
        yield images;
      }
    };
  }

  /// Refuses sizes of language models for an image network, which would ignore them.
  private void requireNoSizes(String name) {
    String other = name + ", which is not made of transformer blocks";
    requireNone("layers", layers, other);
    requireNone("width", width, other);
    requireNone("heads", heads, other);
    requireNone("length", length, other);
    requireNone("dropout", dropout == 0 ? null : dropout, other);
    requireNone("tiedHead", tiedHead ? true : null, other);
  }

  private static void requireNone(String component, @Nullable Object value, String other) {
    if (value != null) {
      throw new InvalidSettingException(
          "{%s}: expected none with %s, found %s".formatted(component, other, value));
    }
  }

  private static DenseArchitecture possible(DenseArchitecture architecture) {
    try {
      architecture.network(0);
      return architecture;
    } catch (IllegalArgumentException e) {
      String settings =
          DenseArchitecture.isText(architecture.name())
              ? "{model}, {layers}, {width}, {heads}"
              : "{model}";
      throw new InvalidSettingException(settings + ": " + e.getMessage(), e);
    }
  }
}
