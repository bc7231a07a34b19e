package dev.gossamer.graph.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.FormatProbe;
import dev.gossamer.graph.format.GraphFormat;
import dev.gossamer.graph.format.ReadOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatasetCacheTest {
  @TempDir Path folder;

  private final List<String> heard = new ArrayList<>();
  private final List<String> reasons = new ArrayList<>();

  private final CacheListener listener =
      new CacheListener() {
        @Override
        public void at(String label, long done, long total) {
          assertThat(done).isBetween(0L, total);
          heard.add(label);
        }

        @Override
        public void converted(Path source, Path target) {
          assertThat(DatasetFolder.isDatasetFolder(target)).isTrue();
          heard.add("converted " + source.getFileName());
        }

        @Override
        public void notKept(String name, String why) {
          assertThat(why).startsWith(folder.toString()).doesNotContain("\n");
          heard.add("not kept " + name);
        }

        @Override
        public void damaged(Path target, String why) {
          assertThat(why).startsWith(target.toString()).doesNotContain("\n");
          reasons.add(why.substring(target.toString().length() + 1));
          heard.add("damaged");
        }

        @Override
        public void building(BuiltIn dataset) {
          heard.add("building " + dataset.key());
        }

        @Override
        public void built(BuiltIn dataset, Path target) {
          assertThat(DatasetFolder.isDatasetFolder(target)).isTrue();
          heard.add("built " + dataset.key());
        }
      };

  private DatasetCache cache() {
    return new DatasetCache(folder.resolve("cache"));
  }

  private Path edges(String text) throws IOException {
    return Files.writeString(folder.resolve("edges.txt"), text);
  }

  private long edges(Path file, ReadOptions options) {
    try (GraphData d = cache().open(file.toString(), options, listener)) {
      return d.edges();
    }
  }

  @Test
  void aRawFileIsConvertedOnceForEachWayOfReadingIt() throws IOException {
    Path file = edges("0 1\n1 0\n1 2\n");
    assertThat(edges(file, ReadOptions.DEFAULT)).isEqualTo(2);
    assertThat(heard).containsExactly("converted edges.txt");
    assertThat(edges(file, ReadOptions.DEFAULT)).isEqualTo(2);
    assertThat(heard).hasSize(1);
    assertThat(edges(file, ReadOptions.DEFAULT.withDirected(true))).isEqualTo(3);
    assertThat(heard).hasSize(2);
    edges("0 1\n1 0\n1 2\n2 3\n");
    assertThat(edges(file, ReadOptions.DEFAULT)).isEqualTo(3);
    assertThat(heard).hasSize(3);
  }

  /// A folder that is a file stands for a home that is read-only: nobody can write into it.
  @Test
  void whatCannotBeKeptIsOpenedFromMemory() throws IOException {
    Files.writeString(folder.resolve("cache"), "");
    Path file = edges("0 1\n1 2\n");
    assertThat(edges(file, ReadOptions.DEFAULT)).isEqualTo(2);
    assertThat(edges(file, ReadOptions.DEFAULT)).isEqualTo(2);
    assertThat(heard).containsExactly("not kept edges.txt", "not kept edges.txt");
  }

  @Test
  void whatCannotBeReadIsNeitherAnnouncedNorKept() throws IOException {
    Path file = edges("0 1\n1 x\n");
    assertThatThrownBy(() -> edges(file, ReadOptions.DEFAULT))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(file + ": line 2: expected a vertex id, found 'x'");
    assertThat(heard).isEmpty();
    assertThat(folder.resolve("cache")).doesNotExist();
  }

  @Test
  void aLongTextIsReadWithProgress() throws IOException {
    Path file = edges("0 1\n".repeat(600_000));
    assertThat(edges(file, ReadOptions.DEFAULT)).isEqualTo(1);
    assertThat(heard)
        .containsExactly("reading edges.txt", "reading edges.txt", "converted edges.txt");
  }

  @Test
  void aDataSetFolderIsOpenedWhereItIsAsTheOptionsSay() {
    Path target = folder.resolve("path");
    try (GraphData d = GraphData.builder(2).edges(new int[] {0}, new int[] {1}).build()) {
      DatasetFolder.write(target, d);
    }
    assertThat(edges(target, ReadOptions.DEFAULT)).isEqualTo(1);
    assertThat(edges(target, ReadOptions.DEFAULT.withFormat(GraphFormat.named("dataset"))))
        .isEqualTo(1);
    assertThatThrownBy(() -> edges(target, ReadOptions.DEFAULT.withDirected(true)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith(target + ": expected a directed graph, found an undirected one");
    assertThatThrownBy(() -> edges(target, ReadOptions.DEFAULT.withSplitIndex(1)))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageContaining("splitIndex: expected 0, as format dataset has one split at most");
    assertThat(heard).isEmpty();
    assertThat(folder.resolve("cache")).doesNotExist();
  }

  @Test
  void aFormatOfOnesOwnIsNotKept() throws IOException {
    GraphFormat own =
        new GraphFormat() {
          @Override
          public String name() {
            return "own";
          }

          @Override
          public String description() {
            return "anything at all";
          }

          @Override
          public boolean isFolder() {
            return false;
          }

          @Override
          public boolean recognises(FormatProbe probe) {
            return false;
          }

          @Override
          public GraphData read(Path path, ReadOptions options) {
            return GraphData.builder(2).edges(new int[] {0}, new int[] {1}).build();
          }
        };
    assertThat(edges(edges("x"), ReadOptions.DEFAULT.withFormat(own))).isEqualTo(1);
    assertThat(heard).isEmpty();
    assertThat(folder.resolve("cache")).doesNotExist();
  }

  @Test
  void whatIsNotThereIsNamed() {
    String expected =
        "data: expected a built-in name (jdk-classes) or an existing file or folder, found ";
    for (String name : List.of("nowhere", "no\0where")) {
      assertThatThrownBy(() -> cache().open(name, ReadOptions.DEFAULT, listener))
          .isInstanceOf(InvalidSettingException.class)
          .hasMessage(expected + name.replace('\0', ' '));
    }
  }

  @Tag("slow")
  @Test
  void theClassesOfTheJdkAreBuiltOnce() {
    for (String name : List.of("jdk-classes", "JDK-Classes")) {
      try (GraphData d = cache().open(name, ReadOptions.DEFAULT, listener)) {
        assertThat(d.vertices()).isGreaterThan(10_000);
        assertThat(d.hasSplit()).isTrue();
        assertThat(d.info().provenance()).containsEntry("jdk", Runtime.version().toString());
      }
    }
    assertThat(heard).containsExactly("building jdk-classes", "built jdk-classes");
  }

  /// A folder in the text form of Cora, with labels and names.
  private Path citations() throws IOException {
    Path source = Files.createDirectories(folder.resolve("tiny"));
    Files.writeString(source.resolve("tiny.content"), "a\t1\t0\tX\nb\t0\t1\tY\nc\t1\t1\tX\n");
    Files.writeString(source.resolve("tiny.cites"), "a\tb\nb\tc\n");
    return source;
  }

  private int[] labels(Path source) {
    try (GraphData d = cache().open(source, ReadOptions.DEFAULT, listener)) {
      return d.labels().clone();
    }
  }

  private Path kept() throws IOException {
    try (Stream<Path> all = Files.list(folder.resolve("cache/converted"))) {
      return all.toList().getFirst();
    }
  }

  private interface Damage {
    void to(Path kept) throws IOException;
  }

  @Test
  void whatIsDamagedIsNamedAndMadeAgain() throws IOException {
    Path source = citations();
    assertThat(labels(source)).containsExactly(0, 1, 0);
    Map<String, Damage> damages =
        Map.of(
            "labels.npy: expected a file, as SHA256SUMS lists it, found none",
            kept -> Files.delete(kept.resolve("labels.npy")),
            "labels.npy: expected the content that SHA256SUMS lists",
            kept -> {
              byte[] bytes = Files.readAllBytes(kept.resolve("labels.npy"));
              bytes[bytes.length - 4] = 1;
              Files.write(kept.resolve("labels.npy"), bytes);
            },
            "col_idx.npy: expected the content",
            kept -> Files.write(kept.resolve("col_idx.npy"), new byte[3]),
            "vertices.txt: expected the content",
            kept -> Files.writeString(kept.resolve("vertices.txt"), "c\nb\na\n"),
            "split.npy: expected the files that SHA256SUMS lists, found another",
            kept -> Files.copy(kept.resolve("labels.npy"), kept.resolve("split.npy")),
            "dataset.json: expected a file",
            kept -> Files.delete(kept.resolve("dataset.json")),
            "dataset.json: expected the content",
            kept -> {
              String json = Files.readString(kept.resolve("dataset.json"));
              Files.writeString(
                  kept.resolve("dataset.json"),
                  json.replace("\"X\"", "\"Z\"").replace("\"Y\"", "\"X\""));
            },
            "SHA256SUMS: cannot read: no such file",
            kept -> Files.delete(kept.resolve("SHA256SUMS")),
            "SHA256SUMS: line 1: expected a SHA-256",
            kept -> Files.writeString(kept.resolve("SHA256SUMS"), "0  ../../x\n"));
    for (Map.Entry<String, Damage> damage : damages.entrySet()) {
      heard.clear();
      reasons.clear();
      damage.getValue().to(kept());
      assertThat(labels(source)).containsExactly(0, 1, 0);
      assertThat(heard).containsExactly("damaged", "converted tiny");
      assertThat(reasons.getFirst()).startsWith(damage.getKey());
      assertThat(labels(source)).containsExactly(0, 1, 0);
      assertThat(heard).hasSize(2);
    }
    try (Stream<Path> all = Files.list(folder.resolve("cache/converted"))) {
      assertThat(all).hasSize(1);
    }
  }

  @Test
  void aLinkInTheCacheIsNotFollowed() throws IOException {
    Path source = citations();
    labels(source);
    Path entry = kept();
    Path elsewhere = folder.resolve("elsewhere");
    Files.move(entry, elsewhere);
    Files.delete(elsewhere.resolve("labels.npy"));
    Files.createSymbolicLink(entry, elsewhere);
    assertThat(labels(source)).containsExactly(0, 1, 0);
    assertThat(elsewhere.resolve("col_idx.npy")).exists();
    assertThat(Files.isSymbolicLink(entry)).isFalse();
  }

  @Test
  void verifyingLooksAtEveryFile() throws IOException {
    Path target = folder.resolve("own");
    try (GraphData d = GraphData.builder(2).edges(new int[] {0}, new int[] {1}).build()) {
      DatasetFolder.write(target, d);
    }
    DatasetCache verifying = cache().verifying();
    verifying.open(target, ReadOptions.DEFAULT, listener).close();
    Files.writeString(target.resolve("vertices.txt"), "a\nb\n");
    verifying.open(target, ReadOptions.DEFAULT, listener).close();
    Files.writeString(target.resolve("notes.txt"), "mine");
    assertThat(edges(target, ReadOptions.DEFAULT)).isEqualTo(1);
    assertThatThrownBy(() -> verifying.open(target, ReadOptions.DEFAULT, listener))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(target + "/notes.txt: expected the files that SHA256SUMS lists, found another");
    Files.delete(target.resolve("SHA256SUMS"));
    assertThat(edges(target, ReadOptions.DEFAULT)).isEqualTo(1);
    assertThatThrownBy(() -> verifying.open(target, ReadOptions.DEFAULT, listener))
        .hasMessageStartingWith(target + ": expected SHA256SUMS to compare the files with");
    Path source = citations();
    verifying.open(source, ReadOptions.DEFAULT, listener).close();
    verifying.open(source, ReadOptions.DEFAULT, listener).close();
    assertThat(heard).containsExactly("converted tiny");
  }

  @Test
  void optionsOfRawFilesAreRefusedForABuiltInDataSet() {
    assertThatThrownBy(
            () -> cache().open("jdk-classes", ReadOptions.DEFAULT.withDirected(false), listener))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage(
            "directed: expected none, as jdk-classes is built in and not read from a raw file, found"
                + " false");
    assertThatThrownBy(
            () -> cache().open("jdk-classes", ReadOptions.DEFAULT.withSplitIndex(2), listener))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessageStartingWith("splitIndex: expected 0, as jdk-classes is built in");
  }
}
