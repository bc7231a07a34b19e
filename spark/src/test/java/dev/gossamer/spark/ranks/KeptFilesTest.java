package dev.gossamer.spark.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeptFilesTest {
  @TempDir private Path folder;
  private Path run;
  private Path home;

  @BeforeEach
  void folders() throws IOException {
    run = Files.createDirectories(folder.resolve("host/run"));
    home = folder.resolve("home/run");
  }

  private KeptFiles kept() {
    return new KeptFiles(run, new org.apache.hadoop.fs.Path(home.toUri()), new Configuration());
  }

  private static void replace(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Path next = Files.writeString(file.resolveSibling(".next"), text);
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /// Files of the copy without Hadoop's check sums.
  private List<String> copied() throws IOException {
    try (Stream<Path> all = Files.walk(home)) {
      return all.filter(Files::isRegularFile)
          .map(file -> home.relativize(file).toString())
          .filter(name -> !name.endsWith(".crc"))
          .sorted()
          .toList();
    }
  }

  @Test
  void theCopyFollowsTheFolder() throws IOException {
    KeptFiles kept = kept();
    kept.update();
    replace(run.resolve("config.yaml"), "seed: 1");
    replace(run.resolve("checkpoint/epoch-1"), "one");
    replace(run.resolve("checkpoint/manifest.json"), "epoch-1");
    kept.update();
    assertThat(copied())
        .containsExactly("checkpoint/epoch-1", "checkpoint/manifest.json", "config.yaml");

    replace(run.resolve("checkpoint/epoch-2"), "two");
    replace(run.resolve("checkpoint/manifest.json"), "epoch-2");
    Files.delete(run.resolve("checkpoint/epoch-1"));
    kept.update();

    assertThat(copied())
        .containsExactly("checkpoint/epoch-2", "checkpoint/manifest.json", "config.yaml");
    assertThat(home.resolve("checkpoint/manifest.json")).hasContent("epoch-2");
    assertThat(run.getParent()).isDirectoryContaining(each -> each.equals(run));
    try (Stream<Path> left = Files.list(run.getParent())) {
      assertThat(left).containsExactly(run);
    }
  }

  @Test
  void whatWasSeenIsNotCopiedAgain() throws IOException {
    replace(run.resolve("config.yaml"), "seed: 1");
    KeptFiles kept = kept();
    kept.seen();

    kept.update();

    assertThat(home).doesNotExist();
  }

  @Test
  void anotherHostFetchesTheCopy() throws IOException {
    replace(run.resolve("checkpoint/manifest.json"), "epoch-1");
    kept().update();
    HostFolder host = HostFolder.create(folder);

    boolean there =
        host.fetch(new org.apache.hadoop.fs.Path(home.toUri()), "run", new Configuration());

    assertThat(there).isTrue();
    assertThat(host.path().resolve("run/checkpoint/manifest.json")).hasContent("epoch-1");
    assertThat(
            host.fetch(
                new org.apache.hadoop.fs.Path(folder.resolve("no").toUri()),
                "no",
                new Configuration()))
        .isFalse();
    host.delete();
    assertThat(host.path()).doesNotExist();
  }

  @Test
  void hostsTellCheckpointsApart() throws IOException {
    KeptFiles kept = kept();
    kept.update();
    assertThat(fetched()).isEqualTo("none");
    replace(run.resolve("config.yaml"), "seed: 1");
    replace(run.resolve("metrics.jsonl"), "one");
    kept.update();
    String begun = fetched();
    replace(run.resolve("metrics.jsonl"), "two");
    kept.update();
    assertThat(fetched()).isEqualTo(begun).isNotEqualTo("none").doesNotContain(" ");
    replace(run.resolve("checkpoint/epoch-1"), "one");
    kept.update();
    String unnamed = fetched();
    replace(run.resolve("checkpoint/manifest.json"), "epoch-1");
    kept.update();
    String first = fetched();
    replace(run.resolve("checkpoint/manifest.json"), "epoch-2");
    kept.update();

    assertThat(List.of(begun, unnamed, first, fetched())).doesNotHaveDuplicates();
  }

  /// The checkpoint that another host finds now.
  private String fetched() {
    HostFolder host = HostFolder.create(folder);
    host.fetch(new org.apache.hadoop.fs.Path(home.toUri()), "run", new Configuration());
    return host.checkpoint("run");
  }
}
