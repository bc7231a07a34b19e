package dev.gossamer.graph.format;

import dev.gossamer.graph.GraphData;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Folders of the LINQS citation graphs: `NAME.content` with a line `id feature ... feature class`
/// for each vertex and `NAME.cites` with a line `cited citing` for each citation; tabs between.
///
/// Vertices are numbered by their line, classes in alphabetical order; ids are kept as vertex
/// names. Only features other than 0 are stored. Citations of or by papers that `NAME.content`
/// lacks, of which Citeseer has some, are dropped; the provenance counts them. Undirected and
/// without self loops; with the option directed an arc goes from the citing to the cited paper.
final class CoraTextFormat implements GraphFormat {
  @Override
  public String name() {
    return "cora";
  }

  @Override
  public String description() {
    return "NAME.content and NAME.cites";
  }

  @Override
  public boolean isFolder() {
    return true;
  }

  @Override
  public List<String> endings() {
    return List.of("content");
  }

  @Override
  public boolean recognises(FormatProbe probe) {
    if (!probe.isFolder()) {
      if (probe.name().endsWith(".content") || probe.name().endsWith(".cites")) {
        throw probe.refused("one file of a set; give its folder");
      }
      return false;
    }
    return probe.files().stream()
        .anyMatch(file -> file.endsWith(".content") || file.endsWith(".cites"));
  }

  @Override
  public GraphData read(Path folder, ReadOptions options) {
    Path content = Datasets.only(folder, ".content");
    Path cites = Datasets.only(folder, ".cites");
    try (DatasetDraft draft = new DatasetDraft(this, folder, options);
        ArcBuffer arcs = new ArcBuffer(false)) {
      Reading reader = new Reading();
      reader.vertices(content);
      SparseFeatureRows x =
          new SparseFeatureRows(draft.arena(), reader.ids.size(), reader.width, reader.nnz);
      reader.features(content, x);
      draft.features(x.matrix());
      reader.cites(cites, arcs);
      draft.labels(reader.classes);
      draft.vertexNames(reader.ids);
      draft.graph(reader.ids.size(), arcs, !options.directedOr(false));
      if (reader.unknown > 0) {
        draft.dropped(DatasetDraft.counted(reader.unknown, "link") + " to unknown papers");
      }
      return draft.finish(Datasets.nameOf(content));
    }
  }

  /// One folder that is being read.
  private static final class Reading {
    private static final int UNKNOWN = -1;

    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> ids = new ArrayList<>();
    private final List<String> classes = new ArrayList<>();
    private final HeapBudget heap = HeapBudget.of("the names of vertices and classes");
    private int width = -1;
    private long nnz;
    private long unknown;

    /// First pass over the content: ids, classes, and how many features are not 0.
    private void vertices(Path content) {
      try (FieldScanner in = new FieldScanner(content)) {
        while (in.nextLineWithout("")) {
          in.rewind();
          in.nextField();
          String id = in.fieldText();
          Integer earlier = numbers.putIfAbsent(id, ids.size());
          if (earlier != null) {
            throw in.wrong("a new id", "'%s', as vertex %d has".formatted(id, earlier));
          }
          heap.takeText(2 * id.length());
          ids.add(id);
          int fields = 0;
          boolean zero = true;
          while (in.nextField()) {
            fields++;
            zero = in.fieldIsZero();
            nnz += zero ? 0 : 1;
          }
          if (fields < 2 || (width >= 0 && fields - 1 != width)) {
            throw in.wrong(
                (width < 0 ? "an id, features and a class" : width + 2 + " fields, as on line 1"),
                Integer.toString(fields + 1));
          }
          width = fields - 1;
          // The class is not a feature, even if it is called 0.
          nnz -= zero ? 0 : 1;
          String name = in.fieldText();
          heap.takeText(name.length());
          classes.add(name);
        }
        if (ids.isEmpty()) {
          throw in.wrong("an id, features and a class", "the end of the file");
        }
      }
    }

    private void features(Path content, SparseFeatureRows x) {
      try (FieldScanner in = new FieldScanner(content)) {
        while (in.nextLineWithout("")) {
          in.rewind();
          in.nextField();
          for (int f = 0; f < width; f++) {
            in.nextField();
            if (!in.fieldIsZero()) {
              x.add(f, in.fieldReal("feature %d, a finite number".formatted(f)));
            }
          }
          x.endRow();
        }
      }
    }

    private void cites(Path cites, ArcBuffer arcs) {
      try (FieldScanner in = new FieldScanner(cites)) {
        while (in.nextLineWithout("")) {
          in.rewind();
          int cited = vertex(in);
          int citing = vertex(in);
          in.requireEndOfLine();
          if (cited == UNKNOWN || citing == UNKNOWN) {
            unknown++;
          } else {
            arcs.add(citing, cited, 1f);
          }
        }
        if (unknown > 0 && arcs.size() == 0) {
          throw in.wrong("ids that the .content file has", "an unknown id on every line");
        }
      }
    }

    private int vertex(FieldScanner in) {
      if (!in.nextField()) {
        throw in.wrong("the ids of the cited and the citing paper", "'" + in.lineText() + "'");
      }
      return numbers.getOrDefault(in.fieldText(), UNKNOWN);
    }
  }
}
