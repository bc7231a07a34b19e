package dev.gossamer.graph.format;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.Task;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Folders of GraphSAINT (Zeng, Zhou, Srivastava, Kannan, Prasanna 2020):
/// - `adj_full.npz`: the adjacency matrix, as scipy saves it;
/// - `feats.npy`: features, `n x f`;
/// - `class_map.json`: one object; key = vertex id, value = its class, or a list with 1 or 0 for
///   each of several labels;
/// - `role.json`: one object; keys `tr`, `va` and `te`, values = the vertices of each part.
///
/// `adj_train.npz`, the matrix between training vertices, follows from these and is not read.
/// Undirected and without self loops, unless the options say directed.
final class GraphSaintFormat implements StreamedFormat {
  private static final String GRAPH = "adj_full.npz";
  private static final String FEATURES = "feats.npy";
  private static final String CLASSES = "class_map.json";
  private static final String ROLES = "role.json";
  private static final Map<String, Split> PARTS =
      Map.of("tr", Split.TRAIN, "va", Split.VALIDATION, "te", Split.TEST);

  @Override
  public String name() {
    return "graphsaint";
  }

  @Override
  public String description() {
    return "adj_full.npz, feats.npy, class_map.json and role.json";
  }

  @Override
  public boolean isFolder() {
    return true;
  }

  @Override
  public boolean recognises(FormatProbe probe) {
    return probe.files().contains(GRAPH)
        && (probe.files().contains(CLASSES) || probe.files().contains(ROLES));
  }

  @Override
  public StreamedData stream(Path folder, ReadOptions options) {
    try (NpzFile npz = NpzFile.open(folder.resolve(GRAPH));
        DatasetDraft draft = new DatasetDraft(this, folder, options)) {
      npz.requireKnown(NpzMatrix.SCIPY, List.of());
      NpzMatrix adjacency = new NpzMatrix(npz, "");
      int n = adjacency.vertices();
      classes(folder.resolve(CLASSES), n, draft);
      draft.split(roles(folder.resolve(ROLES), n));
      draft.matrix(n, adjacency.arcs(n));
      draft.features(() -> NpyRows.of(NpyStream.open(folder.resolve(FEATURES)), n));
      return draft.stream(String.valueOf(folder.toAbsolutePath().normalize().getFileName()));
    }
  }

  private static void classes(Path file, int n, DatasetDraft draft) {
    ClassMap map = new ClassMap(file, n, draft);
    JsonTokens.read(file, map::read);
    map.finish();
  }

  /// The classes or the labels of each vertex, of which the first says which they are.
  private static final class ClassMap {
    private final Path file;
    private final DatasetDraft draft;
    private final int[] classes;
    private final int most;
    private final List<Float> row = new ArrayList<>();
    private @Nullable TargetValues labels;
    private boolean single;

    ClassMap(Path file, int n, DatasetDraft draft) {
      this.file = file;
      this.draft = draft;
      classes = new int[n];
      Arrays.fill(classes, GraphData.UNLABELLED);
      most = Math.min(n, DatasetDraft.MOST_CLASSES) - 1;
    }

    void read(JsonTokens json) {
      while (json.nextKey()) {
        int v = json.vertexKey(classes.length);
        json.next();
        if (json.isArray()) {
          several(json, v);
        } else {
          single(json, v);
        }
      }
    }

    private void single(JsonTokens json, int v) {
      if (labels != null) {
        throw json.wrong("a list for each vertex", "one class for vertex " + v);
      }
      long label = json.count("a class of vertex " + v);
      if (label > most) {
        throw json.wrong("a class in 0..%d".formatted(most));
      }
      single = true;
      classes[v] = (int) label;
    }

    private void several(JsonTokens json, int v) {
      if (single) {
        throw json.wrong("one class for each vertex", "a list for vertex " + v);
      }
      row.clear();
      while (json.nextElement()) {
        long label = json.count("0 or 1 for each label of vertex " + v);
        if (label > 1) {
          throw json.wrong("0 or 1 for each label of vertex " + v);
        }
        row.add((float) label);
      }
      if (labels == null) {
        labels = TargetValues.unknown(file.toString(), draft.arena(), classes.length, row.size());
      }
      if (row.size() != labels.columns()) {
        throw json.wrong(
            "%d labels of each vertex".formatted(labels.columns()),
            "%d for vertex %d".formatted(row.size(), v));
      }
      for (int t = 0; t < row.size(); t++) {
        labels.set(v, t, row.get(t));
      }
    }

    void finish() {
      if (labels != null) {
        draft.targets(labels.targets(Task.MULTI_LABEL, List.of()));
        return;
      }
      int count = Arrays.stream(classes).max().orElse(GraphData.UNLABELLED) + 1;
      draft.labels(classes, DatasetDraft.numbered(file.toString(), count));
    }
  }

  private static byte[] roles(Path file, int n) {
    byte[] split = new byte[n];
    JsonTokens.read(
        file,
        json -> {
          while (json.nextKey()) {
            Split part = PARTS.get(json.key());
            if (part == null) {
              throw json.wrong("'tr', 'va' or 'te'", "'" + json.key() + "'");
            }
            json.requireArray("an array of vertices");
            while (json.nextElement()) {
              long v = json.count("a vertex id");
              if (v >= n) {
                throw json.wrong("a vertex id in 0..%d".formatted(n - 1));
              }
              if (split[(int) v] != Split.NONE.code()) {
                throw json.wrong("each vertex once, in one part", v + " again");
              }
              split[(int) v] = part.code();
            }
          }
        });
    return split;
  }
}
