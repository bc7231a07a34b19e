package dev.gossamer.spark;

import java.io.Serial;
import java.io.Serializable;
import java.util.List;

/// What a training has learned.
final class ModelState implements Serializable {
  @Serial private static final long serialVersionUID = 1;

  private final byte[] file;
  private final List<String> classes;
  private final boolean numbers;
  private final String summary;

  /// @param file bytes of a model file
  /// @param classes names of the classes in the order of probabilities; empty of numbers
  /// @param numbers whether what was learned is numbers, also as the names of classes
  /// @param summary scores, settings and costs of the run, as `gossamer train --json` prints them
  ModelState(byte[] file, List<String> classes, boolean numbers, String summary) {
    this.file = file;
    this.classes = List.copyOf(classes);
    this.numbers = numbers;
    this.summary = summary;
  }

  byte[] file() {
    return file;
  }

  List<String> classes() {
    return classes;
  }

  boolean areNumbers() {
    return numbers;
  }

  String summary() {
    return summary;
  }
}
