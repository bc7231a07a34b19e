package dev.gossamer.spark.ranks;

import static org.assertj.core.api.Assertions.assertThat;

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
}
