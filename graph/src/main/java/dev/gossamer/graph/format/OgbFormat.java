package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.format.DatasetDraft.Given;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Folders of the Open Graph Benchmark (Hu et al. 2020) whose vertices have classes or labels, as
/// published. The parts are in `split/NAME/`: `train.csv.gz`, `valid.csv.gz`, `test.csv.gz`, a
/// vertex per line. The graph is in `raw/`, in one of two layouts.
///
/// Texts, gzipped, without headers: `num-node-list.csv.gz` and `num-edge-list.csv.gz` (one number),
/// `edge.csv.gz` (`source,target`), `node-feat.csv.gz` (the features of a vertex on each line),
/// `edge-feat.csv.gz` (those of an edge), `node-label.csv.gz` (one class on each line, or 1 or 0
/// for each of several labels).
///
/// Arrays: `data.npz` with `num_nodes_list`, `num_edges_list`, `edge_index` (`2 x m`), `node_feat`
/// (`n x f`), `edge_feat` (`m x d`); `node-label.npz` with `node_label` (`n x 1`, NaN for vertices
/// without a class; or `n x t` with 1 or 0 for each of several labels).
///
/// Texts of vertices of several types are read by [OgbTypedGraph].
///
/// Other files and arrays, such as the year of a paper, are not read, and are recorded as dropped.
/// Undirected and without self loops, unless the options say directed. Edges of products and
/// proteins, whose parts are named `sales_ranking` and `species`, have no direction.
final class OgbFormat implements StreamedFormat {
  private static final String RAW = "raw";
  private static final String SPLIT = "split";
  private static final String ARRAYS = "data.npz";
  private static final String EDGE_FEATURES = "edge-feat" + OgbTexts.ENDING;
  private static final String EDGE_FEATURE_ARRAY = "edge_feat";

  private static final Set<String> READ_TEXTS =
      Set.of("edge", "edge-feat", "node-feat", "node-label", "num-edge-list", "num-node-list");
  private static final Set<String> READ_ARRAYS =
      Set.of("edge_index", EDGE_FEATURE_ARRAY, "node_feat", "num_edges_list", "num_nodes_list");

  /// Splits of the data sets whose edges are given once, without directions.
  private static final Set<String> WITHOUT_DIRECTIONS = Set.of("sales_ranking", "species");

  @Override
  public String name() {
    return "ogb";
  }

  @Override
  public String description() {
    return "raw/edge.csv.gz, data.npz or triplet-type-list.csv.gz (Open Graph Benchmark)";
  }

  @Override
  public boolean isFolder() {
    return true;
  }

  @Override
  public boolean hasSplits() {
    return true;
  }

  @Override
  public boolean recognises(FormatProbe probe) {
    return Stream.of(OgbTexts.EDGES, ARRAYS, OgbTypedGraph.RELATIONS)
        .anyMatch(file -> probe.hasFile(RAW + "/" + file));
  }

  /// The files in the subfolders of a folder in this format; none for other folders.
  static List<Path> files(Path folder) {
    return Stream.of(RAW, SPLIT)
        .map(folder::resolve)
        .filter(Files::isDirectory)
        .flatMap(sub -> Datasets.filesBelow(sub).stream())
        .toList();
  }

  /// The folders of splits, in alphabetical order.
  private static List<Path> splits(Path folder) {
    Path all = folder.resolve(SPLIT);
    if (!Files.isDirectory(all)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(all)) {
      return entries.filter(Files::isDirectory).sorted().toList();
    } catch (IOException e) {
      throw InvalidInputException.unreadable(all, e);
    }
  }

  @Override
  public StreamedData stream(Path folder, ReadOptions options) {
    Path split = split(folder, options);
    Path raw = folder.resolve(RAW);
    try (DatasetDraft draft = new DatasetDraft(this, folder, options)) {
      if (Files.exists(raw.resolve(OgbTypedGraph.RELATIONS))) {
        OgbTypedGraph.read(raw, split, draft, options);
      } else {
        Reading reading = new Reading(raw, draft, options, withoutDirections(split));
        int n = Files.exists(raw.resolve(ARRAYS)) ? reading.arrays() : reading.texts();
        if (split != null) {
          byte[] parts = new byte[n];
          OgbTexts.parts(split, parts, 0, n);
          draft.split(parts);
        }
      }
      if (split != null) {
        draft.fact("split", String.valueOf(split.getFileName()));
      }
      return draft.stream(String.valueOf(folder.toAbsolutePath().normalize().getFileName()));
    }
  }

  /// The folder of the split that the options choose; null if there is none.
  private static @Nullable Path split(Path folder, ReadOptions options) {
    List<Path> splits = splits(folder);
    if (options.splitIndex() >= Math.max(1, splits.size())) {
      throw new InvalidSettingException(
          "%s: {splitIndex}: expected one in 0..%d, found %d"
              .formatted(
                  folder.resolve(SPLIT), Math.max(0, splits.size() - 1), options.splitIndex()));
    }
    return splits.isEmpty() ? null : splits.get(options.splitIndex());
  }

  private static boolean withoutDirections(@Nullable Path split) {
    return split != null && WITHOUT_DIRECTIONS.contains(String.valueOf(split.getFileName()));
  }

  /// One graph that is being read.
  ///
  /// @param raw folder of the graph
  /// @param once whether edges are given once, without directions
  private record Reading(Path raw, DatasetDraft draft, ReadOptions options, boolean once) {
    private void graph(int n, Arcs arcs) {
      boolean directed = options.directedOr(false);
      if (directed && once) {
        throw new InvalidInputException(
            "%s: expected a directed graph, found edges without directions".formatted(raw));
      }
      if (once) {
        draft.undirectedGraph(n, arcs, Given.ONCE);
      } else {
        draft.graph(n, arcs, !directed);
      }
    }

    int texts() {
      Path labels = raw.resolve(OgbTexts.LABELS);
      int n;
      try (FieldScanner in = new FieldScanner(labels)) {
        Path counted = raw.resolve("num-node-list" + OgbTexts.ENDING);
        n = DatasetDraft.size(counted.toString(), "vertices", OgbTexts.count(counted), in.bytes());
        if (hasSeveral(labels)) {
          draft.targets(TargetValues.of(draft.arena(), in, n).targets(null, List.of()));
        } else {
          draft.labels(ClassLabels.of(in, n));
        }
      }
      Path edges = raw.resolve(OgbTexts.EDGES);
      try (ArcBuffer arcs = new ArcBuffer(false);
          FieldScanner in = new FieldScanner(edges, options.progress())) {
        in.separator(',');
        arcs.addLines(in, n);
        OgbTexts.requireEdges(
            edges.toString(), arcs.size(), OgbTexts.count(raw.resolve(OgbTexts.EDGE_COUNT)));
        graph(n, arcs);
        Path ofEdges = raw.resolve(EDGE_FEATURES);
        if (Files.exists(ofEdges)) {
          try (FileRows rows = TextRows.open(ofEdges, arcs.size(), "edge")) {
            draft.edgeFeatures(ofEdges.toString(), arcs, rows);
          }
        }
      }
      Path features = raw.resolve(OgbTexts.FEATURES);
      if (Files.exists(features)) {
        draft.features(() -> TextRows.open(features, n, "vertex"));
      }
      OgbTexts.dropOthers(draft, Datasets.filesIn(raw), READ_TEXTS);
      return n;
    }

    /// Whether each vertex has several labels.
    private static boolean hasSeveral(Path labels) {
      try (FieldScanner in = new FieldScanner(labels)) {
        return in.nextLine() && in.lineHas(',');
      }
    }

    int arrays() {
      Path data = raw.resolve(ARRAYS);
      try (NpzFile npz = NpzFile.open(data)) {
        String counted = npz.where("num_nodes_list");
        int n = DatasetDraft.size(counted, "vertices", count(npz, "num_nodes_list"), npz.bytes());
        try (NpyStream labels = NpzFile.stream(raw.resolve("node-label.npz"), "node_label")) {
          draft.labels(labels, n, List.of());
        }
        FileArcs arcs = FileArcs.pairs(n, true, () -> npz.stream("edge_index"), null);
        OgbTexts.requireEdges(npz.where("edge_index"), arcs.size(), count(npz, "num_edges_list"));
        graph(n, arcs);
        if (npz.has(EDGE_FEATURE_ARRAY)) {
          try (FileRows rows = NpyRows.of(npz.stream(EDGE_FEATURE_ARRAY), arcs.size(), "edge")) {
            draft.edgeFeatures(npz.where(EDGE_FEATURE_ARRAY), arcs, rows);
          }
        }
        if (npz.has("node_feat")) {
          draft.features(() -> NpyRows.of(NpzFile.stream(data, "node_feat"), n));
        }
        npz.names().stream().filter(name -> !READ_ARRAYS.contains(name)).forEach(draft::dropped);
        return n;
      }
    }

    private static long count(NpzFile npz, String member) {
      NpyArray counts = npz.array(member).integers();
      if (counts.size() != 1) {
        throw counts.wrong("header", "the number of one graph", counts.shape().toString());
      }
      return counts.integer(0);
    }
  }
}
