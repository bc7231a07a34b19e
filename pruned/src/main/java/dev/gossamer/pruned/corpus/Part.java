package dev.gossamer.pruned.corpus;

/// A part of a corpus: for training, for validation, and for the final scores.
public enum Part {
  /// Used for training.
  TRAIN("train"),
  /// Used for choices during training.
  VALIDATION("validation"),
  /// Used for the reported score.
  TEST("test");

  private final String text;

  Part(String text) {
    this.text = text;
  }

  /// Returns the word that identifies the part in file names.
  String word() {
    return this == VALIDATION ? "valid" : text;
  }

  /// Returns the name in messages and run folders.
  @Override
  public String toString() {
    return text;
  }
}
