package dev.gossamer.cli.pruned;

import dev.gossamer.pruned.ModelSettings;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags that describe a network of layers.
final class PrunedModelOptions {
  @Option(
      names = "--model",
      paramLabel = "NAME",
      description =
          "Texts: gpt-tiny, gpt-small, gpt-50m, gpt-xl, gpt-2.7b, gpt-6.7b, gpt-13b or gpt2. Images: vgg-mnist,"
              + " vgg19, vgg19-plain (without batch normalisation), wideresnet-small or wideresnet101"
              + " (default: gpt-small or vgg-mnist).")
  @Nullable String model;

  @Option(
      names = "--from",
      paramLabel = "FILE|FOLDER",
      description =
          "Start from the weights, sizes and tokens of a trained network: a run, a model file, or a folder in the"
              + " layout of GPT-2 (config.json, model.safetensors).")
  @Nullable Path from;

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
      description = "Attention heads of a gpt (default: the model's).")
  @Nullable Integer heads;

  @Option(
      names = "--length",
      paramLabel = "T",
      description = "Context length of a gpt, in tokens (default: the model's).")
  @Nullable Integer length;

  @Option(
      names = "--dropout",
      paramLabel = "RATE",
      defaultValue = "0",
      description = "Dropout of a gpt (default: ${DEFAULT-VALUE}).")
  float dropout;

  @Option(
      names = "--tied-head",
      description =
          "Share the token embedding of a gpt with its output head, as in GPT-2; needs --inter 1.")
  boolean tiedHead;

  ModelSettings settings() {
    return new ModelSettings(
        model == null ? null : model.toLowerCase(Locale.ROOT),
        layers,
        width,
        heads,
        length,
        dropout,
        tiedHead);
  }
}
