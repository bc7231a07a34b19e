package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.DatasetDraft.Given;
import java.nio.file.Path;
import java.util.List;

/// METIS graph files (Karypis and Kumar, METIS manual, section 4.1.1), gzipped or not: lines of
/// comment that start with `%`; a header `n m [fmt [ncon]]`; then a line for each vertex with its
/// neighbours, counted from 1, in any order.
///
/// `fmt` is up to three digits: vertex sizes, vertex weights (`ncon` of them), edge weights. Edge
/// weights are kept; data of vertices are ignored. Each edge is in the lines of both of its ends,
/// with the same weight; self loops and duplicates are errors. The graph is undirected.
final class MetisFormat implements GraphFormat {
  @Override
  public String name() {
    return "metis";
  }

  @Override
  public String description() {
    return "a METIS graph";
  }

  @Override
  public boolean isFolder() {
    return false;
  }

  @Override
  public List<String> endings() {
    return List.of("graph", "metis");
  }

  @Override
  public boolean recognises(FormatProbe probe) {
    return probe.isText() && isMetis(probe.path());
  }

  /// Whether the first line `n m [fmt [ncon]]` speaks of the lines that follow: `n` of them, with
  /// `2 m` neighbours if there are no weights. A file called `.graph` need only have such a line.
  private static boolean isMetis(Path file) {
    try (FieldScanner in = new FieldScanner(file)) {
      if (!in.nextLineWithout("%")) {
        return false;
      }
      in.rewind();
      long[] header = new long[4];
      int count = 0;
      while (in.nextField()) {
        if (count == 4 || !in.fieldIsInteger() || in.fieldText().length() > 18) {
          return false;
        }
        header[count++] = in.fieldLong("an integer");
      }
      if (count < 2) {
        return false;
      }
      if (String.valueOf(file.getFileName()).matches("(?i).*\\.(graph|metis)(\\.gz)?")) {
        return true;
      }
      return followedBy(in, header, count);
    }
  }

  private static boolean followedBy(FieldScanner in, long[] header, int count) {
    long lines = 0;
    long fields = 0;
    while (lines <= header[0] && in.nextLine()) {
      if (in.firstCharacter() != '%') {
        lines++;
        while (in.nextField()) {
          fields++;
        }
      }
    }
    boolean weights = count > 2 && header[2] != 0;
    return lines == header[0] && (weights ? fields >= 2 * header[1] : fields == 2 * header[1]);
  }

  @Override
  public GraphData read(Path file, ReadOptions options) {
    if (options.directedOr(false)) {
      throw new InvalidInputException(
          "%s: expected a directed graph, found METIS format, which has undirected graphs only"
              .formatted(file));
    }
    try (FieldScanner in = new FieldScanner(file, options.progress());
        DatasetDraft draft = new DatasetDraft(this, file, options)) {
      Header header = header(in);
      try (ArcBuffer arcs = new ArcBuffer(header.edgeWeights())) {
        neighbours(in, header, arcs);
        draft.undirectedGraph(header.vertices(), arcs, Given.BOTH_WAYS);
      }
      if (draft.adjacency().nnz() != 2 * header.edges()) {
        throw new InvalidInputException(
            "%s: expected %d distinct edges, found %s, as some vertex names a neighbour twice"
                .formatted(file, header.edges(), draft.adjacency().nnz() / 2.0));
      }
      ArrayChecks.symmetric(file.toString(), draft.adjacency());
      return draft.finish(Datasets.nameOf(file));
    }
  }

  private record Header(int vertices, long edges, int vertexNumbers, boolean edgeWeights) {}

  private static Header header(FieldScanner in) {
    if (!in.nextLineWithout("%")) {
      throw in.wrong("a header 'n m [fmt [ncon]]'", "the end of the file");
    }
    // Each vertex has at least the end of its line.
    int n = DatasetDraft.size(in.place(), "vertices", in.nextLong("n"), in.bytes());
    long m = in.nextLong("m", 0, Long.MAX_VALUE / 2);
    int format = 0;
    int weights = 1;
    if (in.nextField()) {
      String text = in.fieldText();
      if (!text.matches("[01]{1,3}")) {
        throw in.wrong("fmt of up to three digits 0 or 1", "'" + text + "'");
      }
      format = Integer.parseInt(text, 2);
    }
    if (in.nextField()) {
      weights = (int) in.fieldLong("ncon");
      if (weights < 0 || weights > 1024) {
        throw in.wrong("ncon in 0..1024", Integer.toString(weights));
      }
    }
    in.requireEndOfLine();
    int skipped = (format & 4) / 4 + ((format & 2) == 0 ? 0 : weights);
    return new Header(n, m, skipped, (format & 1) != 0);
  }

  private static void neighbours(FieldScanner in, Header header, ArcBuffer arcs) {
    int n = header.vertices();
    for (int v = 0; v < n; v++) {
      do {
        if (!in.nextLine()) {
          throw in.wrong(n + " lines, one per vertex", v + " and the end of the file");
        }
      } while (in.firstCharacter() == '%');
      for (int i = 0; i < header.vertexNumbers(); i++) {
        in.nextLong("a vertex weight or size", 0, Long.MAX_VALUE);
      }
      while (in.nextField()) {
        long neighbour = in.fieldLong("a neighbour");
        if (neighbour < 1 || neighbour > n || neighbour == v + 1L) {
          throw in.wrong(
              "a neighbour of vertex %d in 1..%d other than itself".formatted(v + 1, n),
              Long.toString(neighbour));
        }
        arcs.add(
            v,
            (int) neighbour - 1,
            header.edgeWeights() ? in.nextReal("the weight of the edge") : 1f);
      }
    }
    if (in.nextLineWithout("%")) {
      throw in.wrong(n + " lines, one per vertex", "more");
    }
    if (arcs.size() != 2 * header.edges()) {
      throw in.wrong(
          "%d neighbours, as the header says %d edges"
              .formatted(2 * header.edges(), header.edges()),
          Long.toString(arcs.size()));
    }
  }
}
