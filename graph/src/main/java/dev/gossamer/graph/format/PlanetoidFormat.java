package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.CsrMatrix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;

/// Folders of the Planetoid citation graphs (Yang, Cohen, Salakhutdinov 2016, github
/// `kimiyoung/planetoid`): Python 2 pickles `ind.NAME.x`, `.y`, `.allx`, `.ally`, `.tx`, `.ty`,
/// `.graph` and the text file `ind.NAME.test.index`.
///
/// Rows of `allx` and `ally` (one-hot) are the vertices `0, 1, ...`; row `i` of `tx` and `ty` is
/// the vertex on line `i` of `test.index`. Other vertices have no features and no label; vertices
/// with a zero one-hot row have no label. The public split: the rows of `y` train, the next 500
/// validation, `test.index` test. Undirected, without repeats and self loops.
final class PlanetoidFormat implements GraphFormat {
  private static final int VALIDATION = 500;

  @Override
  public String name() {
    return "planetoid";
  }

  @Override
  public String description() {
    return "ind.NAME.*";
  }

  @Override
  public boolean isFolder() {
    return true;
  }

  @Override
  public boolean recognises(FormatProbe probe) {
    if (!probe.isFolder()) {
      if (probe.startsWith("\200\002") || probe.name().startsWith("ind.")) {
        throw probe.refused("one file of a Planetoid set; give its folder");
      }
      return false;
    }
    return probe.files().stream().anyMatch(file -> file.matches("ind\\..+\\..+"));
  }

  @Override
  public GraphData read(Path folder, ReadOptions options) {
    try (DatasetDraft draft = new DatasetDraft(this, folder, options)) {
      return new Reading(folder, nameIn(folder)).read(draft, options);
    }
  }

  private static String nameIn(Path folder) {
    TreeSet<String> names = new TreeSet<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        String text = String.valueOf(file.getFileName());
        if (text.matches("ind\\..+\\.graph")) {
          names.add(text.substring(4, text.length() - 6));
        }
      }
    } catch (IOException e) {
      throw InvalidInputException.unreadable(folder, e);
    }
    if (names.size() != 1) {
      throw new InvalidInputException(
          "%s: expected one file ind.NAME.graph, found %s"
              .formatted(folder, names.isEmpty() ? "none" : String.join(", ", names)));
    }
    return names.getFirst();
  }

  /// One folder that is being read.
  private static final class Reading {
    private final Path folder;
    private final String name;

    private Reading(Path folder, String name) {
      this.folder = folder;
      this.name = name;
    }

    private GraphData read(DatasetDraft draft, ReadOptions options) {
      Rows known = rows("allx", "ally");
      Rows training = rows("x", "y");
      Rows tested = rows("tx", "ty");
      int[] testIndex = testIndex(tested.count);
      Map<?, ?> graph = object("graph", Map.class, "a dictionary");
      int n = Math.max(known.count, graph.size());
      for (int id : testIndex) {
        n = Math.max(n, id + 1);
      }
      require(
          "x",
          "at most %d rows and %d columns, as allx has".formatted(known.count, known.width),
          training.count <= known.count && training.width == known.width,
          training.count + " x " + training.width);
      require(
          "tx",
          known.width + " columns, as allx has",
          tested.width == known.width,
          Integer.toString(tested.width));
      require(
          "ty",
          known.classes + " classes, as ally has",
          tested.classes == known.classes,
          Integer.toString(tested.classes));
      int[] rowOf = rowOf(n, known.count, testIndex);
      draft.features(features(draft, rowOf, known, tested));
      draft.labels(
          labels(rowOf, known, tested),
          DatasetDraft.numbered(file("ally").toString(), known.classes));
      draft.split(split(n, training.count, known.count, testIndex));
      try (ArcBuffer arcs = new ArcBuffer(false)) {
        arcs(graph, n, arcs);
        draft.graph(n, arcs, !options.directedOr(false));
      }
      return draft.finish(name);
    }

    /// Features and one-hot labels of some vertices.
    private record Rows(
        int count,
        int width,
        int classes,
        Unpickler.Array pointers,
        Unpickler.Array columns,
        Unpickler.Array values,
        Unpickler.Array oneHot) {}

    private Rows rows(String featureFile, String labelFile) {
      Map<?, ?> state = object(featureFile, Unpickler.Csr.class, "a csr_matrix").state();
      Unpickler.Array oneHot = object(labelFile, Unpickler.Array.class, "an array");
      require(
          labelFile,
          "an int array of two dimensions",
          oneHot.isInteger() && oneHot.shape().size() == 2,
          oneHot.type() + " " + oneHot.shape());
      Unpickler.Array pointers = part(featureFile, state, "indptr", true);
      Unpickler.Array columns = part(featureFile, state, "indices", true);
      Unpickler.Array values = part(featureFile, state, "data", false);
      int rows = pointers.size() - 1;
      if (!(state.get("_shape") instanceof Unpickler.Tuple shape
          && shape.items().size() == 2
          && shape.items().getFirst().equals((long) rows)
          && shape.items().getLast() instanceof Long cols
          && cols > 0
          && cols <= Integer.MAX_VALUE)) {
        throw wrong(
            featureFile,
            "_shape of %d rows, as indptr has".formatted(rows),
            Unpickler.described(state.get("_shape")));
      }
      int width = cols.intValue();
      require(
          labelFile,
          rows + " rows, as " + featureFile + " has",
          oneHot.shape().getFirst() == rows,
          oneHot.shape().getFirst().toString());
      require(
          featureFile,
          "as many values as indices",
          values.size() == columns.size(),
          values.size() + " and " + columns.size());
      requireAscending(featureFile, pointers, columns.size());
      return new Rows(rows, width, oneHot.shape().getLast(), pointers, columns, values, oneHot);
    }

    private void requireAscending(String file, Unpickler.Array pointers, int entries) {
      long previous = 0;
      int last = pointers.size() - 1;
      for (int i = 0; i <= last; i++) {
        long pointer = pointers.integer(i);
        if (pointer < previous
            || pointer > entries
            || (i == 0 && pointer != 0)
            || (i == last && pointer != entries)) {
          throw wrong(
              file, "indptr that ascends from 0 to " + entries, "%d at %d".formatted(pointer, i));
        }
        previous = pointer;
      }
    }

    private Unpickler.Array part(String file, Map<?, ?> state, String key, boolean integer) {
      if (state.get(key) instanceof Unpickler.Array array
          && array.shape().size() == 1
          && (array.isInteger() || !integer)) {
        return array;
      }
      throw wrong(
          file,
          "%s '%s' of one dimension".formatted(integer ? "integers" : "an array", key),
          Unpickler.described(state.get(key)));
    }

    private int[] testIndex(int expected) {
      Path file = file("test.index");
      int[] ids = new int[expected];
      int count = 0;
      try (FieldScanner in = new FieldScanner(file)) {
        while (in.nextLineWithout("")) {
          in.rewind();
          if (count == expected) {
            throw in.wrong(expected + " lines, as tx has rows", "more");
          }
          ids[count++] = (int) in.nextLong("a vertex id", 0, Integer.MAX_VALUE - 1);
          in.requireEndOfLine();
          DatasetDraft.size(in.place(), "vertices", ids[count - 1] + 1L, in.bytes());
        }
        if (count < expected) {
          throw in.wrong(expected + " lines, as tx has rows", Integer.toString(count));
        }
      }
      return ids;
    }

    /// Where the data of each vertex is: a row of `allx`, or `-2 - i` for row `i` of `tx`, or -1.
    private int[] rowOf(int n, int known, int[] testIndex) {
      int[] rowOf = new int[n];
      for (int v = 0; v < n; v++) {
        rowOf[v] = v < known ? v : -1;
      }
      for (int i = 0; i < testIndex.length; i++) {
        require(
            "test.index",
            "each vertex from %d on at most once".formatted(known),
            rowOf[testIndex[i]] == -1,
            testIndex[i] + " on line " + (i + 1));
        rowOf[testIndex[i]] = -2 - i;
      }
      return rowOf;
    }

    private CsrMatrix features(DatasetDraft draft, int[] rowOf, Rows known, Rows tested) {
      long nnz = (long) known.columns.size() + tested.columns.size();
      SparseFeatureRows x = new SparseFeatureRows(draft.arena(), rowOf.length, known.width, nnz);
      for (int v = 0; v < rowOf.length; v++) {
        Rows rows = rowOf[v] >= 0 ? known : tested;
        String file = rowOf[v] >= 0 ? "allx" : "tx";
        int row = rowOf[v] >= 0 ? rowOf[v] : -2 - rowOf[v];
        if (rowOf[v] != -1) {
          for (int e = (int) rows.pointers.integer(row); e < rows.pointers.integer(row + 1); e++) {
            long column = rows.columns.integer(e);
            if (column < 0 || column >= rows.width) {
              throw wrong(
                  file, "indices in 0..%d".formatted(rows.width - 1), column + " in row " + row);
            }
            float value = rows.values.real(e);
            if (!Float.isFinite(value)) {
              throw ArrayChecks.notFinite(file(file).toString(), v, (int) column, value);
            }
            x.add((int) column, value);
          }
        }
        int repeated = x.endRow();
        if (repeated >= 0) {
          throw wrong(file, "distinct indices in row " + row, repeated + " twice");
        }
      }
      return x.matrix();
    }

    private static int[] labels(int[] rowOf, Rows known, Rows tested) {
      int[] labels = new int[rowOf.length];
      for (int v = 0; v < labels.length; v++) {
        Rows rows = rowOf[v] >= 0 ? known : tested;
        int row = rowOf[v] >= 0 ? rowOf[v] : -2 - rowOf[v];
        labels[v] = GraphData.UNLABELLED;
        for (int c = 0; rowOf[v] != -1 && c < rows.classes; c++) {
          labels[v] = rows.oneHot.integer(row * rows.classes + c) != 0 ? c : labels[v];
        }
      }
      return labels;
    }

    private static byte[] split(int n, int training, int known, int[] testIndex) {
      byte[] split = new byte[n];
      for (int v = 0; v < Math.min(known, training + VALIDATION); v++) {
        split[v] = (v < training ? Split.TRAIN : Split.VALIDATION).code();
      }
      for (int v : testIndex) {
        split[v] = Split.TEST.code();
      }
      return split;
    }

    private void arcs(Map<?, ?> graph, int n, ArcBuffer arcs) {
      for (Map.Entry<?, ?> entry : graph.entrySet()) {
        int source = vertex(entry.getKey(), n);
        if (!(entry.getValue() instanceof List<?> targets)) {
          throw wrong(
              "graph",
              "a list of neighbours of vertex " + source,
              Unpickler.described(entry.getValue()));
        }
        for (Object target : targets) {
          arcs.add(source, vertex(target, n), 1f);
        }
      }
    }

    private int vertex(Object id, int n) {
      if (id instanceof Long number && number >= 0 && number < n) {
        return number.intValue();
      }
      throw wrong("graph", "a vertex in 0..%d".formatted(n - 1), Unpickler.described(id));
    }

    private <T> T object(String suffix, Class<T> type, String expected) {
      Path file = file(suffix);
      byte[] pickle = InputFile.of(file).bytes(Integer.MAX_VALUE - 16);
      Object object = Unpickler.load(file.toString(), pickle);
      require(suffix, expected, type.isInstance(object), object.getClass().getSimpleName());
      return type.cast(object);
    }

    private Path file(String suffix) {
      return folder.resolve("ind." + name + "." + suffix);
    }

    private void require(String suffix, String expected, boolean holds, String found) {
      if (!holds) {
        throw wrong(suffix, expected, found);
      }
    }

    private InvalidInputException wrong(String suffix, String expected, String found) {
      return new InvalidInputException(
          "%s: expected %s, found %s".formatted(file(suffix), expected, found));
    }
  }
}
