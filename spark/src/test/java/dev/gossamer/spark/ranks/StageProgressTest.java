package dev.gossamer.spark.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StageProgressTest {
  private final List<String> said = new ArrayList<>();

  @TempDir Path folder = Path.of("");

  private Path metrics = Path.of("");

  @BeforeEach
  void name() {
    metrics = folder.resolve("metrics.jsonl");
  }

  private StageProgress progress() {
    return new StageProgress(
        "training", new org.apache.hadoop.fs.Path(metrics.toUri()), new Configuration(), said::add);
  }

  private static String line(int epoch) {
    return "{\"epoch\":%d,\"loss\":%d.25,\"rest\":\"%s\"}\n"
        .formatted(epoch, epoch, "x".repeat(900));
  }

  @Test
  void theNewestEpochIsSaidOnce() throws IOException {
    try (StageProgress progress = progress()) {
      progress.look();
      assertThat(said).isEmpty();

      Files.writeString(metrics, line(1) + line(2));
      progress.look();
      progress.look();
      Files.writeString(metrics, line(1) + line(2) + line(3) + "{\"epoch\":4,\"lo");
      progress.look();

      assertThat(said)
          .containsExactly("training: epoch 2, loss 2.2500", "training: epoch 3, loss 3.2500");
    }
  }

  @Test
  void ofALongFileOnlyTheEndIsRead() throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int epoch = 1; epoch <= 1200; epoch++) {
      lines.append(line(epoch));
    }
    Files.writeString(metrics, lines);
    try (StageProgress progress = progress()) {
      progress.look();
    }

    assertThat(said).containsExactly("training: epoch 1,200, loss 1200.2500");
  }

  @Test
  void whatIsNoLineIsNotSaid() throws IOException {
    try (StageProgress progress = progress()) {
      Files.writeString(metrics, "{\"epoch\":1");
      progress.look();
      Files.writeString(metrics, "no JSON\n");
      progress.look();
    }

    assertThat(said).isEmpty();
  }
}
