package dev.gossamer.spark;

import java.io.Serial;
import java.io.Serializable;
import java.util.List;

/// What a training has learned.
///
/// @param file bytes of a model file
/// @param classes names of the classes in the order of probabilities; empty of numbers
/// @param summary scores, settings and costs of the run, as `gossamer train --json` prints them
record ModelState(byte[] file, List<String> classes, String summary) implements Serializable {
  @Serial private static final long serialVersionUID = 1;

  ModelState {
    classes = List.copyOf(classes);
  }
}
