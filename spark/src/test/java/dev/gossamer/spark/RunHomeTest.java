package dev.gossamer.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunHomeTest {
  @Test
  void aFolderThatIsNotThereYetIsDeletedAtTheEnd(@TempDir java.nio.file.Path parent)
      throws IOException {
    SparkSession spark = Cluster.start();
    RunHome home = RunHome.create(spark, parent.toString());
    assertThat(parent).isEmptyDirectory();

    home.leaveAtExit();

    Path folder = new Path(home.path("tables")).getParent();
    FileSystem files = folder.getFileSystem(spark.sessionState().newHadoopConf());
    assertThat(parent).isNotEmptyDirectory();
    assertThat(files.cancelDeleteOnExit(folder)).isTrue();
  }
}
