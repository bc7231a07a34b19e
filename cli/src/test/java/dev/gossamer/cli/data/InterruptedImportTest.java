package dev.gossamer.cli.data;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.cli.Child;
import dev.gossamer.cli.SmallTables;
import dev.gossamer.graph.Progress;
import dev.gossamer.tables.TableGraph;
import dev.gossamer.tables.Tables;
import dev.gossamer.tables.Tables.TableOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InterruptedImportTest {
  @TempDir Path folder = Path.of("");

  /// Reads tables, and waits for a line before a step.
  static final class Importing {
    private Importing() {}

    public static void main(String[] arguments) {
      Path tables = Path.of(arguments[0]);
      Progress waiting =
          (label, done, total) -> {
            if (label.equals("building the graph")) {
              System.out.println(label);
              try {
                System.in.read();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }
          };
      List<String> vertices = List.of("accounts.csv");
      List<String> edges = List.of("payments.csv");
      try (TableGraph graph =
          Tables.read(
              Tables.propose("shop", tables, vertices, edges).schema(),
              tables,
              new TableOptions(256L << 20, waiting))) {
        System.out.println("read " + graph.data().vertices());
      }
    }
  }

  private static List<Path> contents(Path of) throws IOException {
    try (Stream<Path> all = Files.list(of)) {
      return all.toList();
    }
  }

  @Tag("slow")
  @Test
  void leavesNoTemporaryFiles() throws IOException, InterruptedException {
    SmallTables.write(folder);
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    List<String> flags = List.of("-Djava.io.tmpdir=" + temporary);
    try (Child child = new Child(Child.java(flags, Importing.class, folder.toString()))) {
      assertThat(child.hear()).isEqualTo("building the graph");
      assertThat(contents(temporary)).as("while it works").isNotEmpty();
      child.terminate();
      assertThat(child.hear()).isEqualTo("end");
      child.status();
    }
    assertThat(contents(temporary)).isEmpty();
  }
}
