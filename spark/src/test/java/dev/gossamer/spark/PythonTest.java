package dev.gossamer.spark;

import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.spark.ml.param.Param;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The classes of `python/` and ours agree in names. They are compared as texts: Spark's Python
/// package, which is needed to run them, is no dependency of this build.
class PythonTest {
  private static final Path SOURCE = Path.of("../python/dev/gossamer/spark.py");

  private static final Pattern CLASS =
      Pattern.compile(
          "^class (\\w+)(?:\\(([^)]*)\\))?:\\R(.*?)(?=^\\S|\\z)",
          Pattern.DOTALL | Pattern.MULTILINE);

  /// Attributes of Spark's own Python classes, which no parameter may hide.
  private static final Set<String> TAKEN =
      Set.of(
          "clear",
          "copy",
          "explainParam",
          "explainParams",
          "extractParamMap",
          "fit",
          "fitMultiple",
          "getOrDefault",
          "getParam",
          "hasDefault",
          "hasParam",
          "isDefined",
          "isSet",
          "load",
          "params",
          "parent",
          "read",
          "save",
          "set",
          "transform",
          "uid",
          "write");

  /// A class of the source.
  ///
  /// @param bases what it extends
  /// @param body its methods
  private record PythonClass(List<String> bases, String body) {}

  private static Map<String, PythonClass> classes() throws IOException {
    Map<String, PythonClass> found = new LinkedHashMap<>();
    CLASS
        .matcher(Files.readString(SOURCE))
        .results()
        .forEach((MatchResult each) ->
            found.put(
                each.group(1),
                new PythonClass(
                    List.of((each.group(2) == null ? "" : each.group(2)).split(", ")),
                    each.group(3))));
    return found;
  }

  /// The methods of a class and of those that it extends.
  private static String code(Map<String, PythonClass> classes, String name) {
    PythonClass type = classes.get(name);
    return type == null
        ? ""
        : type.body() + type.bases().stream().map(base -> code(classes, base)).collect(joining());
  }

  private static Set<String> found(String code, String pattern) {
    return Pattern.compile(pattern)
        .matcher(code)
        .results()
        .map((MatchResult match) -> match.group(1))
        .collect(toSet());
  }

  /// Names of the public methods that a class has from us, not from Spark.
  private static Set<String> ours(Class<?> type) {
    return Arrays.stream(type.getMethods())
        .filter(each -> each.getDeclaringClass().getName().startsWith("dev.gossamer."))
        .map(Method::getName)
        .collect(toSet());
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        GraphClassifier.class,
        GraphClassificationModel.class,
        GraphEmbedder.class,
        GraphEmbeddingModel.class,
        GraphRegressor.class,
        GraphRegressionModel.class,
        LinkPredictor.class,
        LinkPredictionModel.class
      })
  void eachClassHasTheSettersOfItsPeerAndCallsNothingElse(Class<?> peer) throws IOException {
    String code = code(classes(), peer.getSimpleName());

    assertThat(code).isNotEmpty();
    assertThat(found(code, "def (set\\w+)\\("))
        .isEqualTo(ours(peer).stream().filter(name -> name.startsWith("set")).collect(toSet()));
    assertThat(found(code, "_java_obj\\.(\\w+)\\(")).contains("params").isSubsetOf(ours(peer));
  }

  @Test
  void theSourceNamesItsPublicClasses() throws IOException {
    String source = Files.readString(SOURCE);
    Set<String> named = found(source.substring(0, source.indexOf(']')), "\"((?:Graph|Link)\\w+)\"");

    assertThat(named)
        .hasSize(8)
        .isEqualTo(
            classes().keySet().stream().filter(name -> !name.startsWith("_")).collect(toSet()));
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        GraphClassifier.class,
        GraphEmbedder.class,
        GraphRegressor.class,
        LinkPredictor.class
      })
  void estimatorsAreMadeByANameAndMakeTheirModel(Class<?> peer) throws Exception {
    assertThat(((GraphEstimator<?, ?>) peer.getConstructor(String.class).newInstance("a")).uid())
        .isEqualTo("a");
    assertThat(found(code(classes(), peer.getSimpleName()), "_model = (\\w+)"))
        .containsExactly(
            peer.getDeclaredMethod("model", ModelState.class).getReturnType().getSimpleName());
  }

  @Test
  void allParametersHaveATypeAndANameThatIsFree() throws IOException {
    String source = Files.readString(SOURCE);
    List<Param<?>> params =
        Stream.of(
                new GraphClassifier(),
                new GraphRegressor(),
                new GraphEmbedder(),
                new LinkPredictor())
            .<Param<?>>flatMap(estimator -> Arrays.stream(estimator.params()))
            .toList();
    Set<String> names = params.stream().map(Param::name).collect(toSet());

    assertThat(found(source, "\"(\\w*Param)\": "))
        .containsAll(
            params.stream().map(param -> param.getClass().getSimpleName()).collect(toSet()));
    assertThat(names).doesNotContainAnyElementsOf(TAKEN);
    assertThat(names).doesNotContainAnyElementsOf(found(source, "def (\\w+)\\("));
    assertThat(found(source, "_set\\((\\w+)=")).hasSize(10).isSubsetOf(names);
  }

  @Test
  void theDocumentedExampleUsesWhatThereIs() throws IOException {
    String page = Files.readString(Path.of("../docs/spark.md"));
    String example = found(page, "(?s)```python\\R(.*?)```").iterator().next();
    String arguments = found(example, "GraphClassifier\\(([^)]*)\\)").iterator().next();

    assertThat(found(example, "from (\\S+) import GraphClassifier"))
        .containsExactly(
            SOURCE.toString().replaceAll("^\\.\\./python/|\\.py$", "").replace('/', '.'));
    assertThat(found(arguments, "(\\w+)=")).isNotEmpty().allMatch(new GraphClassifier()::hasParam);
  }
}
