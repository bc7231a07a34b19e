package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.Split;
import dev.gossamer.matrix.CsrMatrix;
import java.nio.file.Path;
import java.util.List;

/// `.npz` archives (zip files of numpy arrays, stored or deflated) in one of three layouts.
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
/// A matrix of scipy (`scipy.sparse.save_npz`): `format` (`csr`, `csc` or `coo`), `shape`, `data`,
/// which become weights unless all are 1, `indptr` and `indices`, or `row` and `col`. No features.
///
/// Arrays of other names are refused, so that no data are dropped silently.
///
/// Undirected and without self loops, unless the options say directed. Labels may be -1 for none.
final class NpzFormat implements StreamedFormat {
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
    return "an .npz archive of numpy arrays, in one of three layouts";
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
  public StreamedData stream(Path file, ReadOptions options) {
    try (NpzFile npz = NpzFile.open(file);
        DatasetDraft draft = new DatasetDraft(this, file, options)) {
      Reading reader = new Reading(file, npz, draft, options);
      if (npz.has("edges")) {
        reader.edgesAndMasks();
      } else if (npz.has("adj_indptr")) {
        reader.sparsePairs();
      } else if (npz.has("format") && npz.has("shape")) {
        reader.matrix();
      } else {
        throw new InvalidInputException(
            "%s: expected members edges.npy, adj_indptr.npy, or format.npy and shape.npy, found none"
                .formatted(file));
      }
      return draft.stream(Datasets.nameOf(file));
    }
  }

  /// One archive that is being read.
  private static final class Reading {
    private final Path file;
    private final NpzFile npz;
    private final DatasetDraft draft;
    private final ReadOptions options;

    private Reading(Path file, NpzFile npz, DatasetDraft draft, ReadOptions options) {
      this.file = file;
      this.npz = npz;
      this.draft = draft;
      this.options = options;
    }

    private void sparsePairs() {
      npz.requireKnown(SPARSE_PAIRS, NOT_READ);
      NpzMatrix adjacency = new NpzMatrix(npz, "adj_");
      int n = adjacency.vertices();
      FileArcs arcs = adjacency.rows(n);
      labels("labels", n);
      draft.matrix(n, arcs);
      if (npz.has("attr_indptr")) {
        draft.features(sparseFeatures(n));
      } else if (npz.has("attr_matrix")) {
        draft.features(() -> NpyRows.of(NpzFile.stream(file, "attr_matrix"), n));
      }
      npz.find("attr_names").ifPresent(this::featureNames);
      vertexNames(n);
      requireNoSplitIndex(npz.where("labels"));
    }

    private void matrix() {
      npz.requireKnown(NpzMatrix.SCIPY, List.of());
      NpzMatrix matrix = new NpzMatrix(npz, "");
      int n = matrix.vertices();
      draft.matrix(n, matrix.arcs(n));
      requireNoSplitIndex(npz.where("shape"));
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

    private void requireNoSplitIndex(String where) {
      if (options.splitIndex() > 0) {
        throw new InvalidSettingException(
            "%s: {splitIndex}: expected 0, as the file has no splits, found %d"
                .formatted(where, options.splitIndex()));
      }
    }

    private CsrMatrix sparseFeatures(int n) {
      NpzMatrix attributes = new NpzMatrix(npz, "attr_");
      int rows = attributes.dimension(0);
      int width = attributes.dimension(1);
      if (rows != n || width < 1) {
        throw new InvalidInputException(
            "%s: expected %d rows and at least 1 column, found %d x %d"
                .formatted(attributes.where("shape"), n, rows, width));
      }
      NpyArray pointers = attributes.pointers(n);
      NpyArray columns = npz.array("attr_indices").integers();
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

    /// Checks the first size of an array.
    private static NpyArray rows(NpyArray array, long rows) {
      if (array.shape().isEmpty() || array.shape().getFirst() != rows) {
        throw array.wrong("header", rows + " rows", array.shape().toString());
      }
      return array;
    }

    private void labels(String member, int n) {
      List<String> names = npz.has("class_names") ? classNames() : List.of();
      try (NpyStream stored = npz.stream(member)) {
        draft.labels(stored, n, names);
      }
    }

    private List<String> classNames() {
      NpyArray stored = npz.array("class_names");
      List<String> names = stored.texts();
      ArrayChecks.classNames(stored.where(), names);
      return names;
    }

    private static long rows(NpyStream stored) {
      return stored.shape().isEmpty() ? stored.size() : stored.shape().getFirst();
    }

    private int labelled(String member) {
      try (NpyStream stored = npz.stream(member)) {
        return DatasetDraft.size(stored.where(), "vertices", rows(stored), npz.bytes());
      }
    }

    private void edgesAndMasks() {
      npz.requireKnown(EDGES_AND_MASKS, NOT_READ);
      int n = labelled("node_labels");
      labels("node_labels", n);
      if (npz.has("train_masks")) {
        draft.split(masks(n));
      } else {
        requireNoSplitIndex(npz.where("edges"));
      }
      FileArcs arcs =
          FileArcs.pairs(
              n,
              false,
              () -> npz.stream("edges"),
              npz.has("edge_weights") ? () -> npz.stream("edge_weights") : null);
      draft.graph(n, arcs, !options.directedOr(false));
      draft.features(() -> NpyRows.of(NpzFile.stream(file, "node_features"), n));
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
