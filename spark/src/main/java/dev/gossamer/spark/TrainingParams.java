package dev.gossamer.spark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
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

/// The settings of `gossamer train` as parameters of Spark ML: one for each flag, with its
/// description, type and default. `--label-smoothing` is `labelSmoothing`; values with commas, such
/// as `256,128`, are texts.
final class TrainingParams {
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
  TrainingParams(String uid) {
    FLAGS
        .properties()
        .forEach(flag -> {
          if (!NOT_OURS.contains(flag.getKey()) && !OF_LINKS.contains(flag.getKey())) {
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

  private void keep(
      String flag, Param<?> param, @org.jspecify.annotations.Nullable ParamPair<?> usual) {
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

  /// {@return the parameter of a name}
  ///
  /// @param name of the parameter or the flag
  /// @throws IllegalArgumentException if there is none
  Param<?> of(String name) {
    Param<?> byName = byFlag.get(name);
    if (byName != null) {
      return byName;
    }
    return all().stream()
        .filter(param -> param.name().equals(name))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "expected a setting of 'gossamer train', such as epochs, found " + name));
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

  /// Sets a parameter to a value as a program or a command line has it.
  ///
  /// @param owner of the parameters
  /// @param name of the parameter or the flag
  /// @param value a number, a truth value or a text
  /// @throws IllegalArgumentException if there is no such parameter, or it has another type
  void set(Params owner, String name, Object value) {
    Param<?> param = of(name);
    try {
      switch (param) {
        case IntParam number -> owner.set(number.w(Integer.parseInt(value.toString())));
        case DoubleParam number -> owner.set(number.w(Double.parseDouble(value.toString())));
        case BooleanParam truth -> owner.set(truth.w(truth(value)));
        default -> owner.set(text(param, value));
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "%s: expected a number, found %s".formatted(param.name(), value), e);
    }
  }

  private static boolean truth(Object value) {
    String text = value.toString();
    if (!text.equals("true") && !text.equals("false")) {
      throw new IllegalArgumentException("expected true or false, found " + text);
    }
    return text.equals("true");
  }

  @SuppressWarnings("unchecked") // All that are left are texts.
  private static ParamPair<String> text(Param<?> param, Object value) {
    return ((Param<String>) param).w(value.toString());
  }
}
