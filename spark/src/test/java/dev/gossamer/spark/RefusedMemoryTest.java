package dev.gossamer.spark;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A training that does not fit into what the executors grant is refused once, whichever rank finds
/// out, and with the serializer that many applications choose.
class RefusedMemoryTest {
  @ParameterizedTest
  @CsvSource({
    "384m, 'spark.executor.memoryOverhead: expected room for the processes of ranks'",
    // Rank 0 alone estimates, while the other waits to be connected.
    "424m, 'but 20.00 MiB may be used'",
  })
  void isRefusedInOneLine(String granted, String message) throws IOException {
    Main.endSession();
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", false)
            .config("spark.sql.shuffle.partitions", 2)
            .config("spark.executor.memoryOverhead", granted)
            .config("spark.serializer", "org.apache.spark.serializer.KryoSerializer")
            .getOrCreate()) {
      GraphClassifier classifier = new GraphClassifier().setEdges(Cluster.edges(spark)).setRanks(2);

      assertThatThrownBy(() -> classifier.fit(Cluster.vertices(spark)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(message)
          .hasMessageContaining("spark.executor.memoryOverhead")
          .hasMessageNotContaining("\n");
    }
  }
}
