package dev.gossamer.spark.ranks;

import dev.gossamer.base.TrainingFailedException;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.LongAccumulator;
import org.apache.spark.util.SerializableConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.reflect.ClassTag;

/// Runs a command on the ranks of a barrier stage.
public final class RankStage {
  private static final Logger LOG = LoggerFactory.getLogger(RankStage.class);

  private RankStage() {}

  /// Runs a command as one stage with a task for each rank, and waits for it.
  ///
  /// Spark starts the stage when it has a slot for each task, and again, up to
  /// `spark.stage.maxConsecutiveAttempts` times, if a rank, an executor or a host is lost.
  ///
  /// @param spark session of the driver
  /// @param name of the job in Spark's pages
  /// @param job what is to be done
  /// @param ranks number of tasks, at least 1
  /// @return what the command printed on rank 0
  /// @throws IllegalArgumentException if input or settings are wrong
  /// @throws TrainingFailedException if the numbers of a training ceased to be finite
  /// @throws IllegalStateException if all attempts failed, or the job was cancelled, with the cause
  ///   in one line
  public static String run(SparkSession spark, String name, StageJob job, int ranks) {
    SparkContext context = spark.sparkContext();
    LongAccumulator epochs = context.longAccumulator("epochs of " + name);
    Configuration conf = spark.sessionState().newHadoopConf();
    RankTask task = new RankTask(job, new SerializableConfiguration(conf), epochs);
    Path metrics = new Path(new Path(job.home(), job.kept()), StageJob.METRICS);
    RDD<Integer> numbers =
        JavaSparkContext.fromSparkContext(context)
            .parallelize(IntStream.range(0, ranks).boxed().toList(), ranks)
            .rdd();
    ClassTag<String> type = ClassTag.apply(String.class);
    String before = context.getLocalProperty("spark.job.description");
    context.setJobDescription(name);
    try (StageProgress progress = new StageProgress(name, metrics, conf, LOG::info)) {
      progress.start();
      RDD<String> stage = numbers.barrier().mapPartitions(task, false, type);
      stage.setName(name);
      // Spark repeats a barrier stage only if its results are shuffled.
      List<String> all = new JavaRDD<>(stage, type).repartition(1).collect();
      String output = "";
      for (String json : all) {
        Outcome each = Outcome.of(json);
        if (!each.isDone()) {
          throw each.status() == Outcome.DIVERGED
              ? new TrainingFailedException(each.message())
              : new IllegalArgumentException(each.message());
        }
        output = each.output().isEmpty() ? output : each.output();
      }
      return output;
    } catch (Exception e) {
      // Scala declares no exceptions.
      if (e instanceof SparkException failure) {
        throw new IllegalStateException(cause(failure), failure);
      }
      throw e;
    } finally {
      context.setJobDescription(before);
    }
  }

  /// What a task said, or else the first line.
  private static String cause(SparkException failure) {
    List<String> lines = String.valueOf(failure.getMessage()).lines().toList();
    String said = IllegalStateException.class.getName() + ": ";
    return lines.stream()
        .filter(line -> line.startsWith(said))
        .map(line -> line.substring(said.length()))
        .findFirst()
        .or(() -> lines.stream().filter(line -> line.startsWith("ExecutorLost")).findFirst())
        .orElse(lines.getFirst());
  }
}
