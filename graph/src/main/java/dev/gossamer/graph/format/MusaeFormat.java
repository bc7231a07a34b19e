package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetDraft.Given;
import dev.gossamer.matrix.CsrMatrix;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;

/// Folders of the MUSAE social networks (Rozemberczki, Allen, Sarkar 2019):
/// - `NAME_target.csv`: a header, then a row for each vertex in order of its id, which is the first
///   field; the class is the last field. The folders of Twitch have a column `new_id` with the
///   vertex, in any order and sometimes twice; their class is the column `mature`;
/// - `NAME_edges.csv`: a header (`id_1,id_2`; for Twitch `from,to`), then each undirected edge
///   once;
/// - `NAME_features.json`: one object; key = vertex id, value = its binary features (numbers from
///   0). A vertex without a key has no features.
///
/// Classes are numbered in alphabetical order. Undirected and without self loops, unless the
/// options say directed. No split.
final class MusaeFormat implements GraphFormat {
  private static final List<String> EDGE_HEADERS =
      List.of("id_1,id_2", "id1,id2", "node_1,node_2", "from,to");

  @Override
  public String name() {
    return "musae";
  }

  @Override
  public String description() {
    return "NAME_edges.csv, NAME_features.json and NAME_target.csv";
  }

  @Override
  public boolean isFolder() {
    return true;
  }

  @Override
  public boolean recognises(FormatProbe probe) {
    return probe.files().stream()
        .anyMatch(file -> file.endsWith("_target.csv") || file.endsWith("_features.json"));
  }

  @Override
  public GraphData read(Path folder, ReadOptions options) {
    Path target = Datasets.only(folder, "_target.csv");
    Path edges = Datasets.only(folder, "_edges.csv");
    Path features = Datasets.only(folder, "_features.json");
    try (DatasetDraft draft = new DatasetDraft(this, folder, options);
        ArcBuffer arcs = new ArcBuffer(false)) {
      List<String> classes = classes(target);
      int n = classes.size();
      draft.labels(classes);
      edges(edges, n, arcs);
      if (options.directedOr(false)) {
        draft.graph(n, arcs, false);
      } else {
        draft.undirectedGraph(n, arcs, Given.ONCE);
      }
      CsrMatrix x = new FeatureFile(features, n).matrix(draft);
      if (x.cols() > 0) {
        draft.features(x);
      }
      String name = String.valueOf(target.getFileName());
      return draft.finish(name.substring(0, name.length() - "_target.csv".length()));
    }
  }

  /// The class of each vertex.
  private static List<String> classes(Path file) {
    int row = 0;
    try (Reader text = InputFile.of(file).reader();
        CSVParser rows = CSVParser.parse(text, CSVFormat.RFC4180)) {
      Targets targets = null;
      for (CSVRecord record : rows) {
        row++;
        if (targets == null) {
          targets = new Targets(file, rows, record);
        } else {
          targets.add(record);
        }
      }
      if (targets == null) {
        throw wrong(file, rows, "a header 'id,...,class'", "the end of the file");
      }
      return targets.classes();
    } catch (UncheckedIOException e) {
      throw new InvalidInputException(
          "%s: row %d: expected comma-separated values, found damage: %s"
              .formatted(file, row, e.getMessage()),
          e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// The rows of `NAME_target.csv`: of vertices in order, or, if the header has a column `new_id`,
  /// in any order.
  private static final class Targets {
    private static final String NUMBER = "new_id";
    private static final String MATURE = "mature";

    private final Path file;
    private final CSVParser rows;
    private final int columns;
    private final int idColumn;
    private final int classColumn;
    private final boolean ordered;

    /// A file has more bytes than vertices.
    private final long most;

    private final HeapBudget heap = HeapBudget.of("the classes of vertices");
    private final List<@Nullable String> classes = new ArrayList<>();

    Targets(Path file, CSVParser rows, CSVRecord header) {
      this.file = file;
      this.rows = rows;
      most = InputFile.of(file).size();
      columns = header.size();
      List<String> names = header.toList();
      ordered = !names.contains(NUMBER);
      if (columns < 2 || !names.getFirst().equals("id")) {
        throw wrong(file, rows, "a header 'id,...,class'", names.getFirst());
      }
      if (!ordered && !names.contains(MATURE)) {
        throw wrong(
            file, rows, "a column 'mature' beside 'new_id'", "'" + String.join(",", names) + "'");
      }
      idColumn = ordered ? 0 : names.indexOf(NUMBER);
      classColumn = ordered ? columns - 1 : names.indexOf(MATURE);
    }

    void add(CSVRecord row) {
      if (row.size() != columns) {
        throw wrong(file, rows, columns + " columns, as the header has", row.size() + "");
      }
      int vertex = vertex(row.get(idColumn));
      String name = row.get(classColumn);
      if (name.isBlank()) {
        throw wrong(file, rows, "a class", "nothing");
      }
      while (classes.size() <= vertex) {
        heap.takeText(name.length());
        classes.add(null);
      }
      String before = classes.set(vertex, name);
      if (before != null && !before.equals(name)) {
        throw wrong(
            file,
            rows,
            "class '%s' of vertex %d, as in an earlier row".formatted(before, vertex),
            "'" + name + "'");
      }
    }

    private int vertex(String id) {
      if (ordered) {
        if (!id.equals(Integer.toString(classes.size()))) {
          throw wrong(file, rows, "vertex id " + classes.size(), "'" + id + "'");
        }
        return classes.size();
      }
      if (!id.matches("[0-9]{1,9}") || Integer.parseInt(id) >= most) {
        throw wrong(file, rows, "a vertex id in 0..%d".formatted(most - 1), "'" + id + "'");
      }
      return Integer.parseInt(id);
    }

    List<String> classes() {
      List<String> all = new ArrayList<>(classes.size());
      for (String name : classes) {
        if (name == null) {
          throw new InvalidInputException(
              "%s: column new_id: expected each vertex of 0..%d, found no row of vertex %d"
                  .formatted(file, classes.size() - 1, all.size()));
        }
        all.add(name);
      }
      return all;
    }
  }

  private static InvalidInputException wrong(
      Path file, CSVParser rows, String expected, String found) {
    return new InvalidInputException(
        "%s: line %d: expected %s, found %s"
            .formatted(file, rows.getCurrentLineNumber(), expected, found));
  }

  private static void edges(Path file, int n, ArcBuffer arcs) {
    try (FieldScanner in = new FieldScanner(file)) {
      in.separator(',');
      if (!in.nextLine() || !EDGE_HEADERS.contains(in.lineText().strip())) {
        throw in.wrong(
            "a header '%s'".formatted(String.join("' or '", EDGE_HEADERS)),
            "'" + in.lineText() + "'");
      }
      arcs.addLines(in, n);
    }
  }

  /// The features, read as a stream: the keys come in any order.
  private static final class FeatureFile {
    private static final long PER_ROW = 64;
    private static final long PER_FEATURE = 2L * Integer.BYTES;

    private final Path file;
    private final HeapBudget heap = HeapBudget.of("the features of vertices");
    private final long fileBytes;
    private final int[] @Nullable [] rows;
    private int width;
    private long nnz;

    FeatureFile(Path file, int n) {
      this.file = file;
      fileBytes = InputFile.of(file).size();
      rows = new int[n][];
    }

    CsrMatrix matrix(DatasetDraft draft) {
      JsonTokens.read(file, this::read);
      SparseFeatureRows x = new SparseFeatureRows(draft.arena(), rows.length, width, nnz);
      for (int v = 0; v < rows.length; v++) {
        int[] row = rows[v];
        for (int k = 0; row != null && k < row.length; k++) {
          x.add(row[k], 1f);
        }
        int repeated = x.endRow();
        if (repeated >= 0) {
          throw new InvalidInputException(
              "%s: vertex %d: expected distinct features, found %d twice"
                  .formatted(file, v, repeated));
        }
      }
      return x.matrix();
    }

    private void read(JsonTokens json) {
      while (json.nextKey()) {
        int v = json.vertexKey(rows.length);
        json.requireArray("an array of features of vertex " + v);
        rows[v] = features(json, v);
      }
    }

    private int[] features(JsonTokens json, int v) {
      String what = "a feature of vertex %d, from 0".formatted(v);
      List<Integer> features = new ArrayList<>();
      heap.take(PER_ROW);
      while (json.nextElement()) {
        long feature = json.count(what);
        width =
            Math.max(width, DatasetDraft.size(json.place(), "features", feature + 1, fileBytes));
        heap.take(PER_FEATURE);
        features.add((int) feature);
      }
      nnz += features.size();
      return features.stream().mapToInt(Integer::intValue).toArray();
    }
  }
}
