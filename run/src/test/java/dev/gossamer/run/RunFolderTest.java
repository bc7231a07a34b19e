package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.matrix.io.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunFolderTest {
  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "metrics.jsonl",
        "model.safetensors",
        "traffic.json",
        "trace.json",
        "checkpoint",
        "config.yaml"
      })
  void isNotOpenedWithALinkUnderOneOfItsNames(String name) throws IOException {
    Files.writeString(folder.resolve("config.yaml"), "seed: 1");
    Files.deleteIfExists(folder.resolve(name));
    Files.createSymbolicLink(folder.resolve(name), folder.resolve("nothing"));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> RunFolder.open(folder))
        .withMessageContaining(name + ": expected a ")
        .withMessageContaining("found a link");
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> RunFolder.openBegun(folder));
  }

  @Test
  void isNotOpenedWithAFolderInThePlaceOfAFile() throws IOException {
    Files.createDirectory(folder.resolve("config.yaml"));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> RunFolder.open(folder))
        .withMessageContaining("config.yaml: expected a file of the run, found a folder");
  }

  @Test
  void mayItselfBeALink() throws IOException {
    Path run = Files.createDirectory(folder.resolve("run"));
    Files.writeString(run.resolve("config.yaml"), "seed: 1");
    Path latest = Files.createSymbolicLink(folder.resolve("latest"), run);
    assertThat(RunFolder.open(latest).config()).hasContent("seed: 1");
  }

  @Test
  void saysThatAProgramBeganIt() throws IOException {
    Files.writeString(folder.resolve("metrics.jsonl"), "");
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> RunFolder.open(folder))
        .withMessage(
            "%s: expected a run folder with config.yaml, found none; the run was begun by a program, which can resume it",
            folder);
    assertThat(RunFolder.openBegun(folder).metrics()).exists();
  }

  @Test
  void hasANameOfItsOwn() {
    assertThat(RunFolder.create(folder, "a/../b").path()).hasParent(folder).isDirectory();
    assertThat(RunFolder.create(folder, "x").path())
        .isNotEqualTo(RunFolder.create(folder, "x").path());
  }
}
