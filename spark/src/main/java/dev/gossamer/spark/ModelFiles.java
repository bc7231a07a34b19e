package dev.gossamer.spark;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.Path;
import org.apache.spark.ml.util.DefaultParamsReader;
import org.apache.spark.ml.util.DefaultParamsWriter;
import org.apache.spark.ml.util.MLReader;
import org.apache.spark.ml.util.MLWriter;
import org.apache.spark.sql.SparkSession;
import scala.Option;

/// A model in a folder: Spark's metadata with the parameters, the model file, and what else was
/// learned. Edges are no part of it.
final class ModelFiles {
  private static final String MODEL = "model.safetensors";
  private static final String REST = "model.json";
  private static final String CLASSES = "classes";
  private static final String NUMBERS = "numbers";
  private static final String SUMMARY = "summary";
  private static final ObjectMapper JSON = new ObjectMapper();

  private ModelFiles() {}

  /// {@return whether a folder has a model}
  ///
  /// @param spark session of the driver
  /// @param path of the folder
  static boolean isModel(SparkSession spark, String path) {
    return new SmallFile(spark, new Path(path, MODEL)).exists()
        && new SmallFile(spark, new Path(path, REST)).exists();
  }

  /// Reads a model of any kind.
  ///
  /// @param path of its folder
  static GraphModel<?> load(String path) {
    return (GraphModel<?>)
        DefaultParamsReader.loadParamsInstance(path, SparkSession.builder().getOrCreate());
  }

  /// Writes a model.
  static final class Writer extends MLWriter {
    private final GraphModel<?> model;

    Writer(GraphModel<?> model) {
      this.model = model;
    }

    @Override
    public void saveImpl(String path) {
      SparkSession spark = sparkSession();
      DefaultParamsWriter.saveMetadata(model, path, spark, Option.empty());
      ModelState state = model.state();
      new SmallFile(spark, new Path(path, MODEL)).write(state.file());
      try {
        new SmallFile(spark, new Path(path, REST))
            .write(
                JSON.writeValueAsBytes(
                    Map.of(
                        CLASSES,
                        state.classes(),
                        NUMBERS,
                        state.areNumbers(),
                        SUMMARY,
                        state.summary())));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /// Reads a model.
  ///
  /// @param <M> type of the model
  static final class Reader<M extends GraphModel<M>> extends MLReader<M> {
    private final Class<M> type;
    private final BiFunction<String, ModelState, M> create;

    Reader(Class<M> type, BiFunction<String, ModelState, M> create) {
      this.type = type;
      this.create = create;
    }

    @Override
    public M load(String path) {
      SparkSession spark = sparkSession();
      DefaultParamsReader.Metadata metadata =
          DefaultParamsReader.loadMetadata(path, spark, type.getName());
      try {
        Map<String, Object> rest =
            JSON.readValue(
                new SmallFile(spark, new Path(path, REST)).read(), new TypeReference<>() {});
        List<String> classes =
            ((List<?>) Objects.requireNonNull(rest.get(CLASSES)))
                .stream().map(Object::toString).toList();
        ModelState state =
            new ModelState(
                new SmallFile(spark, new Path(path, MODEL)).read(),
                classes,
                rest.get(NUMBERS) instanceof Boolean numbers ? numbers : areNumbers(classes),
                String.valueOf(rest.get(SUMMARY)));
        M model = create.apply(metadata.uid(), state);
        metadata.getAndSetParams(model, Option.empty());
        return model;
      } catch (IOException e) {
        throw new UncheckedIOException(path + ": cannot be read", e);
      }
    }

    /// Whether classes are called 0, 1, 2 and so on: files of older models do not say more.
    private static boolean areNumbers(List<String> classes) {
      return IntStream.range(0, classes.size())
          .allMatch(c -> classes.get(c).equals(Integer.toString(c)));
    }
  }
}
