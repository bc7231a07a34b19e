package dev.gossamer.base.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gossamer.base.InvalidInputException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A pipe that nobody writes to blocks whoever opens it: the time limit stands for "for ever".
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InputFileTest {
  @TempDir Path folder;

  private Path pipe() throws Exception {
    Path pipe = folder.resolve("pipe");
    Process made;
    try {
      made = new ProcessBuilder("mkfifo", pipe.toString()).start();
    } catch (IOException e) {
      assumeTrue(false, "no mkfifo here");
      return pipe;
    }
    assertThat(made.waitFor()).isZero();
    return pipe;
  }

  @Test
  void aPipeOrADeviceIsRefusedBeforeItIsOpened() throws Exception {
    Path pipe = pipe();
    String expected =
        ": expected a regular file, found a pipe, socket or device; write its content";
    assertThatThrownBy(() -> InputFile.of(pipe))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith(pipe + expected);
    try (Arena arena = Arena.ofConfined()) {
      assertThatThrownBy(() -> NpyFile.map(arena, pipe, NpyFile.Type.INT8, 1))
          .hasMessageStartingWith(pipe + expected);
    }
    Path zero = Path.of("/dev/zero");
    assumeTrue(Files.exists(zero));
    assertThatThrownBy(() -> InputFile.of(zero)).hasMessageStartingWith(zero + expected);
    Path link = Files.createSymbolicLink(folder.resolve("link"), zero);
    assertThatThrownBy(() -> InputFile.of(link)).hasMessageStartingWith(link + expected);
  }

  @Test
  void whatIsNoFileIsNamed() {
    assertThatThrownBy(() -> InputFile.of(folder))
        .hasMessage(folder + ": expected a regular file, found a folder");
    assertThatThrownBy(() -> InputFile.of(folder.resolve("absent")))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("cannot read: no such file");
  }

  @Test
  void noMoreIsReadThanTheFileHadWhenItWasLookedAt() throws IOException {
    Path file = Files.writeString(folder.resolve("f"), "one\ntwo\n");
    InputFile input = InputFile.of(file);
    Files.writeString(file, "three\n", StandardOpenOption.APPEND);
    assertThat(input.size()).isEqualTo(8);
    assertThat(input.text(8)).isEqualTo("one\ntwo\n");
    try (BufferedReader reader = input.reader()) {
      assertThat(reader.lines()).containsExactly("one", "two");
    }
    try (InputStream in = input.stream()) {
      assertThat(in.available()).isEqualTo(8);
      assertThat(in.skip(4)).isEqualTo(4);
      assertThat(in.read()).isEqualTo('t');
      assertThat(in.readAllBytes()).hasSize(3);
      assertThat(in.read()).isEqualTo(-1);
      assertThat(in.read(new byte[0])).isZero();
    }
    assertThatThrownBy(() -> input.bytes(7))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(file + ": expected at most 7 bytes, found 8");
  }

  @Test
  void otherBytesThanUtf8AreRefused() throws IOException {
    Path file = Files.write(folder.resolve("f"), new byte[] {'a', (byte) 0xff});
    assertThatThrownBy(() -> InputFile.of(file).text(9))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(file + ": cannot read: expected UTF-8 text, found other bytes");
  }

  @Test
  void aMemoryThatDoesNotSufficeIsSaidWithTheNameOfTheFile() {
    OutOfMemoryError full = new OutOfMemoryError("Java heap space");
    assertThatThrownBy(() ->
            InputFile.reading(
                Path.of("a.npz"),
                () -> {
                  throw full;
                }))
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessage("while reading a.npz: Java heap space")
        .hasCause(full);
    assertThat(InputFile.reading(Path.of("a.npz"), () -> 3)).isEqualTo(3);
  }

  @Test
  void whatUnpacksTooFarIsKnownByTheSize() {
    InputFile file = new InputFile(Path.of("a.gz"), 1000);
    assertThat(file.mostUnpacked()).isEqualTo((96L << 20) + 32_000);
    assertThat(new InputFile(Path.of("b"), Long.MAX_VALUE).mostUnpacked()).isPositive();
    assertThat(file.unpacksTooFar("a.gz: line 3"))
        .hasMessage(
            "a.gz: line 3: expected at most 100695296 unpacked bytes in a file of 1000, found more;"
                + " store it unpacked");
    assertThatThrownBy(() -> new InputFile(Path.of("a"), -1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
