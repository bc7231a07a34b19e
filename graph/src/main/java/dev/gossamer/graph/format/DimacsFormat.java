package dev.gossamer.graph.format;

import dev.gossamer.graph.GraphData;
import java.nio.file.Path;
import java.util.List;

/// Shortest-path graphs of the 9th DIMACS Implementation Challenge, `.gr`, gzipped or not: lines
/// `c` comment, one line `p sp VERTICES ARCS`, and `a SOURCE TARGET LENGTH` for each arc, counted
/// from 1.
///
/// Lengths become edge weights; those of parallel arcs are added. The graph is undirected if every
/// arc has a reverse with the same length, otherwise directed.
final class DimacsFormat implements GraphFormat {
  @Override
  public String name() {
    return "dimacs";
  }

  @Override
  public String description() {
    return "a road network of the 9th DIMACS challenge, .gr";
  }

  @Override
  public boolean isFolder() {
    return false;
  }

  @Override
  public List<String> endings() {
    return List.of("gr");
  }

  @Override
  public boolean recognises(FormatProbe probe) {
    String line = probe.firstLine();
    return probe.isText() && line.matches("(?s)[cp]\\s.*|c?") && hasProblemLine(probe.path());
  }

  /// Whether lines that start with `c` are comments, not edges of a vertex of this name.
  private static boolean hasProblemLine(Path file) {
    try (FieldScanner in = new FieldScanner(file)) {
      return in.nextLineWithout("c")
          && in.nextField()
          && in.fieldText().equals("p")
          && in.nextField()
          && in.fieldText().equals("sp");
    }
  }

  @Override
  public GraphData read(Path file, ReadOptions options) {
    try (FieldScanner in = new FieldScanner(file, options.progress());
        ArcBuffer arcs = new ArcBuffer(true);
        DatasetDraft draft = new DatasetDraft(this, file, options)) {
      int n = arcs(in, arcs);
      draft.directedMatrix(n, arcs);
      return draft.finish(Datasets.nameOf(file));
    }
  }

  private static int arcs(FieldScanner in, ArcBuffer arcs) {
    int n = -1;
    long expected = 0;
    while (in.nextLineWithout("c")) {
      in.nextField();
      String kind = in.fieldText();
      if (kind.equals("p") && n < 0) {
        if (!in.nextField() || !in.fieldText().equals("sp")) {
          throw in.wrong("'p sp VERTICES ARCS'", "'" + in.lineText() + "'");
        }
        n = DatasetDraft.size(in.place(), "vertices", in.nextLong("vertices"), in.bytes());
        expected = in.nextLong("arcs", 0, Long.MAX_VALUE);
      } else if (kind.equals("a") && n >= 0) {
        int source = (int) in.nextLong("a vertex", 1, n) - 1;
        int target = (int) in.nextLong("a vertex", 1, n) - 1;
        arcs.add(source, target, in.nextReal("a finite length"));
      } else {
        throw in.wrong(
            n < 0 ? "a line 'p sp VERTICES ARCS'" : "a line 'a SOURCE TARGET LENGTH'",
            "'" + in.lineText() + "'");
      }
      in.requireEndOfLine();
    }
    if (n < 0) {
      throw in.wrong("a line 'p sp VERTICES ARCS'", "the end of the file");
    }
    if (arcs.size() != expected) {
      throw in.wrong(expected + " arcs, as the line 'p' says", Long.toString(arcs.size()));
    }
    // The unpacked size of a packed text is not known before its end.
    return DatasetDraft.size(in.place(), "vertices", n, in.bytes());
  }
}
