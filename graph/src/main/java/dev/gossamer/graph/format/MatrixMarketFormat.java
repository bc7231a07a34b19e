package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetDraft.Given;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// Matrix Market coordinate files (NIST, Boisvert, Pozo, Remington 1996), gzipped or not:
/// `%%MatrixMarket matrix coordinate pattern|real|integer general|symmetric`, lines of comment that
/// start with `%`, `rows cols entries`, then a line `i j [value]` for each entry, counted from 1.
///
/// The matrix must be square. A `symmetric` file, which stores one triangle, is an undirected
/// graph; a `general` one is directed unless every entry has its transpose. Values become edge
/// weights; duplicate entries are added. Undirected graphs lose the diagonal, directed ones keep
/// it.
final class MatrixMarketFormat implements GraphFormat {
  private static final String START = "%%MatrixMarket";
  private static final String BANNER = START + " matrix coordinate";

  @Override
  public String name() {
    return "mtx";
  }

  @Override
  public String description() {
    return "a Matrix Market coordinate file";
  }

  @Override
  public boolean isFolder() {
    return false;
  }

  @Override
  public List<String> endings() {
    return List.of("mtx");
  }

  @Override
  public boolean recognises(FormatProbe probe) {
    return probe.firstLine().regionMatches(true, 0, START, 0, START.length());
  }

  @Override
  public GraphData read(Path file, ReadOptions options) {
    try (FieldScanner in = new FieldScanner(file, options.progress());
        DatasetDraft draft = new DatasetDraft(this, file, options)) {
      Header header = header(in);
      try (ArcBuffer arcs = new ArcBuffer(header.weighted())) {
        int n = entries(in, header, arcs);
        if (header.symmetric() && options.directedOr(false)) {
          throw new InvalidInputException(
              "%s: line 1: expected a general matrix for a directed graph, found a symmetric one"
                  .formatted(file));
        }
        if (header.symmetric()) {
          draft.undirectedGraph(n, arcs, Given.ONCE);
        } else {
          draft.directedMatrix(n, arcs);
        }
      }
      return draft.finish(Datasets.nameOf(file));
    }
  }

  private record Header(boolean weighted, boolean symmetric) {}

  private static Header header(FieldScanner in) {
    String banner = in.nextLine() ? in.lineText().strip() : "";
    String[] words = banner.toLowerCase(Locale.ROOT).split("\\s+", -1);
    boolean known =
        words.length == 5
            && words[0].equals("%%matrixmarket")
            && words[1].equals("matrix")
            && words[2].equals("coordinate")
            && (words[3].equals("pattern") || words[3].equals("real") || words[3].equals("integer"))
            && (words[4].equals("general") || words[4].equals("symmetric"));
    if (!known) {
      throw in.wrong("'" + BANNER + " pattern|real|integer general|symmetric'", "'" + banner + "'");
    }
    return new Header(!words[3].equals("pattern"), words[4].equals("symmetric"));
  }

  private static int entries(FieldScanner in, Header header, ArcBuffer arcs) {
    if (!in.nextLineWithout("%")) {
      throw in.wrong("'rows cols entries'", "the end of the file");
    }
    long rows = in.nextLong("rows", 0, Long.MAX_VALUE);
    long cols = in.nextLong("cols", 0, Long.MAX_VALUE);
    long entries = in.nextLong("entries", 0, Long.MAX_VALUE);
    in.requireEndOfLine();
    if (rows != cols) {
      throw in.wrong("as many rows as columns, a graph", rows + " x " + cols);
    }
    String place = in.place();
    int n = DatasetDraft.size(place, "vertices", rows, in.bytes());
    while (in.nextLineWithout("%")) {
      int i = (int) in.nextLong("a row", 1, n) - 1;
      int j = (int) in.nextLong("a column", 1, n) - 1;
      if (header.symmetric() && j > i) {
        throw in.wrong(
            "an entry of the lower triangle, as the file is symmetric",
            "row %d, column %d".formatted(i + 1, j + 1));
      }
      arcs.add(i, j, header.weighted() ? in.nextReal("a finite value") : 1f);
      in.requireEndOfLine();
    }
    if (arcs.size() != entries) {
      throw in.wrong(entries + " entries, as the size line says", Long.toString(arcs.size()));
    }
    // The unpacked size of a packed text is not known before its end.
    return DatasetDraft.size(place, "vertices", n, in.bytes());
  }
}
