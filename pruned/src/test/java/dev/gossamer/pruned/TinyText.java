package dev.gossamer.pruned;

import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.pruned.pipeline.IterationSettings;
import dev.gossamer.pruned.prune.Pruning.OneShot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/// A text of five words, and a training on it that takes a second.
final class TinyText {
  static final int LENGTH = 16;

  /// One thread, and fixed numbers of bytes: neither what is free at the moment nor what the
  /// virtual machine has taken so far decides anything.
  static final PrunedMachineSettings MACHINE =
      PrunedMachineSettings.DEFAULT.withThreads(1).withMemory(1L << 34).withTaken(0L);

  private TinyText() {}

  static Path write(Path folder) throws IOException {
    Random random = new Random(1);
    String[] words = {"pruned ", "networks ", "keep ", "what ", "survives\n"};
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < 4000; i++) {
      all.append(words[random.nextInt(words.length)]);
    }
    return Files.writeString(folder.resolve("words.txt"), all);
  }

  static PrunedTraining training(Path text) {
    return PrunedTraining.on(text)
        .model(ModelSettings.named("gpt-tiny").withLength(LENGTH).withWidth(32))
        .iterations(IterationSettings.DEFAULT.withIterations(6).withEvaluateSamples(16))
        .batch(8)
        .microbatch(2)
        .precision(NumberFormat.FLOAT32)
        .prune(new OneShot(3))
        .sparsity(0.9)
        .machine(MACHINE);
  }
}
