package dev.gossamer.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Where Spark encrypts, ranks do, and learn the same.
@Tag("endurance")
class EncryptedClusterTest {
  private static byte[] model(SparkSession.Builder cluster) {
    Main.endSession();
    SparkSession spark = cluster.getOrCreate();
    try {
      Dataset<Row> edges = Cluster.edges(spark);
      return new GraphClassifier()
          .setEdges(edges)
          .setRanks(2)
          .setting("epochs", 10)
          .fit(Cluster.vertices(spark))
          .modelFile();
    } finally {
      spark.stop();
    }
  }

  @Test
  void encryptionChangesNoBit() {
    byte[] clear = model(Cluster.builder());
    byte[] encrypted =
        model(
            Cluster.builder()
                .config("spark.authenticate", true)
                .config("spark.authenticate.secret", "of a test")
                .config("spark.network.crypto.enabled", true));

    assertThat(encrypted).isEqualTo(clear);
  }
}
