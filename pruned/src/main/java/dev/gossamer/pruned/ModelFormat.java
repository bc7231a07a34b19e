package dev.gossamer.pruned;

/// In which form a network is written as a safetensors file; see `docs/formats.md`.
public enum ModelFormat {
  /// All parameters in float32 with zeros for what is pruned: other programs read it.
  DENSE("model.safetensors"),
  /// The survivors alone, with the bits that say which they are.
  COMPRESSED("model-compressed.safetensors"),
  /// The bits alone, which another run may be pruned by.
  MASK("mask.safetensors");

  private final String fileName;

  ModelFormat(String fileName) {
    this.fileName = fileName;
  }

  /// {@return the name of such a file in a run's folder}
  public String fileName() {
    return fileName;
  }
}
