package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
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
        "data.json",
        "plan.json",
        "asked.json",
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
            "%s: expected a run folder with config.yaml, found none; the run was started by a program, which can resume it",
            folder);
    assertThat(RunFolder.openBegun(folder).metrics()).exists();
  }

  @Test
  void goesOnWithTheDataThatItBeganWith() throws IOException {
    RunFolder run = new RunFolder(folder);
    SortedMap<String, String> data = new TreeMap<>(Map.of("labels", "1", "graph", "2", "x", "3"));
    run.requireSameData(data);
    Path file = folder.resolve("data.json");
    assertThat(file).hasContent("{\"graph\":\"2\",\"labels\":\"1\",\"x\":\"3\"}");
    run.requireSameData(data);
    SortedMap<String, String> other =
        new TreeMap<>(Map.of("labels", "0", "graph", "2", "weights", "4"));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> run.requireSameData(other))
        .withMessage(
            "%s: expected the data that the run was started with, found data that differ in: labels, weights, x; resume with the original data, or start a new run",
            file);
    run.requireSameData(
        new TreeMap<>(Map.of("labels", "1", "graph", "2", "x", "3", "weights", "4")),
        Set.of("weights"));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> run.requireSameData(other, Set.of("weights", "x")))
        .withMessageContaining("found data that differ in: labels, x;");
    Files.writeString(file, "{\"labels\": 1}");
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> run.requireSameData(data))
        .withMessageContaining("data.json: labels: expected what identifies a part, found 1");
  }

  @Test
  void knowsWhatItWasAskedFor() throws IOException {
    RunFolder run = RunFolder.at(folder.resolve("new/run"));
    SortedMap<String, String> asked = new TreeMap<>(Map.of("lr", "0.1", "data", "gr\u00fcn\n/x"));
    assertThat(run.changedSince(asked)).isEmpty();
    run.keepAsked(asked);
    assertThat(run.changedSince(asked).orElseThrow()).isEmpty();
    SortedMap<String, String> other = new TreeMap<>(Map.of("lr", "0.10", "seed", "3"));
    assertThat(run.changedSince(other).orElseThrow()).containsExactly("data", "lr", "seed");
    Files.writeString(run.path().resolve("asked.json"), "{\"lr\": 1}");
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> run.changedSince(asked))
        .withMessageContaining("asked.json: lr: expected text, found 1");
  }

  @Test
  void isBegunOnceItHasSettingsOrMetrics() throws IOException {
    RunFolder run = RunFolder.at(folder.resolve("run"));
    run.keepAsked(new TreeMap<>());
    assertThat(run.isBegun()).isFalse();
    Files.writeString(run.config(), "seed: 1");
    assertThat(run.isBegun()).isTrue();
    assertThat(RunFolder.at(run.path()).isBegun()).isTrue();
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> RunFolder.newAt(run.path()))
        .withMessage(run.path() + ": expected a folder without a run, found one");
    RunFolder other = RunFolder.newAt(folder.resolve("other"));
    other.requireSameData(new TreeMap<>(Map.of("labels", "1")));
    RunFolder.newAt(other.path()).requireSameData(new TreeMap<>(Map.of("labels", "2")));
  }

  @Test
  void isMadeOfNothingButAFolder() throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "mine");
    for (ThrowingCallable made :
        List.<ThrowingCallable>of(() -> RunFolder.create(file, "x"), () -> RunFolder.at(file))) {
      assertThatExceptionOfType(InvalidInputException.class)
          .isThrownBy(made)
          .withMessage(file + ": expected a folder, found something else");
    }
    assertThat(file).hasContent("mine");
  }

  @Test
  void hasANameOfItsOwn() {
    assertThat(RunFolder.create(folder, "a/../b").path()).hasParent(folder).isDirectory();
    assertThat(RunFolder.create(folder, "x").path())
        .isNotEqualTo(RunFolder.create(folder, "x").path());
  }
}
