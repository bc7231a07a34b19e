package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import dev.gossamer.graph.format.DatasetDraft.Given;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `.npz` archives (zip files of numpy arrays, stored or deflated) in one of two layouts.
///
/// Sparse pairs (github `shchur/gnn-benchmark`): `adj_indptr`, `adj_indices`, `adj_shape` are the
/// adjacency matrix in compressed sparse rows, `adj_data` its values, which become weights unless
/// all are 1; `attr_indptr`, `attr_indices`, `attr_data`, `attr_shape` the features, or
/// `attr_matrix`; `labels`; perhaps `node_names`, `attr_names` and `class_names`. No split.
///
/// Edges and masks (github `yandex-research/heterophilous-graphs`): `edges` (integers, `m x 2`),
/// each undirected edge once; perhaps `edge_weights` (`m`); `node_features` (`n x f`);
/// `node_labels` (`n`); perhaps `node_names` and `class_names`; perhaps `train_masks`, `val_masks`,
/// `test_masks` (truth values, `splits x n`), of which the options choose one.
///
/// Arrays of other names are refused, so that no data are dropped silently.
///
/// Undirected and without self loops, unless the options say directed. Labels may be -1 for none.
final class NpzFormat implements GraphFormat {
  private static final List<String> SPARSE_PAIRS =
      List.of(
          "adj_data",
          "adj_indices",
          "adj_indptr",
          "adj_shape",
          "attr_data",
          "attr_indices",
          "attr_indptr",
          "attr_matrix",
          "attr_names",
          "attr_shape",
          "class_names",
          "labels",
          "node_names");

  /// Pickled objects of published archives, with nothing that a graph needs.
  private static final List<String> NOT_READ =
      List.of("idx_to_attr", "idx_to_class", "idx_to_node", "metadata");

  private static final List<String> EDGES_AND_MASKS =
      List.of(
          "class_names",
          "edge_weights",
          "edges",
          "node_features",
          "node_labels",
          "node_names",
          "test_masks",
          "train_masks",
          "val_masks");

  @Override
  public String name() {
    return "npz";
  }

  @Override
  public String description() {
    return "an .npz archive of numpy arrays, in one of two layouts";
  }

  @Override
  public boolean isFolder() {
    return false;
  }

  @Override
  public boolean hasSplits() {
    return true;
  }

  @Override
  public List<String> endings() {
    return List.of("npz");
  }

  @Override
  public boolean recognises(FormatProbe probe) {
    return probe.startsWith("PK\003\004") || probe.startsWith("PK\005\006");
  }

  @Override
  public GraphData read(Path file, ReadOptions options) {
    try (NpzFile npz = NpzFile.open(file);
        DatasetDraft draft = new DatasetDraft(this, file, options)) {
      Reading reader = new Reading(npz, draft, options);
      if (npz.has("edges")) {
        reader.edgesAndMasks();
      } else if (npz.has("adj_indptr")) {
        reader.sparsePairs();
      } else {
        throw new InvalidInputException(
            "%s: expected members edges.npy or adj_indptr.npy, found neither".formatted(file));
      }
      return draft.finish(Datasets.nameOf(file));
    }
  }

  /// One archive that is being read.
  private static final class Reading {
    private final NpzFile npz;
    private final DatasetDraft draft;
    private final ReadOptions options;

    private Reading(NpzFile npz, DatasetDraft draft, ReadOptions options) {
      this.npz = npz;
      this.draft = draft;
      this.options = options;
    }

    private void requireKnown(List<String> known) {
      for (String name : npz.names()) {
        if (!known.contains(name) && !NOT_READ.contains(name)) {
          throw new InvalidInputException(
              "%s: expected one of %s, found another; rename it or leave it out"
                  .formatted(npz.where(name), String.join(", ", known)));
        }
      }
    }

    private void sparsePairs() {
      requireKnown(SPARSE_PAIRS);
      int n = dimension("adj_shape", 0);
      int cols = dimension("adj_shape", 1);
      if (cols != n) {
        throw new InvalidInputException(
            "%s: expected a square matrix, found %d x %d"
                .formatted(npz.where("adj_shape"), n, cols));
      }
      NpyArray pointers = pointers("adj", n);
      DatasetDraft.size(npz.where("adj_shape"), "vertices", n, npz.bytes());
      labels(npz.array("labels"), n);
      NpyArray columns = npz.array("adj_indices").integers();
      requireEntries("adj", pointers, n, columns.size());
      requireIds(columns, n, "a vertex");
      Weights weights = new Weights("adj_data", columns.size());
      try (ArcBuffer arcs = new ArcBuffer(weights.any())) {
        for (int v = 0; v < n; v++) {
          for (long e = pointers.integer(v); e < pointers.integer(v + 1L); e++) {
            arcs.add(v, (int) columns.integer(e), weights.of(e));
          }
        }
        matrix(n, arcs);
      }
      if (npz.has("attr_indptr")) {
        draft.features(sparseFeatures(n));
      } else if (npz.has("attr_matrix")) {
        draft.features(denseFeatures("attr_matrix", n));
      }
      npz.find("attr_names").ifPresent(this::featureNames);
      vertexNames(n);
      requireNoSplitIndex(npz.where("labels"));
    }

    /// A weighted matrix that is its own mirror image has the weight of each edge twice, which must
    /// not be added.
    private void matrix(int n, ArcBuffer arcs) {
      boolean directed = options.directedOr(false);
      draft.graph(n, arcs, !directed && !arcs.weighted());
      if (!directed && arcs.weighted()) {
        boolean mirrored = ArrayChecks.isSymmetric(draft.adjacency());
        draft.undirectedGraph(n, arcs, mirrored ? Given.BOTH_WAYS : Given.AS_ARCS);
      }
    }

    private void featureNames(NpyArray names) {
      int width = draft.width();
      if (names.size() != width) {
        throw names.wrong(
            "header",
            "%d names, as there are features".formatted(width),
            Long.toString(names.size()));
      }
      draft.featureNames(names.texts());
    }

    private void vertexNames(int n) {
      npz.find("node_names").ifPresent(names -> draft.vertexNames(rows(names, n).texts()));
    }

    /// The weights of edges; each is 1 if the archive has none, or no other.
    private final class Weights {
      private final @Nullable NpyArray stored;

      Weights(String member, long edges) {
        NpyArray array = npz.find(member).map(found -> numbers(found, edges)).orElse(null);
        boolean ones = true;
        for (long e = 0; array != null && e < edges; e++) {
          float weight = (float) array.real(e);
          if (!Float.isFinite(weight)) {
            throw array.wrong("element " + e, "a finite weight", Double.toString(array.real(e)));
          }
          ones &= weight == 1f;
        }
        stored = ones ? null : array;
      }

      boolean any() {
        return stored != null;
      }

      float of(long edge) {
        return stored == null ? 1f : (float) stored.real(edge);
      }

      private static NpyArray numbers(NpyArray array, long edges) {
        if (array.isText() || array.shape().size() != 1) {
          throw array.wrong(
              "header", "numbers of one dimension", array.type() + " " + array.shape());
        }
        return rows(array, edges);
      }
    }

    private void requireNoSplitIndex(String where) {
      if (options.splitIndex() > 0) {
        throw new InvalidSettingException(
            "%s: {splitIndex}: expected 0, as the file has no splits, found %d"
                .formatted(where, options.splitIndex()));
      }
    }

    private int dimension(String shapeMember, int index) {
      NpyArray shape = npz.array(shapeMember).integers();
      if (shape.size() != 2) {
        throw shape.wrong("header", "two sizes", shape.shape().toString());
      }
      long size = shape.integer(index);
      if (size < 0 || size > Integer.MAX_VALUE) {
        throw shape.wrong("element " + index, "a size in 0..2147483647", Long.toString(size));
      }
      return (int) size;
    }

    private NpyArray pointers(String prefix, int rows) {
      NpyArray pointers = npz.array(prefix + "_indptr").integers();
      if (pointers.size() != rows + 1L) {
        throw pointers.wrong(
            "header",
            "%d row pointers, as %s_shape says".formatted(rows + 1L, prefix),
            Long.toString(pointers.size()));
      }
      return pointers;
    }

    private void requireEntries(String prefix, NpyArray pointers, int rows, long entries) {
      long previous = 0;
      for (int i = 0; i <= rows; i++) {
        long pointer = pointers.integer(i);
        if (pointer < previous || pointer > entries || (i == 0 && pointer != 0)) {
          throw pointers.wrong(
              "element " + i,
              i == 0 ? "0" : "a row pointer in %d..%d".formatted(previous, entries),
              Long.toString(pointer));
        }
        previous = pointer;
      }
      if (previous != entries) {
        throw pointers.wrong(
            "element " + rows,
            "%d, as %s_indices has elements".formatted(entries, prefix),
            Long.toString(previous));
      }
    }

    /// Checks all ids before anything is allocated for them.
    private static void requireIds(NpyArray ids, int count, String what) {
      for (long element = 0; element < ids.size(); element++) {
        long id = ids.integer(element);
        if (id < 0 || id >= count) {
          throw ids.wrong(
              "element " + element, "%s in 0..%d".formatted(what, count - 1), Long.toString(id));
        }
      }
    }

    private CsrMatrix sparseFeatures(int n) {
      int rows = dimension("attr_shape", 0);
      int width = dimension("attr_shape", 1);
      if (rows != n || width < 1) {
        throw new InvalidInputException(
            "%s: expected %d rows and at least 1 column, found %d x %d"
                .formatted(npz.where("attr_shape"), n, rows, width));
      }
      NpyArray pointers = pointers("attr", n);
      NpyArray columns = npz.array("attr_indices").integers();
      requireEntries("attr", pointers, n, columns.size());
      requireIds(columns, width, "a feature");
      NpyArray data = rows(npz.array("attr_data"), columns.size());
      // Rows are not always sorted: the builder of graphs would need as many vertices as features.
      SparseFeatureRows x = new SparseFeatureRows(draft.arena(), n, width, columns.size());
      for (int v = 0; v < n; v++) {
        for (long e = pointers.integer(v); e < pointers.integer(v + 1L); e++) {
          int feature = (int) columns.integer(e);
          float value = (float) data.real(e);
          if (!Float.isFinite(value)) {
            throw ArrayChecks.notFinite(data.where(), v, feature, value);
          }
          x.add(feature, value);
        }
        int repeated = x.endRow();
        if (repeated >= 0) {
          throw columns.wrong("row " + v, "distinct features", repeated + " twice");
        }
      }
      return x.matrix();
    }

    private DenseMatrix denseFeatures(String member, int n) {
      NpyArray x = rows(npz.array(member), n);
      if (x.shape().size() != 2 || x.shape().get(1) < 1 || x.shape().get(1) > Integer.MAX_VALUE) {
        throw x.wrong("header", "shape (%d, f)".formatted(n), x.shape().toString());
      }
      int width = x.shape().get(1).intValue();
      DenseMatrix matrix = DenseMatrix.allocate(draft.arena(), n, width);
      for (int v = 0; v < n; v++) {
        for (int f = 0; f < width; f++) {
          matrix.set(v, f, (float) x.real((long) v * width + f));
        }
      }
      ArrayChecks.denseFeatures(x.where(), matrix.data(), width);
      return matrix;
    }

    /// Checks the first size of an array.
    private static NpyArray rows(NpyArray array, long rows) {
      if (array.shape().isEmpty() || array.shape().getFirst() != rows) {
        throw array.wrong("header", rows + " rows", array.shape().toString());
      }
      return array;
    }

    private void labels(NpyArray array, int n) {
      NpyArray stored = rows(array.integers(), n);
      List<String> names = npz.has("class_names") ? npz.array("class_names").texts() : List.of();
      long most = names.isEmpty() ? Math.min(n, DatasetDraft.MOST_CLASSES) : names.size();
      int[] labels = new int[n];
      int classes = names.size();
      for (int v = 0; v < n; v++) {
        long label = stored.integer(v);
        if (label < GraphData.UNLABELLED || label >= most) {
          throw stored.wrong(
              "element " + v,
              "a class in 0..%d, or -1 for none".formatted(most - 1),
              Long.toString(label));
        }
        labels[v] = (int) label;
        classes = Math.max(classes, labels[v] + 1);
      }
      draft.labels(
          labels, names.isEmpty() ? DatasetDraft.numbered(stored.where(), classes) : names);
    }

    private void edgesAndMasks() {
      requireKnown(EDGES_AND_MASKS);
      NpyArray stored = npz.array("node_labels").integers();
      int n = DatasetDraft.size(stored.where(), "vertices", stored.size(), npz.bytes());
      labels(stored, n);
      if (npz.has("train_masks")) {
        draft.split(masks(n));
      } else {
        requireNoSplitIndex(npz.where("edges"));
      }
      NpyArray edges = npz.array("edges");
      if (!edges.isInteger() || edges.shape().size() != 2 || edges.shape().get(1) != 2) {
        throw edges.wrong("header", "integers of shape (m, 2)", edges.shape().toString());
      }
      requireIds(edges, n, "a vertex");
      Weights weights = new Weights("edge_weights", edges.size() / 2);
      try (ArcBuffer arcs = new ArcBuffer(weights.any())) {
        for (long e = 0; e < edges.size(); e += 2) {
          arcs.add((int) edges.integer(e), (int) edges.integer(e + 1), weights.of(e / 2));
        }
        draft.graph(n, arcs, !options.directedOr(false));
      }
      draft.features(denseFeatures("node_features", n));
      vertexNames(n);
    }

    private byte[] masks(int n) {
      byte[] split = new byte[n];
      mask("train_masks", Split.TRAIN, split);
      mask("val_masks", Split.VALIDATION, split);
      mask("test_masks", Split.TEST, split);
      draft.fact("split", Integer.toString(options.splitIndex()));
      return split;
    }

    private void mask(String member, Split part, byte[] split) {
      NpyArray masks = npz.array(member);
      if (!masks.isInteger() || masks.shape().size() != 2 || masks.shape().get(1) != split.length) {
        throw masks.wrong(
            "header",
            "truth values of shape (splits, %d)".formatted(split.length),
            masks.shape().toString());
      }
      if (options.splitIndex() >= masks.shape().getFirst()) {
        throw new InvalidSettingException(
            "%s: {splitIndex}: expected one in 0..%d, found %d"
                .formatted(masks.where(), masks.shape().getFirst() - 1, options.splitIndex()));
      }
      long begin = (long) options.splitIndex() * split.length;
      for (int v = 0; v < split.length; v++) {
        if (masks.integer(begin + v) != 0) {
          if (split[v] != 0) {
            throw masks.wrong("vertex " + v, "a vertex of one part only", "one of two parts");
          }
          split[v] = part.code();
        }
      }
    }
  }
}
