package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetDraft.Given;
import dev.gossamer.matrix.CsrMatrix;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/// Folders of the MUSAE social networks (Rozemberczki, Allen, Sarkar 2019):
/// - `NAME_target.csv`: a header, then a row for each vertex in order of its id, which is the first
///   field; the class is the last field;
/// - `NAME_edges.csv`: a header `id_1,id_2`, then each undirected edge once;
/// - `NAME_features.json`: one object; key = vertex id, value = its binary features (numbers from
///   0).
///
/// Classes are numbered in alphabetical order. Undirected and without self loops, unless the
/// options say directed. No split.
final class MusaeFormat implements GraphFormat {
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

  private static List<String> classes(Path file) {
    List<String> classes = new ArrayList<>();
    HeapBudget heap = HeapBudget.of("the classes of vertices");
    try (Reader text = InputFile.of(file).reader();
        CSVParser rows = CSVParser.parse(text, CSVFormat.RFC4180)) {
      int columns = 0;
      for (CSVRecord row : rows) {
        if (columns == 0) {
          columns = row.size();
          if (columns < 2 || !row.get(0).equals("id")) {
            throw wrong(file, rows, "a header 'id,...,class'", row.get(0));
          }
          continue;
        }
        if (row.size() != columns) {
          throw wrong(file, rows, columns + " columns, as the header has", row.size() + "");
        }
        if (!row.get(0).equals(Integer.toString(classes.size()))) {
          throw wrong(file, rows, "vertex id " + classes.size(), "'" + row.get(0) + "'");
        }
        if (row.get(columns - 1).isBlank()) {
          throw wrong(file, rows, "a class", "nothing");
        }
        heap.takeText(row.get(columns - 1).length());
        classes.add(row.get(columns - 1));
      }
      if (columns == 0) {
        throw wrong(file, rows, "a header 'id,...,class'", "the end of the file");
      }
      return classes;
    } catch (UncheckedIOException e) {
      throw new InvalidInputException(
          "%s: row %d: expected comma-separated values, found damage: %s"
              .formatted(file, classes.size() + 1, e.getMessage()),
          e);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
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
      if (!in.nextLine() || !in.lineText().strip().equals("id_1,id_2")) {
        throw in.wrong("a header 'id_1,id_2'", "'" + in.lineText() + "'");
      }
      while (in.nextLineWithout("")) {
        in.rewind();
        int source = (int) in.nextLong("a vertex id", 0, n - 1L);
        int target = (int) in.nextLong("a vertex id", 0, n - 1L);
        in.requireEndOfLine();
        arcs.add(source, target, 1f);
      }
    }
  }

  /// The features, read as a stream: the keys come in any order.
  private static final class FeatureFile {
    private static final long PER_ROW = 64;
    private static final long PER_FEATURE = 2L * Integer.BYTES;

    private final Path file;
    private final HeapBudget heap = HeapBudget.of("the features of vertices");
    private final int[] @Nullable [] rows;
    private int width;
    private long nnz;

    FeatureFile(Path file, int n) {
      this.file = file;
      rows = new int[n][];
    }

    CsrMatrix matrix(DatasetDraft draft) {
      InputFile input = InputFile.of(file);
      try (InputStream bytes = input.stream();
          JsonParser json =
              JsonFactory.builder()
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build()
                  .createParser(tools.jackson.core.ObjectReadContext.empty(), bytes)) {
        read(json, input.size());
      } catch (JacksonException e) {
        throw new InvalidInputException(
            "%s: line %d: %s"
                .formatted(
                    file,
                    e.getLocation() == null ? 1 : e.getLocation().getLineNr(),
                    e.getOriginalMessage()),
            e);
      } catch (IOException e) {
        throw InvalidInputException.unreadable(file, e);
      }
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

    private void read(JsonParser json, long fileBytes) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw wrong(json, "an object", json.getString());
      }
      while (json.nextToken() != JsonToken.END_OBJECT) {
        String key = json.currentName();
        int v = key.matches("[0-9]{1,9}") ? Integer.parseInt(key) : -1;
        if (v < 0 || v >= rows.length) {
          throw wrong(json, "a vertex id in 0..%d".formatted(rows.length - 1), "'" + key + "'");
        }
        if (json.nextToken() != JsonToken.START_ARRAY) {
          throw wrong(json, "an array of features of vertex " + v, json.getString());
        }
        rows[v] = features(json, v, fileBytes);
      }
      if (json.nextToken() != null) {
        throw wrong(json, "the end of the file", json.getString());
      }
    }

    private int[] features(JsonParser json, int v, long fileBytes) {
      List<Integer> features = new ArrayList<>();
      heap.take(PER_ROW);
      while (json.nextToken() != JsonToken.END_ARRAY) {
        if (json.currentToken() != JsonToken.VALUE_NUMBER_INT || json.getLongValue() < 0) {
          throw wrong(json, "a feature of vertex %d, from 0".formatted(v), json.getString());
        }
        width =
            Math.max(
                width,
                DatasetDraft.size(place(json), "features", json.getLongValue() + 1, fileBytes));
        heap.take(PER_FEATURE);
        features.add((int) json.getLongValue());
      }
      nnz += features.size();
      return features.stream().mapToInt(Integer::intValue).toArray();
    }

    private String place(JsonParser json) {
      return "%s: line %d, column %d"
          .formatted(
              file,
              json.currentTokenLocation().getLineNr(),
              json.currentTokenLocation().getColumnNr());
    }

    private InvalidInputException wrong(JsonParser json, String expected, @Nullable String found) {
      return new InvalidInputException(
          "%s: expected %s, found %s".formatted(place(json), expected, found));
    }
  }
}
