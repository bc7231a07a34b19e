package dev.gossamer.spark.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RankChildTest {
  @TempDir private Path folder;

  private RankChild.End end(String options) throws InterruptedException {
    String own = Objects.requireNonNullElse(System.getenv("JDK_JAVA_OPTIONS"), "");
    try (RankChild child =
        RankChild.start(
            List.of("--version"), Map.of("JDK_JAVA_OPTIONS", own + " " + options), folder)) {
      return child.await(line -> new String[] {line}, () -> false, () -> {});
    }
  }

  @Test
  void whatTheJvmSaysIsNoOutputOfTheCommand() throws InterruptedException {
    RankChild.End silent = end("");

    assertThat(silent.status()).isZero();
    assertThat(silent.output()).isNotEmpty();
    assertThat(end("-Xlog:gc+init").output()).isEqualTo(silent.output());
  }

  @Test
  void entriesOfTheClassPathHoldInAnotherFolder() {
    Path here = Path.of("").toAbsolutePath();

    assertThat(RankChild.absolute("/a/b.jar:conf:" + here))
        .isEqualTo("/a/b.jar:%s/conf:%s", here, here);
  }
}
