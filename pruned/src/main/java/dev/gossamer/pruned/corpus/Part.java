package dev.gossamer.pruned.corpus;

/// A part of a corpus: what is learnt from, what choices are made by, and what is reported.
public enum Part {
  /// What is learnt from.
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

  /// As messages and run folders name it.
  @Override
  public String toString() {
    return text;
  }
}
