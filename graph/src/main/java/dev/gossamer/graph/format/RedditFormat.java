package dev.gossamer.graph.format;

import java.nio.file.Path;
import java.util.List;

/// The folder of Reddit posts in the layout of DGL (Hamilton, Ying, Leskovec 2017):
/// - `NAME_data.npz`: `feature` (`n x f`), `label` (`n`), `node_types` (`n`; 1 train, 2 validation,
///   3 test, 0 none) and `node_ids`, which is not read: row = vertex;
/// - `NAME_graph.npz`: the adjacency matrix, as scipy saves it.
///
/// Undirected and without self loops, unless the options say directed.
final class RedditFormat implements StreamedFormat {
  private static final String DATA = "_data.npz";
  private static final String GRAPH = "_graph.npz";
  private static final List<String> ARRAYS = List.of("feature", "label", "node_ids", "node_types");

  @Override
  public String name() {
    return "reddit";
  }

  @Override
  public String description() {
    return "NAME_data.npz and NAME_graph.npz";
  }

  @Override
  public boolean isFolder() {
    return true;
  }

  @Override
  public boolean recognises(FormatProbe probe) {
    return probe.files().stream().anyMatch(file -> file.endsWith(DATA))
        && probe.files().stream().anyMatch(file -> file.endsWith(GRAPH));
  }

  @Override
  public StreamedData stream(Path folder, ReadOptions options) {
    Path data = Datasets.only(folder, DATA);
    Path graph = Datasets.only(folder, GRAPH);
    try (NpzFile arrays = NpzFile.open(data);
        NpzFile matrix = NpzFile.open(graph);
        DatasetDraft draft = new DatasetDraft(this, folder, options)) {
      arrays.requireKnown(ARRAYS, List.of());
      matrix.requireKnown(NpzMatrix.SCIPY, List.of());
      NpzMatrix adjacency = new NpzMatrix(matrix, "");
      int n = adjacency.vertices();
      try (NpyStream labels = arrays.stream("label")) {
        draft.labels(ClassLabels.of(labels, n, List.of()));
      }
      draft.split(split(arrays.array("node_types").integers(), n));
      draft.matrix(n, adjacency.arcs(n));
      draft.features(() -> NpyRows.of(NpzFile.stream(data, "feature"), n));
      String name = String.valueOf(graph.getFileName());
      return draft.stream(name.substring(0, name.length() - GRAPH.length()));
    }
  }

  private static byte[] split(NpyArray types, int n) {
    if (types.size() != n) {
      throw types.wrong("header", n + " rows", types.shape().toString());
    }
    byte[] split = new byte[n];
    for (int v = 0; v < n; v++) {
      split[v] = (byte) Math.clamp(types.integer(v), -1, Byte.MAX_VALUE);
    }
    ArrayChecks.split(types.where(), split);
    return split;
  }
}
