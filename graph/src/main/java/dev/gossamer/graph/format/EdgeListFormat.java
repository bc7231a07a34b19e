package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.GraphData;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Edge lists, gzipped or not: a line `source target [weight]` for each edge. Empty lines and lines
/// that start with `#` or `%` are ignored.
///
/// The first lines determine the layout of the whole file:
/// - separator: tab, comma or semicolon, the first of them that the first line has, else blanks;
///   tabs beside a comma or semicolon are blanks around it;
/// - a header is a first line whose ids or weight are not numbers though those of the second are,
///   or whose first two words are among `source target from to sender receiver u v id_1 id_2 ...`,
///   or, where lines have a separator, whose two words have no digits, though the ids of the second
///   line have some, and are on no other line;
/// - ids are numbers `0..n-1` (n = largest + 1) or, if the first is not a number, any text,
///   numbered in the order of first appearance and kept as vertex names;
/// - a third column is the weight of each edge.
///
/// Files of SNAP (Leskovec, Krevl 2014) say `# Nodes: N Edges: M` before the first edge; the
/// numbers that are their ids often have gaps. Vertices are then the ids that occur, numbered in
/// ascending order, and the ids are kept as vertex names.
///
/// Undirected and without self loops, unless the options say directed; edges given twice are merged
/// and their weights added.
final class EdgeListFormat implements GraphFormat {
  private static final String COMMENTS = "#%";
  private static final Pattern SNAP = Pattern.compile("#\\s*Nodes:\\s*[0-9]+.*");
  private static final Pattern PADDED = Pattern.compile("[,;] *\t|\t *[,;]");
  private static final Pattern MATRIX_MARKET = Pattern.compile("(?i)\\s*%+\\s*MatrixMarket");

  /// Ids with gaps may be this many times as large as ids without.
  private static final int MOST_GAPS = 32;

  private static final Set<String> HEADER_WORDS =
      Set.of(
          "source",
          "target",
          "from",
          "to",
          "src",
          "dst",
          "source_id",
          "target_id",
          "src_id",
          "dst_id",
          "from_id",
          "to_id",
          "from_node",
          "to_node",
          "sender",
          "receiver",
          "recipient",
          "payer",
          "payee",
          "buyer",
          "seller",
          "caller",
          "callee",
          "citing",
          "cited",
          "follower",
          "followee",
          "origin",
          "destination",
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
      boolean undirected = !options.directedOr(false);
      GappedIds gapped = shape.snap() ? ids.gapped(in, arcs) : null;
      if (gapped != null) {
        draft.graph(gapped.number(), gapped.renumbered(arcs), undirected);
        draft.vertexNames(gapped.names());
        draft.fact("renumbered", "ids from 0 to %,d with gaps".formatted(ids.count - 1));
      } else {
        int n = DatasetDraft.size(in.place(), "vertices", ids.count, in.bytes());
        draft.graph(n, arcs, undirected);
        List<String> names = ids.names;
        if (names != null) {
          draft.vertexNames(names);
        }
      }
      return draft.finish(Datasets.nameOf(file));
    }
  }

  /// @param snap whether a comment gives the number of vertices, as in the files of SNAP
  private record Shape(
      char separator, boolean header, boolean names, boolean weighted, boolean snap) {}

  private static Shape shape(Path file) {
    try (FieldScanner in = new FieldScanner(file)) {
      boolean snap = false;
      boolean found = in.nextLine();
      if (MATRIX_MARKET.matcher(in.lineText()).lookingAt()) {
        throw in.wrong(
            "an edge list",
            "a Matrix Market file; its format is mtx, and it begins with '%%MatrixMarket'");
      }
      while (found && (in.firstCharacter() == 0 || COMMENTS.indexOf(in.firstCharacter()) >= 0)) {
        snap |= in.firstCharacter() == '#' && SNAP.matcher(in.lineText().strip()).matches();
        found = in.nextLine();
      }
      if (!found) {
        throw in.wrong("an edge 'source target'", "the end of the file");
      }
      char separator = separator(in);
      in.separator(separator);
      in.rewind();
      boolean names = !hasNumbers(in);
      List<String> first = fields(in);
      requireColumns(in, first);
      requireNoRowNumbers(in, first);
      boolean header = names && haveHeaderWords(first);
      int columns = first.size();
      if (names && in.nextLineWithout(COMMENTS)) {
        in.rewind();
        boolean numbersFollow = hasNumbers(in);
        List<String> second = fields(in);
        header |= numbersFollow || isNumberBelowText(first, second);
        header = header || (separator != FieldScanner.BLANKS && areTitles(first, second, in));
        names = !numbersFollow;
        if (header) {
          requireNoRowNumbers(in, first, second);
          requireColumns(in, second);
          columns = second.size();
        }
      }
      return new Shape(separator, header, names, columns == 3, snap && !names);
    }
  }

  /// Names often contain commas, and hardly ever tabs.
  private static char separator(FieldScanner in) {
    String separators = PADDED.matcher(in.lineText()).find() ? ",;" : "\t,;";
    for (int k = 0; k < separators.length(); k++) {
      if (in.lineHas(separators.charAt(k))) {
        return separators.charAt(k);
      }
    }
    return FieldScanner.BLANKS;
  }

  private static boolean hasNumbers(FieldScanner in) {
    return in.nextField() && in.fieldIsInteger() && in.nextField() && in.fieldIsInteger();
  }

  private static List<String> fields(FieldScanner in) {
    in.rewind();
    List<String> fields = new ArrayList<>();
    while (in.nextField()) {
      fields.add(in.fieldText());
    }
    return fields;
  }

  private static void requireColumns(FieldScanner in, List<String> fields) {
    if (fields.size() < 2 || fields.size() > 3) {
      throw in.wrong("2 or 3 columns 'source target [weight]'", Integer.toString(fields.size()));
    }
  }

  /// Tables are often written with the numbers of their rows in a first column, which has no name.
  private static void requireNoRowNumbers(FieldScanner in, List<String> first) {
    boolean numbered =
        first.size() == 3
            && (first.getFirst().isEmpty()
                || (haveHeaderWords(first.subList(1, 3)) && !haveHeaderWords(first.subList(0, 1))));
    if (numbered) {
      throw numbered(in, first);
    }
  }

  /// R leaves out the title of that column.
  private static void requireNoRowNumbers(
      FieldScanner in, List<String> titles, List<String> second) {
    if (second.size() == titles.size() + 1) {
      throw numbered(in, second);
    }
  }

  private static InvalidInputException numbered(FieldScanner in, List<String> line) {
    return in.wrong(
        "columns 'source target [weight]'",
        "'%s'; write it without row numbers (index=False)".formatted(String.join(",", line)));
  }

  private static boolean haveHeaderWords(List<String> line) {
    return line.stream()
        .limit(2)
        .allMatch(word -> HEADER_WORDS.contains(word.toLowerCase(Locale.ROOT)));
  }

  private static boolean isNumberBelowText(List<String> first, List<String> second) {
    return first.size() == 3
        && second.size() == 3
        && !isNumber(first.getLast())
        && isNumber(second.getLast());
  }

  private static boolean isNumber(String text) {
    try {
      Float.parseFloat(text);
      return true;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  /// Whether two words without digits stand above ids with digits, and on no other line. Reads to
  /// the end of the file if they look so.
  private static boolean areTitles(List<String> first, List<String> second, FieldScanner in) {
    List<String> titles = first.subList(0, 2);
    if (titles.stream().anyMatch(EdgeListFormat::hasDigit)
        || second.size() < 2
        || !second.subList(0, 2).stream().allMatch(EdgeListFormat::hasDigit)) {
      return false;
    }
    if (second.size() > first.size()) {
      return true;
    }
    boolean more = true;
    while (more) {
      in.rewind();
      for (int i = 0; i < 2 && in.nextField(); i++) {
        if (titles.contains(in.fieldText())) {
          return false;
        }
      }
      more = in.nextLineWithout(COMMENTS);
    }
    return true;
  }

  private static boolean hasDigit(String text) {
    return text.chars().anyMatch(Character::isDigit);
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

    /// The distinct ids, if there are gaps between them; otherwise null.
    @Nullable GappedIds gapped(FieldScanner in, ArcBuffer arcs) {
      long most = MOST_GAPS * DatasetDraft.mostIn(in.bytes());
      if (count > most) {
        throw in.wrong(
            "vertex ids below %d in a file of %d bytes".formatted(most, in.bytes()),
            Long.toString(count - 1));
      }
      GappedIds gapped = new GappedIds();
      arcs.forEach((source, target, _) -> {
        gapped.add(source);
        gapped.add(target);
      });
      return gapped.number() < count ? gapped : null;
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
