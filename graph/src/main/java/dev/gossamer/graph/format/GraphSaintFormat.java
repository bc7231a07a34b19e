package dev.gossamer.graph.format;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// Folders of GraphSAINT (Zeng, Zhou, Srivastava, Kannan, Prasanna 2020):
/// - `adj_full.npz`: the adjacency matrix, as scipy saves it;
/// - `feats.npy`: features, `n x f`;
/// - `class_map.json`: one object; key = vertex id, value = its class;
/// - `role.json`: one object; keys `tr`, `va` and `te`, values = the vertices of each part.
///
/// `adj_train.npz`, the matrix between training vertices, follows from these and is not read.
/// Vertices with a list of classes are refused: they are of multi-label data. Undirected and
/// without self loops, unless the options say directed.
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
    int[] labels = new int[n];
    Arrays.fill(labels, GraphData.UNLABELLED);
    int most = Math.min(n, DatasetDraft.MOST_CLASSES) - 1;
    JsonTokens.read(
        file,
        json -> {
          while (json.nextKey()) {
            int v = json.vertexKey(n);
            json.next();
            if (json.isArray()) {
              throw json.wrong(ClassLabels.ONE_CLASS, "a list for vertex " + v);
            }
            long label = json.count("a class of vertex " + v);
            if (label > most) {
              throw json.wrong("a class in 0..%d".formatted(most));
            }
            labels[v] = (int) label;
          }
        });
    int classes = Arrays.stream(labels).max().orElse(GraphData.UNLABELLED) + 1;
    draft.labels(labels, DatasetDraft.numbered(file.toString(), classes));
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
