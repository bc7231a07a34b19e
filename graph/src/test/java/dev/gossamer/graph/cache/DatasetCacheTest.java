package dev.gossamer.graph.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.graph.format.FormatProbe;
import dev.gossamer.graph.format.GraphFormat;
import dev.gossamer.graph.format.ReadOptions;
import dev.gossamer.matrix.io.InvalidInputException;
import dev.gossamer.matrix.io.InvalidSettingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatasetCacheTest {
  @TempDir Path folder;

  private final List<String> heard = new ArrayList<>();

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

  @Test
  void theClassesOfTheJdkAreBuiltOnce() {
    for (String name : List.of("jdk-classes", "JDK-Classes")) {
      try (GraphData d = cache().open(name, ReadOptions.DEFAULT, listener)) {
        assertThat(d.vertices()).isGreaterThan(10_000);
        assertThat(d.hasSplit()).isTrue();
        assertThat(d.info().provenance()).containsEntry("jdk", Runtime.version().toString());
      }
    }
    assertThat(heard)
        .containsExactly("building jdk-classes", "building jdk-classes", "built jdk-classes");
  }
}
