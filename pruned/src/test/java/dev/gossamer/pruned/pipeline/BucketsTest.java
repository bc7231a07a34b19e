package dev.gossamer.pruned.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.nn.state.ParameterLayout;
import dev.gossamer.pruned.pipeline.Buckets.Bucket;
import java.util.List;
import org.junit.jupiter.api.Test;

class BucketsTest {
  /// Three blocks with 100, nothing, and 30 + 5 elements.
  private static final ParameterLayout KEPT =
      ParameterLayout.builder()
          .add("a.weight", 10, 10, true)
          .add("c.weight", 1, 30, true)
          .add("c.bias", 1, 5, false)
          .build();

  private static final List<Integer> PARAMETERS = List.of(1, 0, 2);

  @Test
  void bucketsFillFromTheLastBlock() {
    assertThat(Buckets.of(KEPT, PARAMETERS, 40).all())
        .containsExactly(
            new Bucket(0, 95, 135),
            new Bucket(0, 55, 95),
            new Bucket(0, 15, 55),
            new Bucket(0, 0, 15));
  }

  @Test
  void aFullBucketGoesWithTheBlockThatFillsIt() {
    assertThat(Buckets.of(KEPT, PARAMETERS, 35).all())
        .startsWith(new Bucket(2, 100, 135), new Bucket(0, 65, 100));
  }

  @Test
  void theyCoverEverythingOnce() {
    for (long most = 1; most < 200; most++) {
      List<Bucket> all = Buckets.of(KEPT, PARAMETERS, most).all();
      long end = KEPT.count();
      for (Bucket bucket : all) {
        assertThat(bucket.end()).isEqualTo(end);
        assertThat(bucket.begin()).isLessThan(bucket.end());
        end = bucket.begin();
      }
      assertThat(end).isZero();
      assertThat(Buckets.of(KEPT, PARAMETERS, most).largest()).isLessThanOrEqualTo(most);
    }
  }
}
