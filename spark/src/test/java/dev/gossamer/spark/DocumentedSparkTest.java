package dev.gossamer.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The examples of docs/spark.md run as they are pasted, on other tables.
class DocumentedSparkTest {
  private static SparkSession spark;

  @TempDir private Path folder;

  @BeforeAll
  static void start() {
    spark = Cluster.start();
  }

  /// The examples of the page in a language.
  private static List<String> examples(String language) throws IOException {
    String page = Files.readString(Path.of("../docs/spark.md"));
    return Pattern.compile("```" + language + "\\R(.*?)```", Pattern.DOTALL)
        .matcher(page)
        .results()
        .map((MatchResult match) -> match.group(1))
        .toList();
  }

  /// The first example in a language, on tables in the folder, with few epochs.
  private String example(String language) throws IOException {
    Cluster.vertices(spark).write().parquet(folder.resolve("accounts").toString());
    Cluster.edges(spark).write().parquet(folder.resolve("payments").toString());
    return examples(language)
        .getFirst()
        .replace("\"accounts\"", "\"" + folder.resolve("accounts") + "\"")
        .replace("\"payments\"", "\"" + folder.resolve("payments") + "\"")
        .replace("\"predictions\"", "\"" + folder.resolve("predictions") + "\"")
        .replace("\"epochs\", 100", "\"epochs\", 10");
  }

  private void run(Path classes) throws Exception {
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
      loader.loadClass("Pasted").getMethod("run", SparkSession.class).invoke(null, spark);
    }
    assertThat(spark.read().parquet(folder.resolve("predictions").toString()).columns())
        .containsExactly("id", "prediction", "probability");
  }

  @Test
  void theJavaExampleRuns() throws Exception {
    String code = example("java");
    int body = code.indexOf("\n\n");
    run(
        compiled(
            "import org.apache.spark.sql.SparkSession;%n%s%npublic class Pasted { public static void run(SparkSession spark) {%s}}"
                .formatted(code.substring(0, body), code.substring(body))));
  }

  @Test
  void theJavaExampleOfPairsCompiles() throws Exception {
    List<String> all = examples("java");
    assertThat(all).hasSize(2);

    Path classes =
        compiled(
            "import dev.gossamer.spark.*; import org.apache.spark.sql.*;%nclass Pasted { void run(Dataset<Row> accounts, Dataset<Row> payments, Dataset<Row> offers) {%s}}"
                .formatted(all.getLast()));

    assertThat(classes.resolve("Pasted.class")).exists();
  }

  private Path compiled(String code) throws IOException {
    Path source = Files.writeString(folder.resolve("Pasted.java"), code);
    Path classes = Files.createDirectory(folder.resolve("classes"));
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                classes.toString(),
                source.toString());
    assertThat(status).isZero();
    return classes;
  }

  @Test
  void theScalaExampleRuns() throws Exception {
    Path source = folder.resolve("Pasted.scala");
    Files.writeString(
        source,
        "object Pasted { def run(spark: org.apache.spark.sql.SparkSession): Unit = {%n%s%n} }"
            .formatted(example("scala")));
    Path classes = Files.createDirectory(folder.resolve("classes"));

    boolean compiled =
        scala.tools.nsc.Main.process(
            new String[] {
              "-classpath",
              System.getProperty("java.class.path"),
              "-d",
              classes.toString(),
              source.toString()
            });

    assertThat(compiled).isTrue();
    run(classes);
  }
}
