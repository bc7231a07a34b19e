package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/// A training that stops after some epochs and is resumed.
final class ResumedRun {
  private ResumedRun() {}

  /// Asserts that the resumed training gives the model, to the bit, of one that does not stop.
  ///
  /// @param whole the training
  /// @param epochs after which it stops
  /// @param folder for its files
  /// @return what was trained after that
  static TrainingResult assertBitIdentical(GraphTraining whole, int epochs, Path folder)
      throws IOException {
    Path runs = folder.resolve("runs");
    whole.epochs(epochs).folder(runs).run();
    Path made;
    try (Stream<Path> all = Files.list(runs)) {
      made = all.findFirst().orElseThrow();
    }
    Files.delete(made.resolve("model.safetensors"));
    TrainingResult resumed = whole.resume(made).train();
    Path first = folder.resolve("resumed.safetensors");
    Path second = folder.resolve("whole.safetensors");
    resumed.model().write(first);
    whole.run().write(second);
    assertThat(first).hasSameBinaryContentAs(second);
    return resumed;
  }
}
