package dev.gossamer.graph.format;

import dev.gossamer.graph.GraphData;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Edge lists, gzipped or not: a line `source target [weight]` for each edge. Empty lines and lines
/// that start with `#` or `%` are passed over.
///
/// What the file is like is decided by its first lines, and then holds to its end:
/// - separator: comma, semicolon or tab if the first line has one, else blanks;
/// - a header is a first line whose ids are not numbers though those of the second are, or whose
///   first two words are among `source target from to src dst u v id_1 id_2 node1 node2 ...`;
/// - ids are numbers `0..n-1` (n = largest + 1) or, if the first is not a number, any text,
///   numbered in the order of first appearance and kept as vertex names;
/// - a third column is the weight of each edge.
///
/// Undirected and without self loops, unless the options say directed; edges given twice are merged
/// and their weights added.
final class EdgeListFormat implements GraphFormat {
  private static final String COMMENTS = "#%";
  private static final Set<String> HEADER_WORDS =
      Set.of(
          "source",
          "target",
          "from",
          "to",
          "src",
          "dst",
          "u",
          "v",
          "id_1",
          "id_2",
          "id1",
          "id2",
          "node1",
          "node2",
          "node_1",
          "node_2",
          "fromnodeid",
          "tonodeid",
          "head",
          "tail");

  @Override
  public String name() {
    return "edges";
  }

  @Override
  public String description() {
    return "a text file with an edge on each line";
  }

  @Override
  public boolean isFolder() {
    return false;
  }

  @Override
  public List<String> endings() {
    return List.of("csv", "tsv", "txt", "edges", "el");
  }

  @Override
  public boolean recognises(FormatProbe probe) {
    return probe.isText();
  }

  @Override
  public GraphData read(Path file, ReadOptions options) {
    Shape shape = shape(file);
    try (FieldScanner in = new FieldScanner(file, options.progress());
        ArcBuffer arcs = new ArcBuffer(shape.weighted());
        DatasetDraft draft = new DatasetDraft(this, file, options)) {
      in.separator(shape.separator());
      if (shape.header()) {
        in.nextLineWithout(COMMENTS);
        draft.fact("header", in.lineText().strip());
      }
      Ids ids = new Ids(shape.names());
      while (in.nextLineWithout(COMMENTS)) {
        in.rewind();
        int source = ids.next(in);
        int target = ids.next(in);
        arcs.add(source, target, shape.weighted() ? in.nextReal("a finite weight") : 1f);
        in.requireEndOfLine();
      }
      int n = DatasetDraft.size(in.place(), "vertices", ids.count, in.bytes());
      draft.graph(n, arcs, !options.directedOr(false));
      List<String> names = ids.names;
      if (names != null) {
        draft.vertexNames(names);
      }
      return draft.finish(Datasets.nameOf(file));
    }
  }

  private record Shape(char separator, boolean header, boolean names, boolean weighted) {}

  private static Shape shape(Path file) {
    try (FieldScanner in = new FieldScanner(file)) {
      if (!in.nextLineWithout(COMMENTS)) {
        throw in.wrong("an edge 'source target'", "the end of the file");
      }
      char separator = FieldScanner.BLANKS;
      for (char c : new char[] {',', ';', '\t'}) {
        if (separator == FieldScanner.BLANKS && in.lineHas(c)) {
          separator = c;
        }
      }
      in.separator(separator);
      in.rewind();
      boolean names = !hasNumbers(in);
      in.rewind();
      boolean header = names && hasHeaderWords(in);
      int columns = columns(in);
      if (names && in.nextLineWithout(COMMENTS)) {
        in.rewind();
        boolean numbersFollow = hasNumbers(in);
        header |= numbersFollow;
        names = !(header && numbersFollow);
        columns = header ? columns(in) : columns;
      }
      return new Shape(separator, header, names, columns == 3);
    }
  }

  private static boolean hasNumbers(FieldScanner in) {
    return in.nextField() && in.fieldIsInteger() && in.nextField() && in.fieldIsInteger();
  }

  private static boolean hasHeaderWords(FieldScanner in) {
    for (int i = 0; i < 2; i++) {
      if (!in.nextField() || !HEADER_WORDS.contains(in.fieldText().toLowerCase(Locale.ROOT))) {
        return false;
      }
    }
    return true;
  }

  private static int columns(FieldScanner in) {
    in.rewind();
    int columns = 0;
    while (in.nextField()) {
      columns++;
    }
    if (columns < 2 || columns > 3) {
      throw in.wrong("2 or 3 columns 'source target [weight]'", Integer.toString(columns));
    }
    return columns;
  }

  /// Vertex ids as they come.
  private static final class Ids {
    private final Map<String, Integer> numbers = new HashMap<>();
    private final @Nullable List<String> names;
    private final HeapBudget heap = HeapBudget.of("the names of vertices");
    private long count;

    Ids(boolean named) {
      names = named ? new ArrayList<>() : null;
    }

    int next(FieldScanner in) {
      if (names == null) {
        long id = in.nextLong("a vertex id", 0, Integer.MAX_VALUE - 1);
        count = Math.max(count, id + 1);
        return (int) id;
      }
      if (!in.nextField() || in.fieldText().isEmpty()) {
        throw in.wrong("a vertex id", "nothing");
      }
      String name = in.fieldText();
      Integer known = numbers.putIfAbsent(name, names.size());
      if (known != null) {
        return known;
      }
      heap.takeText(2 * name.length());
      names.add(name);
      count = names.size();
      return names.size() - 1;
    }
  }
}
