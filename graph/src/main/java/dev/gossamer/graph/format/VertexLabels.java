package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Task;
import dev.gossamer.matrix.random.Philox;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Classes for a graph that has none, or other than it has.
///
/// As users write them:
/// - `FILE.npy`: integers, or floats whose NaN means no class, `n` or `n x 1`; of several columns
///   or with fractions, labels or numbers ([TargetValues]);
/// - `FILE.csv`, or another text: a line for each vertex, with its class, or empty for none; of
///   several columns or with fractions, labels or numbers;
/// - `random:C`: one of `C` classes for each vertex, drawn by [Philox] from the seed and its
///   number. They mean nothing, so that accuracy is that of guessing: for measuring speed and
///   memory.
///
/// @param text as users write it
public record VertexLabels(String text) {
  private static final String RANDOM = "random:";

  /// Number of the generator: other than those of training.
  private static final int STREAM = 0x6c616265;

  /// Checks the form; a file is opened by [#addTo].
  ///
  /// @throws InvalidSettingException if it is empty, or the number of classes is not in 2..1048576
  public VertexLabels {
    Objects.requireNonNull(text, "text");
    if (text.startsWith(RANDOM) ? randomClasses(text) < 2 : !VertexFeatures.isPath(text)) {
      throw new InvalidSettingException(
          "{vertexLabels}: expected FILE.npy, FILE.csv or random:CLASSES (2 to %d), found %s"
              .formatted(DatasetDraft.MOST_CLASSES, text));
    }
  }

  private static int randomClasses(String text) {
    String digits = text.substring(RANDOM.length());
    int classes = digits.matches("[0-9]{1,7}") ? Integer.parseInt(digits) : 0;
    return classes <= DatasetDraft.MOST_CLASSES ? classes : 0;
  }

  /// {@return whether classes are drawn at random}
  public boolean isRandom() {
    return text.startsWith(RANDOM);
  }

  /// {@return a copy with an absolute path}
  public VertexLabels absolute() {
    return isRandom() ? this : new VertexLabels(VertexFeatures.absolute(text));
  }

  /// Returns the data set with these classes, labels or numbers in place of its own; its split
  /// remains.
  ///
  /// @param d the graph
  /// @param arena owner of labels and numbers, which lives as long as the data set
  /// @param seed of random classes
  /// @param task what they are; null for what they look like
  /// @return a copy that shares the memory of `d`; the provenance says where labels are from
  /// @throws InvalidInputException if a file has another number of rows, or is damaged
  public GraphData addTo(GraphData d, Arena arena, long seed, @Nullable Task task) {
    if (isRandom()) {
      requireClasses(task);
      int classes = randomClasses(text);
      return with(d, "random labels of %,d classes (seed %d)".formatted(classes, seed))
          .withLabels(drawn(d.vertices(), classes, seed), DatasetDraft.numbered(text, classes));
    }
    Path file = Path.of(text);
    GraphData named = with(d, String.valueOf(file.getFileName()));
    int n = d.vertices();
    if (task == Task.CLASSIFICATION || (task == null && areClasses(file, n))) {
      ClassLabels read =
          read(file, array -> ClassLabels.of(array, n, List.of()), in -> ClassLabels.of(in, n));
      return named.withLabels(read.labels(), read.names());
    }
    TargetValues values =
        read(file, array -> TargetValues.of(arena, array, n), in -> TargetValues.of(arena, in, n));
    return named.withTargets(values.targets(task, List.of()));
  }

  private static boolean areClasses(Path file, int n) {
    return read(file, array -> ClassLabels.fit(array, n), in -> ClassLabels.fit(in, n));
  }

  private static <T> T read(
      Path file, Function<NpyStream, T> ofArray, Function<FieldScanner, T> ofText) {
    if (NpyStream.isArray(file)) {
      try (NpyStream stored = NpyStream.open(file)) {
        return ofArray.apply(stored);
      }
    }
    try (FieldScanner in = new FieldScanner(file)) {
      return ofText.apply(in);
    }
  }

  private static void requireClasses(@Nullable Task task) {
    if (task != null && task != Task.CLASSIFICATION) {
      throw new InvalidSettingException(
          "{task}: random labels are classes; expected classification, found "
              + InvalidSettingException.nameOf(task));
    }
  }

  /// The data set with the origin of what is predicted.
  private static GraphData with(GraphData d, String origin) {
    Map<String, String> facts = new HashMap<>(d.info().provenance());
    facts.put("labels", origin);
    return d.withInfo(d.info().withProvenance(facts).withSchema(null));
  }

  private static int[] drawn(int n, int classes, long seed) {
    Philox random = Philox.keyed(seed, STREAM, 0);
    int[] labels = new int[n];
    for (int v = 0; v < n; v++) {
      labels[v] = (int) (((random.low(v, 0, 0, 0) & 0xffffffffL) * classes) >>> 32);
    }
    return labels;
  }
}
