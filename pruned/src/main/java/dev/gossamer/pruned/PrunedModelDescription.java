package dev.gossamer.pruned;

import dev.gossamer.pruned.corpus.PixelScaling;
import dev.gossamer.pruned.corpus.TokenFile;
import dev.gossamer.pruned.corpus.Tokenizer;
import dev.gossamer.pruned.layers.DenseArchitecture;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The metadata of a model file.
///
/// @param architecture of the network
/// @param tokenizer of a language model; null if it is unknown or does not exist
/// @param standardisation of the images of the training; null for texts, and if it is unknown
/// @param facts how the network was trained
record PrunedModelDescription(
    DenseArchitecture architecture,
    @Nullable Tokenizer tokenizer,
    @Nullable PixelScaling standardisation,
    Map<String, String> facts) {
  /// The key of the form of the tensors.
  static final String FORMAT = "format";

  /// The key of the tokens.
  static final String TOKENS = "tokens";

  PrunedModelDescription {
    facts = Map.copyOf(facts);
  }

  /// The metadata of a file.
  ///
  /// @param format of its tensors
  Map<String, String> metadata(String format) {
    Map<String, String> metadata = metadata();
    metadata.put(FORMAT, format);
    return metadata;
  }

  /// The metadata of a file in any format.
  Map<String, String> metadata() {
    Map<String, String> metadata = new TreeMap<>(facts);
    metadata.putAll(architecture.description());
    if (tokenizer != null) {
      metadata.put(TOKENS, TokenFile.content(tokenizer));
    }
    if (standardisation != null) {
      metadata.putAll(standardisation.description());
    }
    return metadata;
  }
}
