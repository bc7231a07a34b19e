package dev.gossamer.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PartitionTest {
  @TempDir private Path folder;

  @Test
  void readsWhatItWrote() {
    Partition partition = Partition.of(new int[] {2, 0, 1, 1}, 3);
    Path file = folder.resolve("graph.part.3");

    partition.write(file);

    assertThat(file).hasContent("2\n0\n1\n1\n");
    assertThat(Partition.read(file, 4, 3)).isEqualTo(partition);
  }

  @Test
  void saysWhereAPartFileIsWrong() throws IOException {
    Path file = folder.resolve("p");
    Files.writeString(file, "0\n3\n");
    assertThatThrownBy(() -> Partition.read(file, 2, 3))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(file + ": line 2: expected a part number from 0 to 2, found '3'");
    assertThatThrownBy(() -> Partition.read(file, 3, 4))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(file + ": expected a part number for each of 3 vertices, found 2 lines");
    assertThatThrownBy(() -> Partition.read(file, 1, 4))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("found more lines");
    assertThatThrownBy(() -> Partition.read(folder.resolve("none"), 1, 4))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("cannot read");
  }

  @Test
  void refusesAFileThatIsTooLongForItsVertices() throws IOException {
    Path file = Files.writeString(folder.resolve("p"), "0".repeat(200));
    assertThatThrownBy(() -> Partition.read(file, 2, 3))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            file + ": expected at most 192 bytes, a part number for each of 2 vertices, found 200");
    assertThatThrownBy(() -> Partition.read(Path.of("/dev/zero"), 2, 3))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("expected a regular file, found a pipe, socket or device");
  }

  @Test
  void refusesPartsOutOfRange() {
    assertThatThrownBy(() -> Partition.of(new int[] {0, 2}, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("vertex 1 is in part 2");
    assertThatThrownBy(() -> Partition.of(new int[0], 0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
