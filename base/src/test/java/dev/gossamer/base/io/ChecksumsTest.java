package dev.gossamer.base.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChecksumsTest {
  @TempDir Path folder;

  @Test
  void aFolderMayHaveThousandsOfFiles() throws IOException {
    Path many = Files.createDirectory(folder.resolve("many"));
    for (int i = 0; i < 2000; i++) {
      Files.writeString(many.resolve("parameter-%d.npy".formatted(i)), "");
    }
    Checksums.write(many);
    assertThat(Checksums.read(many).names()).hasSize(2000);
  }

  @Test
  void aFileHasOneSum() throws IOException {
    String one = "0".repeat(64) + "  a.npy\n";
    String another = "1".repeat(64) + "  a.npy\n";
    Path list = Files.writeString(folder.resolve("SHA256SUMS"), one + one);
    assertThat(Checksums.read(folder).names()).containsExactly("a.npy");
    Files.writeString(list, one + another);
    assertThatThrownBy(() -> Checksums.read(folder))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            list + ": line 2: expected one SHA-256 for each file, found a second one for a.npy");
  }
}
