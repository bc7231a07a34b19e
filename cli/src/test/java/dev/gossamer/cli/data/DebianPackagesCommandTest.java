package dev.gossamer.cli.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.cli.Cli;
import dev.gossamer.cli.SmallLists;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// `dataset build debian-packages`, with lists of our own.
class DebianPackagesCommandTest {
  @TempDir Path folder = Path.of("");

  @BeforeEach
  void writeAList() throws IOException {
    SmallLists.write(folder.resolve("lists"));
  }

  private Cli build(String more) {
    String command =
        "dataset build debian-packages --json --lists %s %s"
            .formatted(folder.resolve("lists"), more);
    return Cli.run(command.replace("FOLDER", folder.toString()).strip().split(" "));
  }

  /// The tables that are kept are those of the data set, and a schema is proposed for them.
  @Tag("slow")
  @Test
  void buildsAGraphFromTablesThatCanBeImported() throws IOException {
    Cli built = build("--out FOLDER/built --tables FOLDER/tables --split 20/20/60 --seed 3");
    assertThat(built.status()).as(built.err()).isZero();
    JsonNode facts = built.json();
    assertThat(facts.get("vertices").asInt()).isEqualTo(SmallLists.PACKAGES);
    assertThat(facts.get("edges").asInt()).isEqualTo(2 * SmallLists.PACKAGES);
    assertThat(facts.get("classes").asInt()).isEqualTo(3);
    JsonNode without = build("--out FOLDER/again --split 20/20/60 --seed 3").json();
    assertThat(without.get("fingerprint")).isEqualTo(facts.get("fingerprint"));
    String tables = folder.resolve("tables").toString();
    Cli imported =
        Cli.run(
            "dataset",
            "import",
            "--vertices",
            tables + "/packages.csv",
            "--edges",
            tables + "/depends.csv",
            "--out",
            folder.resolve("imported").toString());
    assertThat(imported.status()).as(imported.err()).isZero();
    assertThat(imported.out())
        .containsPattern("packages +name +id ")
        .containsPattern("packages +section +label ")
        .containsPattern("packages +description +text ")
        .containsPattern("packages +size +numeric ")
        .containsPattern("depends +package +from ")
        .containsPattern("depends +depends_on +to ");
  }

  @Test
  void aFolderWithOtherFilesIsNotReplaced() throws IOException {
    Files.createDirectory(folder.resolve("mine"));
    Files.writeString(folder.resolve("mine/notes.txt"), "mine");
    Cli built = build("--out FOLDER/built --tables FOLDER/mine");
    assertThat(built.status()).isEqualTo(2);
    assertThat(built.err()).contains("mine: expected a new folder, ").contains("found notes.txt");
    assertThat(folder.resolve("built")).doesNotExist();
  }
}
