package dev.gossamer.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.cli.Child;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// What becomes of an output whose process is told to end, or killed, while it is written.
@EnabledOnOs(
    value = {OS.LINUX, OS.MAC},
    disabledReason = "there is no SIGTERM")
class OutputOnExitTest {
  private static final Set<String> NAMES = Set.of("first", "second");

  @TempDir Path folder;

  /// Writes a folder, with a pause.
  static final class Writing {
    private Writing() {}

    public static void main(String[] arguments) {
      Path target = Path.of(arguments[0]);
      if (arguments[1].equals("finishing")) {
        try (AtomicOutput.Finishing _ = AtomicOutput.finishing()) {
          write(target);
        }
      } else {
        write(target);
      }
    }

    private static void write(Path target) {
      AtomicOutput.folder(
          target,
          NAMES,
          temporary -> {
            Files.writeString(temporary.resolve("first"), "1");
            System.out.println("writing");
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            Files.writeString(temporary.resolve("second"), "2");
          });
      System.out.println("written");
    }
  }

  private Child writing(String how) throws IOException {
    Child child =
        new Child(Child.java(List.of(), Writing.class, folder.resolve("out").toString(), how));
    assertThat(child.hear()).isEqualTo("writing");
    return child;
  }

  private List<String> left() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(path -> path.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void whatIsWrittenWhenTheProcessIsToEndIsRemoved() throws IOException {
    try (Child child = writing("as usual")) {
      assertThat(left()).singleElement().asString().startsWith(".out.tmp-");
      child.terminate();
      assertThat(child.hear()).isEqualTo("end");
      assertThat(left()).isEmpty();
    }
  }

  @Test
  void whatIsToBeFinishedIs() throws IOException {
    try (Child child = writing("finishing")) {
      child.terminate();
      child.tell("go on");
      assertThat(child.hear()).isEqualTo("written");
      assertThat(child.hear()).isEqualTo("end");
      assertThat(left()).containsExactly("out");
      assertThat(folder.resolve("out/second")).hasContent("2");
    }
  }

  @Test
  void whatAKilledProcessLeftIsRemovedByTheNextOutputToThatPlace()
      throws IOException, InterruptedException {
    try (Child killed = writing("as usual")) {
      killed.kill();
    }
    String left = left().getFirst();
    assertThat(left()).containsExactly(left);
    AtomicOutput.file(folder.resolve("another"), file -> Files.writeString(file, ""));
    assertThat(left()).containsExactly(left, "another");
    try (Child alive = writing("as usual")) {
      assertThat(left()).hasSize(2).contains("another").doesNotContain(left);
      AtomicOutput.folder(
          folder.resolve("out"), NAMES, into -> Files.writeString(into.resolve("first"), "3"));
      assertThat(left()).hasSize(3).contains("another", "out");
      alive.tell("go on");
      assertThat(alive.hear()).isEqualTo("written");
    }
    assertThat(left()).containsExactly("another", "out");
    assertThat(folder.resolve("out/first")).hasContent("1");
  }
}
