package dev.gossamer.graph.generate;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.Resources;
import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.EdgeStream;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.Fingerprint;
import dev.gossamer.graph.format.Splits;
import dev.gossamer.matrix.CsrMatrix;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/// The reference graph of classes, read from class files: a real graph with real features and
/// labels that every JDK contains.
///
/// - *Vertices*: one per class file, including nested classes, ascending by internal name, which is
///   the vertex name.
/// - *Edges*: undirected and simple. `u - v` if the name of `v` occurs in `u`: in a class entry of
///   its constant pool (an array counts as its element type), in the descriptor of a name-and-type
///   or method-type entry, or in the descriptor of a declared field or method.
/// - *Hubs*: a vertex with more than `hubLimit` neighbours loses all its edges: references to
///   `Object` or `String` carry no information.
/// - *Features*: a multi-hot vector of [#FEATURES] elements, not normalised; a token sets the
///   element of its hash ([HashedTokens]). Tokens: `m:word` and `f:word` for the words in the names
///   of declared methods and fields that are not synthetic, without constructors and initialisers;
///   `a:flag` for each access flag of the class, in hexadecimal; and `n:key:bits` with the number
///   of binary digits of each of the counts `interfaces`, `fields`, `methods`, `statics` (static
///   methods), `abstracts` (abstract methods), `constantPool` (slots), `memberRefs`, `strings`, and
///   `file` (bytes). Names of classes, packages and modules, and string constants, are not used.
/// - *Labels*: a group of classes (`groupBy`) of at least `minimumGroup` members; the members of
///   smaller groups are unlabelled.
/// - *Split*: of the labelled vertices, one tenth for training, one tenth for validation, the rest
///   for test, drawn by top-level class ([Splits#draw]), so that a nested class is in the part of
///   its enclosing class.
///
/// Equal class files give equal data on every machine, for any number of threads.
///
/// @param groupBy label of a class
/// @param minimumGroup minimum members of a group with a label, at least 1
/// @param hubLimit maximum number of neighbours of a vertex that keeps its edges, at least 0;
///   `Integer.MAX_VALUE` for no limit
/// @param seed of the split
public record ClassGraph(GroupBy groupBy, int minimumGroup, int hubLimit, long seed) {
  /// Version of the definition above; part of the provenance.
  public static final int DEFINITION = 1;

  /// Elements of a feature vector.
  public static final int FEATURES = 512;

  /// The default `hubLimit`.
  public static final int HUB_LIMIT = 1000;

  private static final Splits.Fractions FRACTIONS = new Splits.Fractions(10, 10, 80);

  /// The label of a class.
  public enum GroupBy {
    /// The first three components of its package, or all if there are fewer.
    PACKAGE,
    /// The module of a JDK, or the jar or folder of a class path, that contains it.
    ORIGIN
  }

  /// Checks the settings.
  ///
  /// @throws dev.gossamer.base.InvalidSettingException if a number is out of its range
  public ClassGraph {
    Objects.requireNonNull(groupBy, "groupBy");
    Require.that(minimumGroup >= 1, "minimumGroup", "at least 1", minimumGroup);
    Require.that(hubLimit >= 0, "hubLimit", "at least 0", hubLimit);
  }

  /// {@return rules with labels by package, of at least 100 classes}
  ///
  /// @param seed of the split
  public static ClassGraph byPackage(long seed) {
    return new ClassGraph(GroupBy.PACKAGE, 100, HUB_LIMIT, seed);
  }

  /// {@return rules with labels by module of a JDK, of at least 50 classes}
  ///
  /// @param seed of the split
  public static ClassGraph byModule(long seed) {
    return new ClassGraph(GroupBy.ORIGIN, 50, HUB_LIMIT, seed);
  }

  /// {@return rules with labels by jar or folder of a class path, of any size}
  ///
  /// @param seed of the split
  public static ClassGraph byJar(long seed) {
    return new ClassGraph(GroupBy.ORIGIN, 1, HUB_LIMIT, seed);
  }

  /// {@return a copy with another hub limit}
  ///
  /// @param neighbours at least 0; `Integer.MAX_VALUE` for no limit
  public ClassGraph withHubLimit(int neighbours) {
    return new ClassGraph(groupBy, minimumGroup, neighbours, seed);
  }

  /// Builds the graph of the JDK that runs this program.
  ///
  /// @return a data set to close
  public GraphData jdk() {
    return build(
        "jdk-classes", ClassFiles.ofRunningJdk(), Map.of("jdk", Runtime.version().toString()));
  }

  /// {@return the graph of another JDK}
  ///
  /// @param home folder with `lib/modules`, `lib/jrt-fs.jar` and `release`
  /// @throws InvalidInputException if it is not a JDK, or has class files too new for the running
  ///   JDK
  public GraphData jdk(Path home) {
    String version = ClassFiles.runtimeVersion(home);
    return build("jdk-classes", ClassFiles.ofJdk(home), Map.of("jdk", version));
  }

  /// {@return the graph of the classes in jars and folders; the first of duplicate names counts}
  ///
  /// @param elements jars and folders
  /// @throws InvalidInputException naming an unreadable element, or if there is no class
  public GraphData classPath(List<Path> elements) {
    Collection<ClassFacts> classes = ClassFiles.ofClassPath(elements);
    if (classes.isEmpty()) {
      throw new InvalidInputException(
          "class path: expected jars or folders with class files, found none in %s"
              .formatted(elements));
    }
    return build("classpath", classes, Map.of("elements", Integer.toString(elements.size())));
  }

  private GraphData build(String name, Collection<ClassFacts> classes, Map<String, String> source) {
    List<String> names = classes.stream().map(ClassFacts::name).toList();
    List<String> groups = classes.stream().map(this::group).toList();
    List<String> classNames = classNames(groups);
    int[] labels = groups.stream().mapToInt(classNames::indexOf).toArray();
    Map<String, String> provenance = new TreeMap<>(source);
    provenance.put(GraphData.Info.DEFINITION, "class graph " + DEFINITION);
    provenance.put("labels", groupBy + " of at least " + minimumGroup);
    provenance.put("hubLimit", Integer.toString(hubLimit));
    provenance.put("seed", Long.toString(seed));
    return Resources.handedOver(
        Arena.ofShared(),
        arena -> {
          CsrMatrix adjacency = adjacency(arena, names, classes);
          Features features = new Features.Sparse(features(arena, classes));
          GraphData.Info info =
              GraphData.Info.of(name).withClassNames(classNames).withNestedNames();
          GraphData graph =
              GraphData.of(arena, info, adjacency)
                  .withFeatures(features)
                  .withLabels(labels)
                  .withVertexNames(names);
          provenance.put("fingerprint", Fingerprint.of(graph));
          return graph
              .withInfo(info.withProvenance(provenance))
              .withSplit(Splits.draw(graph, FRACTIONS, seed));
        });
  }

  private String group(ClassFacts facts) {
    return switch (groupBy) {
      case ORIGIN -> facts.origin();
      case PACKAGE -> {
        int end = -1;
        for (int component = 0; component < 3; component++) {
          int slash = facts.name().indexOf('/', end + 1);
          if (slash < 0) {
            break;
          }
          end = slash;
        }
        yield end < 0 ? "(default)" : facts.name().substring(0, end).replace('/', '.');
      }
    };
  }

  /// The groups large enough to be a label, ascending.
  private List<String> classNames(List<String> groups) {
    TreeMap<String, Integer> sizes = new TreeMap<>();
    groups.forEach(group -> sizes.merge(group, 1, Integer::sum));
    return sizes.entrySet().stream()
        .filter(group -> group.getValue() >= minimumGroup)
        .map(Map.Entry::getKey)
        .toList();
  }

  private CsrMatrix adjacency(Arena arena, List<String> names, Collection<ClassFacts> classes) {
    EdgeStream references = references(names, classes);
    CsrBuilder builder = CsrBuilder.undirected(names.size());
    try (Arena temporary = Arena.ofConfined()) {
      CsrMatrix raw = builder.build(temporary, references);
      return builder.build(
          arena,
          sink ->
              references.forEach((source, target, weight) -> {
                if (raw.rowLength(source) <= hubLimit && raw.rowLength(target) <= hubLimit) {
                  sink.arc(source, target, weight);
                }
              }));
    }
  }

  private static EdgeStream references(List<String> names, Collection<ClassFacts> classes) {
    Map<String, Integer> ids = new HashMap<>();
    names.forEach(name -> ids.put(name, ids.size()));
    List<int[]> targets =
        classes.stream()
            .map(facts -> facts.references().stream().map(ids::get))
            .map(found -> found.filter(Objects::nonNull).mapToInt(Integer::intValue).toArray())
            .toList();
    return sink -> {
      for (int source = 0; source < targets.size(); source++) {
        for (int target : targets.get(source)) {
          sink.arc(source, target, 1f);
        }
      }
    };
  }

  private static CsrMatrix features(Arena arena, Collection<ClassFacts> classes) {
    long[] pointers = new long[classes.size() + 1];
    int row = 0;
    for (ClassFacts facts : classes) {
      pointers[row + 1] = pointers[row] + facts.features().size();
      row++;
    }
    int[] columns =
        classes.stream()
            .flatMapToInt(facts -> facts.features().stream().mapToInt(Integer::intValue))
            .toArray();
    return CsrMatrix.of(arena, FEATURES, pointers, columns, null);
  }
}
