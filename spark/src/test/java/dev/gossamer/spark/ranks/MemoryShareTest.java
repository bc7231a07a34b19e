package dev.gossamer.spark.ranks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;

class MemoryShareTest {
  private static SparkConf conf(String master) {
    return new SparkConf(false).set("spark.master", master).set("spark.executor.memory", "8g");
  }

  @Test
  void withoutTheSettingRanksDivideWhatTheMachineHas() {
    assertThat(MemoryShare.of(conf("spark://host:7077"), 2)).isEmpty();
  }

  @Test
  void withoutTheSettingClusterManagersThatCountGrantNothing() {
    assertThat(MemoryShare.of(conf("yarn"), 2)).isEqualTo(OptionalLong.of(0));
    assertThat(MemoryShare.of(conf("k8s://host"), 2)).isEqualTo(OptionalLong.of(0));
  }

  @Test
  void ranksDivideWhatIsBeyondTheDefault() {
    SparkConf conf = conf("yarn").set(MemoryShare.SETTING, "4915m");

    // A tenth of 8 GiB is 819 MiB.
    assertThat(MemoryShare.of(conf, 2)).isEqualTo(OptionalLong.of(2048L << 20));
  }
}
