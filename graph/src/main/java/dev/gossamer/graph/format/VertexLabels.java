package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.random.Philox;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Classes for a graph that has none, or other than it has.
///
/// As users write them:
/// - `FILE.npy`: integers, or floats whose NaN means no class, `n` or `n x 1`;
/// - `FILE.csv`, or another text: a line for each vertex, with its class, or empty for none;
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
    return isRandom()
        ? this
        : new VertexLabels(Path.of(text).toAbsolutePath().normalize().toString());
  }

  /// Returns the data set with these classes in place of its own; its split remains.
  ///
  /// @param d the graph
  /// @param seed of random classes
  /// @return a copy that shares the memory of `d`; the provenance says where labels are from
  /// @throws InvalidInputException if a file has another number of rows, or is damaged
  public GraphData addTo(GraphData d, long seed) {
    Map<String, String> facts = new HashMap<>(d.info().provenance());
    int[] labels;
    List<String> names;
    if (isRandom()) {
      int classes = randomClasses(text);
      labels = drawn(d.vertices(), classes, seed);
      names = DatasetDraft.numbered(text, classes);
      facts.put("labels", "random labels of %,d classes (seed %d)".formatted(classes, seed));
    } else {
      Path file = Path.of(text);
      ClassLabels read = read(file, d.vertices());
      labels = read.labels();
      names = read.names();
      facts.put("labels", String.valueOf(file.getFileName()));
    }
    GraphData.Info info = d.info().withClassNames(names).withProvenance(facts).withSchema(null);
    return d.withInfo(info).withLabels(labels);
  }

  private static ClassLabels read(Path file, int n) {
    if (NpyStream.isArray(file)) {
      try (NpyStream stored = NpyStream.open(file)) {
        return ClassLabels.of(stored, n, List.of());
      }
    }
    try (FieldScanner in = new FieldScanner(file)) {
      return ClassLabels.of(in, n);
    }
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
