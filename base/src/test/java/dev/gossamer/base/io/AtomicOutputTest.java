package dev.gossamer.base.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AtomicOutputTest {
  private static final Set<String> NAMES = Set.of("mark", "other", "half", "x.npy");

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
        NAMES,
        temporary -> {
          Files.writeString(temporary.resolve("mark"), "1");
          Files.writeString(temporary.resolve("other"), "1");
        });
    assertThat(target.resolve("SHA256SUMS"))
        .hasContent(
            """
            6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b  mark
            6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b  other
            """);
    AtomicOutput.folder(
        target,
        NAMES,
        temporary -> {
          assertThat(target.resolve("other")).exists();
          Files.writeString(temporary.resolve("mark"), "2");
        });
    assertThat(left()).containsExactly("set", "set/SHA256SUMS", "set/mark");
  }

  @FunctionalInterface
  private interface Change {
    void in(Path output) throws IOException;
  }

  /// What the owner of an output may have made of it, and what they are told is in the way.
  private static Map<String, Change> changes() {
    return Map.of(
        "notes.txt",
        output -> Files.writeString(output.resolve("notes.txt"), "mine"),
        ".hidden",
        output -> Files.createDirectory(output.resolve(".hidden")),
        "other",
        output -> Files.writeString(output.resolve("other"), "not listed"),
        "mark, which is no file",
        output -> {
          Files.delete(output.resolve("mark"));
          Files.createDirectory(output.resolve("mark"));
          Files.writeString(output.resolve("mark/letter"), "mine");
        },
        "SHA256SUMS",
        output -> Files.writeString(output.resolve("SHA256SUMS"), "not a list"),
        "mark",
        output -> Files.delete(output.resolve("SHA256SUMS")),
        "thesis.tex",
        output -> {
          Files.writeString(output.resolve("thesis.tex"), "mine");
          // A list that somebody else made is no proof that the files are ours.
          Files.writeString(
              output.resolve("SHA256SUMS"),
              "%s  mark\n%s  thesis.tex\n".formatted("0".repeat(64), "0".repeat(64)));
        });
  }

  @Test
  void nothingIsReplacedButWhatAnOutputLists() throws IOException {
    int number = 0;
    for (Map.Entry<String, Change> change : changes().entrySet()) {
      Path target = folder.resolve("set-" + number++);
      AtomicOutput.folder(
          target, NAMES, temporary -> Files.writeString(temporary.resolve("mark"), "1"));
      change.getValue().in(target);
      List<String> before = left();
      assertThatThrownBy(() ->
              AtomicOutput.folder(
                  target,
                  NAMES,
                  temporary -> {
                    throw new AssertionError("must not be asked");
                  }))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(
              "%s: expected a new folder, or one that contains only files listed in its SHA256SUMS, found %s; choose another name",
              target, change.getKey());
      assertThat(left()).isEqualTo(before);
    }
  }

  @Test
  void whatComesWhileAnOutputIsWrittenIsNotReplacedEither() throws IOException {
    Path target = folder.resolve("set");
    AtomicOutput.Content content =
        temporary -> {
          Files.writeString(temporary.resolve("mark"), "1");
          Files.createDirectories(target);
          Files.writeString(target.resolve("late"), "mine");
        };
    assertThatThrownBy(() -> AtomicOutput.folder(target, NAMES, content))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("found late;");
    assertThat(left()).containsExactly("set", "set/late");
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
                NAMES,
                temporary -> {
                  Files.writeString(temporary.resolve("half"), "");
                  throw new StackOverflowError("deep");
                }))
        .isInstanceOf(StackOverflowError.class);
    assertThat(left()).containsExactly("kept");
    assertThat(kept).hasContent("before");
  }

  @Test
  void tryingToWriteLeavesNothing() throws IOException {
    Path kept = Files.writeString(folder.resolve("kept"), "before");
    AtomicOutput.requireWritable(folder.resolve("new/deep/file"));
    AtomicOutput.requireWritable(kept);
    for (Path target :
        List.of(kept.resolve("below"), folder.resolve("x".repeat(250)), Path.of("/"))) {
      assertThatThrownBy(() -> AtomicOutput.requireWritable(target))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageStartingWith(target + ": cannot write: ");
    }
    assertThatThrownBy(() -> AtomicOutput.requireWritable(folder))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(folder + ": expected a file to write, found a folder");
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
                NAMES,
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
    assertThatThrownBy(() -> AtomicOutput.folder(folder.resolve("file"), NAMES, temporary -> {}))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("expected a folder to write, found a file");
    assertThatThrownBy(() -> AtomicOutput.folder(folder.resolve("home"), NAMES, temporary -> {}))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("found letter; choose another name");
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
                NAMES,
                temporary -> {
                  Files.writeString(temporary.resolve("mark"), "of-" + writer);
                  Files.writeString(temporary.resolve("other"), "of-" + writer);
                }));
    assertThat(left())
        .containsExactly("shared", "shared/SHA256SUMS", "shared/mark", "shared/other");
    assertThat(target.resolve("mark")).hasContent(Files.readString(target.resolve("other")));
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
  void theNextOutputRemovesWhatAKilledProcessOfThisMachineLeft() throws IOException {
    Path target = folder.resolve("out");
    String[] own = new String[1];
    AtomicOutput.file(
        target, temporary -> own[0] = String.valueOf(Files.createFile(temporary).getFileName()));
    Matcher name =
        Pattern.compile("\\.out\\.tmp-(?<machine>\\w+)-(?<process>\\w+)-\\w+").matcher(own[0]);
    assertThat(name.matches()).as(own[0]).isTrue();
    String gone = "7fffffff"; // more than any system's greatest process
    String parent = Long.toHexString(ProcessHandle.current().parent().orElseThrow().pid());
    String machine = ".out.tmp-" + name.group("machine");
    String other = ".out.tmp-" + (name.group("machine").equals("00000000") ? "1" : "0").repeat(8);
    List<String> removed =
        List.of(
            machine + "-" + gone + "-00000000",
            machine + "-" + name.group("process") + "-00000000");
    List<String> kept =
        List.of(
            machine,
            machine + "-" + parent + "-00000000",
            other + "-" + gone + "-00000000",
            ".another" + removed.getFirst().substring(4));
    for (String temporary : Stream.concat(removed.stream(), kept.stream()).toList()) {
      Files.createFile(folder.resolve(temporary));
    }
    AtomicOutput.file(target, Files::createFile);
    assertThat(left())
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(kept.stream(), Stream.of("out")).toList());
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
