package dev.gossamer.cli.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.cli.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class ProfileTest {
  @TempDir Path folder = Path.of("");

  private Cli train(String flags) throws IOException {
    Path data = folder.resolve("data");
    if (!Files.exists(data)) {
      Cli built =
          Cli.run(
              "dataset build grid -q --rows 20 --cols 20 --classes 4 --features 8 --split 40/30/30 --out %s"
                  .formatted(data)
                  .split(" "));
      assertThat(built.status()).as(built.err()).isZero();
    }
    String command = "train -q --epochs 20 --data %s --runs %s ".formatted(data, folder) + flags;
    return Cli.run(command.split(" "));
  }

  @Tag("slow")
  @Test
  void theRunsFolderGetsARecording() throws IOException {
    Cli cli = train("--hidden 8 --profile --json");
    assertThat(cli.status()).as(cli.err()).isZero();
    JsonNode profile = cli.json().get("profile");
    Path file = Path.of(cli.json().get("run_folder").asString(), "profile.jfr");
    assertThat(profile.get("file").asString()).isEqualTo(file.toString());
    long samples = profile.get("samples").asLong();
    assertThat(RecordingFile.readAllEvents(file))
        .anyMatch(event -> event.getEventType().getName().equals("dev.gossamer.Phase"))
        .filteredOn(event -> event.getEventType().getName().equals("jdk.ExecutionSample"))
        .hasSizeGreaterThanOrEqualTo((int) samples);
    long before = Long.MAX_VALUE;
    long shown = 0;
    for (JsonNode method : profile.get("methods")) {
      assertThat(method.get("samples").asLong()).isBetween(1L, before);
      assertThat(method.get("method").asString()).contains(".");
      before = method.get("samples").asLong();
      shown += before;
    }
    assertThat(shown).isLessThanOrEqualTo(samples);
    assertThat(profile.get("methods").size()).isBetween(samples == 0 ? 0 : 1, 10);
    assertThat(Files.readString(file.resolveSibling("config.yaml"))).doesNotContain("profile");
  }

  @Test
  void theMethodsArePrinted() throws IOException {
    Cli cli = train("--hidden 4 --profile");
    assertThat(cli.status()).as(cli.err()).isZero();
    assertThat(cli.out().lines())
        .anyMatch(line -> line.matches("profile  .*/profile\\.jfr, [0-9,]+ samples"))
        .anyMatch(line -> line.matches("share +method"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"train", "prune train"})
  void aDryRunHasNone(String command) {
    Cli cli = Cli.run((command + " --dry-run --profile").split(" "));
    assertThat(cli.status()).isEqualTo(2);
    assertThat(cli.err().strip())
        .isEqualTo(
            "gossamer: --profile: expected a run that trains, found --dry-run; leave one of them out");
  }
}
