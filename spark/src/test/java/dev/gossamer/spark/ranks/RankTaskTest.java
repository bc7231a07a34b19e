package dev.gossamer.spark.ranks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RankTaskTest {
  @ParameterizedTest
  @CsvSource({
    "spark.app.name=a, false",
    "spark.network.crypto.enabled=true, true",
    "spark.network.crypto.enabled=false, false",
    "spark.ssl.enabled=true, true",
    "spark.ssl.rpc.enabled=true, true",
    "spark.ssl.enabled=true spark.ssl.rpc.enabled=false, false"
  })
  void ranksEncryptIfTheApplicationDoes(String settings, boolean encrypted) {
    SparkConf conf = new SparkConf(false);
    for (String setting : settings.split(" ", -1)) {
      conf.set(setting.replaceFirst("=.*", ""), setting.replaceFirst(".*=", ""));
    }

    assertThat(RankTask.isEncrypted(conf)).isEqualTo(encrypted);
  }

  /// Rank 1 is on the host of rank 0.
  @ParameterizedTest
  @CsvSource({"a, a, true", "none, none, true", "a, b, false", "none, b, false"})
  void hostsThatResumeFromOtherCheckpointsFailTheAttempt(
      String first, String second, boolean same) {
    List<RankTask.Ready> all =
        Stream.of(
                new RankTask.Ready("0", first, "/tmp/a b"),
                new RankTask.Ready("0", "", ""),
                new RankTask.Ready("driver", second, "/tmp/c"))
            .map(ready -> RankTask.Ready.of(ready.line()))
            .toList();

    assertThat(all.getFirst().told()).isEqualTo("/tmp/a b");
    if (same) {
      RankTask.requireSame(all);
    } else {
      assertThatThrownBy(() -> RankTask.requireSame(all))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("expected one checkpoint to resume from, found 2");
    }
  }
}
