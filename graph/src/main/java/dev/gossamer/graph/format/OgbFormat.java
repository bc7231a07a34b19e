package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.format.DatasetDraft.Given;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
/// Other files and arrays, such as the year of a paper, are not read, and are recorded as dropped.
/// Undirected and without self loops, unless the options say directed. Edges of products and
/// proteins, whose parts are named `sales_ranking` and `species`, have no direction.
final class OgbFormat implements StreamedFormat {
  private static final String RAW = "raw";
  private static final String SPLIT = "split";
  private static final String EDGES = "edge.csv.gz";
  private static final String ARRAYS = "data.npz";
  private static final String FEATURES = "node-feat.csv.gz";
  private static final String EDGE_FEATURES = "edge-feat.csv.gz";
  private static final String EDGE_FEATURE_ARRAY = "edge_feat";
  private static final String TEXT = ".csv.gz";

  private static final Set<String> READ_TEXTS =
      Set.of("edge", "edge-feat", "node-feat", "node-label", "num-edge-list", "num-node-list");
  private static final Set<String> READ_ARRAYS =
      Set.of("edge_index", EDGE_FEATURE_ARRAY, "node_feat", "num_edges_list", "num_nodes_list");

  /// Splits of the data sets whose edges are given once, without directions.
  private static final Set<String> WITHOUT_DIRECTIONS = Set.of("sales_ranking", "species");

  private static final List<Map.Entry<String, Split>> PARTS =
      List.of(
          Map.entry("train", Split.TRAIN),
          Map.entry("valid", Split.VALIDATION),
          Map.entry("test", Split.TEST));

  @Override
  public String name() {
    return "ogb";
  }

  @Override
  public String description() {
    return "raw/edge.csv.gz or raw/data.npz (Open Graph Benchmark)";
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
    if (probe.hasFile(RAW + "/triplet-type-list.csv.gz")) {
      throw probe.refused("vertices of several types; choose a data set with one type");
    }
    return probe.hasFile(RAW + "/" + EDGES) || probe.hasFile(RAW + "/" + ARRAYS);
  }

  /// The files in the subfolders of a folder in this format; none for other folders.
  static List<Path> files(Path folder) {
    List<Path> files = new ArrayList<>();
    for (Path sub :
        Stream.concat(Stream.of(folder.resolve(RAW)), splits(folder).stream()).toList()) {
      if (Files.isDirectory(sub)) {
        files.addAll(Datasets.filesIn(sub));
      }
    }
    return files;
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
      Reading reading = new Reading(raw, draft, options, withoutDirections(split));
      int n = Files.exists(raw.resolve(ARRAYS)) ? reading.arrays() : reading.texts();
      if (split != null) {
        draft.split(parts(split, n));
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

  private static byte[] parts(Path folder, int n) {
    byte[] split = new byte[n];
    for (Map.Entry<String, Split> part : PARTS) {
      try (FieldScanner in = new FieldScanner(folder.resolve(part.getKey() + TEXT))) {
        while (in.nextLineWithout("")) {
          int v = (int) in.nextLong("a vertex id", 0, n - 1L);
          in.requireEndOfLine();
          if (split[v] != Split.NONE.code()) {
            throw in.wrong("each vertex once, in one part", v + " again");
          }
          split[v] = part.getValue().code();
        }
      }
    }
    return split;
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

    private void requireEdges(String where, long found, long expected) {
      if (found != expected) {
        throw new InvalidInputException(
            "%s: expected %d edges, found %d".formatted(where, expected, found));
      }
    }

    int texts() {
      Path labels = raw.resolve("node-label" + TEXT);
      int n;
      try (FieldScanner in = new FieldScanner(labels)) {
        Path counted = raw.resolve("num-node-list" + TEXT);
        n = DatasetDraft.size(counted.toString(), "vertices", count(counted), in.bytes());
        if (hasSeveral(labels)) {
          draft.targets(TargetValues.of(draft.arena(), in, n).targets(null, List.of()));
        } else {
          draft.labels(ClassLabels.of(in, n));
        }
      }
      Path edges = raw.resolve(EDGES);
      try (ArcBuffer arcs = new ArcBuffer(false);
          FieldScanner in = new FieldScanner(edges, options.progress())) {
        in.separator(',');
        arcs.addLines(in, n);
        requireEdges(edges.toString(), arcs.size(), count(raw.resolve("num-edge-list" + TEXT)));
        graph(n, arcs);
        Path ofEdges = raw.resolve(EDGE_FEATURES);
        if (Files.exists(ofEdges)) {
          try (FileRows rows = TextRows.open(ofEdges, arcs.size(), "edge")) {
            draft.edgeFeatures(ofEdges.toString(), arcs, rows);
          }
        }
      }
      Path features = raw.resolve(FEATURES);
      if (Files.exists(features)) {
        draft.features(() -> TextRows.open(features, n, "vertex"));
      }
      for (Path file : Datasets.filesIn(raw)) {
        String name = String.valueOf(file.getFileName());
        if (name.endsWith(TEXT)) {
          dropUnless(READ_TEXTS, name.substring(0, name.length() - TEXT.length()));
        }
      }
      return n;
    }

    /// Whether each vertex has several labels.
    private static boolean hasSeveral(Path labels) {
      try (FieldScanner in = new FieldScanner(labels)) {
        return in.nextLine() && in.lineHas(',');
      }
    }

    private static long count(Path file) {
      try (FieldScanner in = new FieldScanner(file)) {
        if (!in.nextLineWithout("")) {
          throw in.wrong("the number of one graph", "the end of the file");
        }
        in.rewind();
        long count = in.nextLong("the number of one graph", 0, Long.MAX_VALUE);
        in.requireEndOfLine();
        in.requireEndOfFile();
        return count;
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
        requireEdges(npz.where("edge_index"), arcs.size(), count(npz, "num_edges_list"));
        graph(n, arcs);
        if (npz.has(EDGE_FEATURE_ARRAY)) {
          try (FileRows rows = NpyRows.of(npz.stream(EDGE_FEATURE_ARRAY), arcs.size(), "edge")) {
            draft.edgeFeatures(npz.where(EDGE_FEATURE_ARRAY), arcs, rows);
          }
        }
        if (npz.has("node_feat")) {
          draft.features(() -> NpyRows.of(NpzFile.stream(data, "node_feat"), n));
        }
        npz.names().forEach(name -> dropUnless(READ_ARRAYS, name));
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

    private void dropUnless(Set<String> read, String name) {
      if (!read.contains(name)) {
        draft.dropped(name);
      }
    }
  }
}
