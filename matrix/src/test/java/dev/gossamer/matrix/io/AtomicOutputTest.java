package dev.gossamer.matrix.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicOutputTest {
  @TempDir Path folder;

  private List<String> left() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.skip(1).map(path -> folder.relativize(path).toString()).sorted().toList();
    }
  }

  @Test
  void aFileAppearsOnlyWhenItIsWhole() throws IOException {
    Path target = folder.resolve("a/b/c.txt");
    AtomicOutput.file(
        target,
        temporary -> {
          assertThat(target).doesNotExist();
          assertThat(temporary.getParent()).isEqualTo(target.getParent());
          Files.writeString(temporary, "one");
        });
    AtomicOutput.file(
        target,
        temporary -> {
          Files.writeString(temporary, "two");
          assertThat(target).hasContent("one");
        });
    assertThat(target).hasContent("two");
    assertThat(left()).containsExactly("a", "a/b", "a/b/c.txt");
  }

  @FunctionalInterface
  private interface Turn {
    void write(int writer, int round) throws IOException;
  }

  /// Lets writers take each round together. One that fails is not waited for, so that its own error
  /// is the one reported, and no limit of time hides it.
  private static void together(int writers, int rounds, Turn turn) throws Exception {
    Phaser start = new Phaser(writers);
    List<Callable<@Nullable Void>> all = new ArrayList<>();
    for (int each = 0; each < writers; each++) {
      int writer = each;
      all.add(() -> {
        try {
          for (int round = 0; round < rounds; round++) {
            start.arriveAndAwaitAdvance();
            turn.write(writer, round);
          }
        } finally {
          start.arriveAndDeregister();
        }
        return null;
      });
    }
    try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
      for (Future<@Nullable Void> one : threads.invokeAll(all)) {
        one.get();
      }
    }
  }

  @Test
  void theFirstFilesOfAFolderMayBeWrittenAtTheSameTime() throws Exception {
    int writers = 4;
    int rounds = 50;
    together(
        writers,
        rounds,
        (writer, round) ->
            AtomicOutput.file(
                folder.resolve("run-" + round).resolve("parts").resolve("part-" + writer),
                temporary -> Files.writeString(temporary, "part")));
    assertThat(left()).hasSize(rounds * (2 + writers));
  }

  @Test
  void aFolderIsReplacedAtTheEnd() throws IOException {
    Path target = folder.resolve("set");
    AtomicOutput.folder(
        target,
        "mark",
        temporary -> {
          Files.writeString(temporary.resolve("mark"), "1");
          Files.writeString(temporary.resolve("old"), "1");
        });
    AtomicOutput.folder(
        target,
        "mark",
        temporary -> {
          assertThat(target.resolve("old")).exists();
          Files.createDirectory(temporary.resolve("deep"));
          Files.writeString(temporary.resolve("deep/mark"), "2");
        });
    assertThat(left()).containsExactly("set", "set/deep", "set/deep/mark");
  }

  @Test
  void whateverFailsNothingTemporaryStays() throws IOException {
    Path kept = folder.resolve("kept");
    Files.writeString(kept, "before");
    for (RuntimeException failure :
        List.of(new IllegalStateException("x"), new InvalidInputException("y"))) {
      for (Path target : List.of(kept, folder.resolve("new/deep/file"))) {
        assertThatThrownBy(() ->
                AtomicOutput.file(
                    target,
                    temporary -> {
                      Files.writeString(temporary, "half");
                      throw failure;
                    }))
            .isSameAs(failure);
      }
    }
    assertThatThrownBy(() ->
            AtomicOutput.folder(
                folder.resolve("set"),
                "mark",
                temporary -> {
                  Files.writeString(temporary.resolve("half"), "");
                  throw new StackOverflowError("deep");
                }))
        .isInstanceOf(StackOverflowError.class);
    assertThat(left()).containsExactly("kept");
    assertThat(kept).hasContent("before");
  }

  @Test
  void ioExceptionsBecomeOneLine() throws IOException {
    Path target = folder.resolve("x/y");
    assertThatThrownBy(() ->
            AtomicOutput.file(
                target,
                temporary -> {
                  throw new IOException("broken\npipe");
                }))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(target + ": cannot write: broken pipe");
    assertThatThrownBy(() ->
            AtomicOutput.file(
                target,
                temporary -> {
                  throw new UncheckedIOException(new IOException("inside"));
                }))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(target + ": cannot write: inside");
    assertThat(left()).isEmpty();
  }

  @Test
  void aFullDiskLeavesNothing() throws IOException {
    Path full = Path.of("/dev/full");
    assumeTrue(Files.exists(full), "this system has no /dev/full");
    Path target = folder.resolve("deep/set");
    assertThatThrownBy(() ->
            AtomicOutput.folder(
                target,
                "mark",
                temporary -> {
                  Files.writeString(temporary.resolve("mark"), "");
                  Path array = Files.createSymbolicLink(temporary.resolve("x.npy"), full);
                  NpyFile.write(
                      array, NpyFile.Type.INT32, MemorySegment.ofArray(new int[1000]), 1000);
                }))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(target + ": cannot write: No space left on device");
    assertThat(left()).isEmpty();
    assertThat(full).exists();
  }

  @Test
  void whatIsSomethingElseIsNotReplaced() throws IOException {
    Files.writeString(folder.resolve("file"), "");
    Files.createDirectory(folder.resolve("home"));
    Files.writeString(folder.resolve("home/letter"), "");
    assertThatThrownBy(() -> AtomicOutput.file(folder.resolve("home"), temporary -> {}))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("expected a file to write, found a folder");
    assertThatThrownBy(() -> AtomicOutput.folder(folder.resolve("file"), "m", temporary -> {}))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("expected a folder to write, found a file");
    assertThatThrownBy(() -> AtomicOutput.folder(folder.resolve("home"), "m", temporary -> {}))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("expected a new folder or one with m to replace");
    assertThatThrownBy(() -> AtomicOutput.file(folder.resolve("file/below"), temporary -> {}))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("cannot write: already there");
    assertThat(left()).containsExactly("file", "home", "home/letter");
  }

  @Test
  void writersOfOneFolderAtTheSameTimeAllSucceed() throws Exception {
    Path target = folder.resolve("shared");
    together(
        3,
        100,
        (writer, round) ->
            AtomicOutput.folder(
                target,
                "marker",
                temporary -> {
                  Files.writeString(temporary.resolve("marker"), "of-" + writer);
                  Files.writeString(temporary.resolve("other"), "of-" + writer);
                }));
    assertThat(left()).containsExactly("shared", "shared/marker", "shared/other");
    assertThat(target.resolve("marker")).hasContent(Files.readString(target.resolve("other")));
  }

  @Test
  void whatIsRemovedIsGoneAndLinksAreNotFollowed() throws IOException {
    Path kept = Files.writeString(folder.resolve("kept"), "1");
    Path target = folder.resolve("target");
    Files.createDirectories(target.resolve("inner"));
    Files.createSymbolicLink(target.resolve("inner/link"), kept);
    AtomicOutput.remove(target);
    AtomicOutput.remove(target);
    Path link = Files.createSymbolicLink(folder.resolve("link"), kept);
    AtomicOutput.remove(link);
    assertThat(left()).containsExactly("kept");
  }

  @Test
  void aDeviceIsNotReplaced() {
    Path device = Path.of("/dev/zero");
    assumeTrue(Files.exists(device) && !Files.isRegularFile(device));
    assertThatThrownBy(() ->
            AtomicOutput.file(
                device,
                temporary -> {
                  throw new IOException("must not be asked");
                }))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            device + ": expected a file or folder to write, found a pipe, socket or device");
  }
}
