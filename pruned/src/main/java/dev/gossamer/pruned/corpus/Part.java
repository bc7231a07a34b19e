package dev.gossamer.pruned.corpus;

/// A part of a corpus: for training, for validation, and for the final scores.
public enum Part {
  /// Used for training.
  TRAIN("train"),
  /// What choices are made by.
  VALIDATION("validation"),
  /// What is reported.
  TEST("test");

  private final String text;

  Part(String text) {
    this.text = text;
  }

  /// By which the names of files tell their part.
  String word() {
    return this == VALIDATION ? "valid" : text;
  }

  /// Returns the name in messages and run folders.
  @Override
  public String toString() {
    return text;
  }
}
