package dev.gossamer.spark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serial;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.ml.param.BooleanParam;
import org.apache.spark.ml.param.DoubleParam;
import org.apache.spark.ml.param.IntParam;
import org.apache.spark.ml.param.Param;
import org.apache.spark.ml.param.ParamPair;
import org.apache.spark.ml.param.Params;
import org.jspecify.annotations.Nullable;

/// The settings of `gossamer train` as parameters of Spark ML: one for each flag, with its
/// description, type and default. `--label-smoothing` is `labelSmoothing`; values with commas, such
/// as `256,128`, are texts.
final class TrainingParams implements Serializable {
  @Serial private static final long serialVersionUID = 1;

  /// Of data, which DataFrames are, and of machines, which are Spark's.
  private static final Set<String> NOT_OURS =
      Set.of(
          "data",
          "format",
          "directed",
          "split-index",
          "split",
          "split-seed",
          "features",
          "labels",
          "task",
          "ranks",
          "link",
          "mpi-library",
          "threads",
          "memory",
          "runs",
          "dry-run");

  /// Of edges to predict.
  private static final Set<String> OF_LINKS =
      Set.of(
          "link-split",
          "link-split-by",
          "supervised",
          "embedding",
          "negatives",
          "negatives-by",
          "candidates",
          "candidate-set",
          "decoder");

  private static final JsonNode FLAGS = flags();

  private final Map<String, Param<?>> byFlag = new LinkedHashMap<>();
  private final List<ParamPair<?>> defaults = new ArrayList<>();

  /// @param uid of the parameters' owner
  /// @param links whether edges are to be predicted
  TrainingParams(String uid, boolean links) {
    FLAGS
        .properties()
        .forEach(flag -> {
          if (!NOT_OURS.contains(flag.getKey()) && (links || !OF_LINKS.contains(flag.getKey()))) {
            add(uid, flag.getKey(), flag.getValue());
          }
        });
  }

  private static JsonNode flags() {
    try (InputStream in = TrainingParams.class.getResourceAsStream("train.json")) {
      return new ObjectMapper().readTree(in).get("properties");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(String uid, String flag, JsonNode property) {
    String name = name(flag);
    String description = property.get("description").asText();
    JsonNode usual = property.get("default");
    switch (property.path("type").asText()) {
      case "integer" -> {
        IntParam param = new IntParam(uid, name, description);
        keep(flag, param, usual == null ? null : param.w(usual.intValue()));
      }
      case "number" -> {
        DoubleParam param = new DoubleParam(uid, name, description);
        keep(flag, param, usual == null ? null : param.w(usual.doubleValue()));
      }
      case "boolean" -> {
        BooleanParam param = new BooleanParam(uid, name, description);
        keep(flag, param, usual == null ? null : param.w(usual.booleanValue()));
      }
      default -> {
        Param<String> param = new Param<>(uid, name, description);
        keep(flag, param, usual == null ? null : param.w(usual.asText()));
      }
    }
  }

  private void keep(String flag, Param<?> param, @Nullable ParamPair<?> usual) {
    byFlag.put(flag, param);
    if (usual != null) {
      defaults.add(usual);
    }
  }

  /// `labelSmoothing` of `label-smoothing`.
  static String name(String flag) {
    StringBuilder name = new StringBuilder();
    for (String word : flag.split("-", -1)) {
      name.append(
          name.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
    }
    return name.toString();
  }

  /// {@return a parameter for each flag}
  List<Param<?>> all() {
    return List.copyOf(byFlag.values());
  }

  /// {@return what holds where nothing is set}
  List<ParamPair<?>> defaults() {
    return defaults;
  }

  /// {@return the settings that differ from their defaults, by flag}
  ///
  /// @param owner of the parameters
  Map<String, Object> set(Params owner) {
    Map<String, Object> values = new LinkedHashMap<>();
    byFlag.forEach((flag, param) -> {
      if (owner.isSet(param)) {
        values.put(flag, owner.get(param).get());
      }
    });
    return values;
  }
}
