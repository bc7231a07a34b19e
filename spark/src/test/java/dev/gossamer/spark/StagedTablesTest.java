package dev.gossamer.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.apache.spark.ml.linalg.SQLDataTypes;
import org.apache.spark.ml.linalg.Vectors;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What is written for ranks to read.
class StagedTablesTest {
  private static SparkSession spark;

  @TempDir private Path folder;

  @BeforeAll
  static void start() {
    spark = Cluster.start();
  }

  /// Writes vertices and edges, and reads one of them.
  private Dataset<Row> staged(Dataset<Row> vertices, String edges, String name) {
    new StagedTables(new GraphClassifier().params, vertices, spark.sql(edges))
        .write(folder.toString(), null);
    return spark.read().parquet(folder.resolve(name).toString());
  }

  @Test
  void aMissingVectorIsAMissingList() {
    Dataset<Row> vertices =
        spark.createDataFrame(
            List.of(RowFactory.create(1L, Vectors.dense(.5, 2)), RowFactory.create(2L, null)),
            new StructType()
                .add("id", DataTypes.LongType)
                .add("features", SQLDataTypes.VectorType()));

    Dataset<Row> found = staged(vertices, "values (1L, 2L) as t(src, dst)", "vertices");

    assertThat(found.where("id = 1").selectExpr("features[1]").first().getFloat(0)).isEqualTo(2);
    assertThat(found.where("id = 2 and features is null").count()).isOne();
  }

  @Test
  void anEndThatIsNoNumberIsMissingAmongNumbers() {
    Dataset<Row> found =
        staged(
            spark.sql("values (1L), (2L) as t(id)"),
            "values ('1', '2'), ('abc', '2') as t(src, dst)",
            "edges");

    assertThat(found.where("src = 1 and dst = 2").count()).isOne();
    assertThat(found.where("src is null").count()).isOne();
  }
}
