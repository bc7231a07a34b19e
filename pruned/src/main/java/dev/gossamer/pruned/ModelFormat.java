package dev.gossamer.pruned;

/// Formats in which a network is written as a safetensors file; see `docs/formats.md`.
public enum ModelFormat {
  /// All parameters in float32 with zeros for pruned weights, for other programs.
  DENSE("model.safetensors"),
  /// Only the surviving weights, with their mask as bits.
  COMPRESSED("model-compressed.safetensors"),
  /// Only the mask bits, with which another run can be pruned.
  MASK("mask.safetensors");

  private final String fileName;

  ModelFormat(String fileName) {
    this.fileName = fileName;
  }

  /// {@return the name of such a file in a run folder}
  public String fileName() {
    return fileName;
  }
}
