package dev.gossamer.spark.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// The command line on two ranks that are threads, on the tables that a stage would read.
public final class TwoThreads {
  private TwoThreads() {}

  /// Imports `tables/vertices` and `tables/edges` and trains.
  ///
  /// @param folder in which they are
  /// @param schema of the tables
  /// @param flags of the training
  /// @return bytes of the model file
  public static byte[] train(Path folder, String schema, String... flags) {
    try {
      Files.writeString(
          folder.resolve("schema.yaml"), schema.replace("source\" : \"", "source\" : \"tables/"));
      run(folder, List.of("dataset", "import", "--schema=schema.yaml", "--out=data"));
      List<String> train =
          new ArrayList<>(
              List.of("train", "--data=data", "--ranks=2", "--threads=2", "--run-folder=run"));
      train.addAll(List.of(flags));
      run(folder, train);
      return Files.readAllBytes(folder.resolve("run/model.safetensors"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void run(Path folder, List<String> command) {
    try (RankChild child = RankChild.start(command, Map.of(), folder)) {
      RankChild.End end = child.await(own -> new String[] {own}, () -> false, () -> {});
      assertThat(end.status()).as(end.message()).isZero();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
