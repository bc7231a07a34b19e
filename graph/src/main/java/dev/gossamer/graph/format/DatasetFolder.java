package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.Resources;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.base.io.Checksums;
import dev.gossamer.base.io.InputFile;
import dev.gossamer.base.io.NpyFile;
import dev.gossamer.base.io.NpyHeader;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.EdgeTimes;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.GraphTypes;
import dev.gossamer.graph.Targets;
import dev.gossamer.graph.Task;
import dev.gossamer.graph.format.DatasetJson.FeatureKind;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The data set folder: `dataset.json` and plain `.npy` arrays that numpy reads and writes.
///
/// | file | type | shape | |
/// |---|---|---|---|
/// | `row_ptr.npy` | int64 | n + 1 | row pointers of `A`, row = source |
/// | `col_idx.npy` | int32 | arcs | column ids, strictly ascending in each row |
/// | `edge_values.npy` | float32 | arcs | edge weights; absent: unweighted |
/// | `edge_types.npy` | int32 | arcs | bit `t`: an edge of type `t`; only of several types |
/// | `edge_times.npy` | float64 | arcs | time of each edge; absent: not known |
/// | `edge_features.npy` | float32 | arcs, d | features of each edge; absent: none |
/// | `features.npy` | float32 | n, f | dense features |
/// | `x_row_ptr.npy`, `x_col_idx.npy` | int64, int32 | n + 1; nnz | sparse features |
/// | `x_values.npy` | float32 | nnz | absent: every stored feature is 1 |
/// | `labels.npy` | int32 | n | class of each vertex, -1 none; absent: no labels |
/// | `targets.npy` | float32 | n, t | in place of labels: 1 or 0 for each of several labels, or numbers to predict; NaN not known |
/// | `split.npy` | int8 | n | 0 none, 1 train, 2 validation, 3 test; absent: no split |
/// | `vertices.txt` | UTF-8 | n lines | name of each vertex; absent: `0..n-1` |
/// | `features.txt` | UTF-8 | f lines | name of each feature; absent: not known |
/// | `edge_features.txt` | UTF-8 | d lines | name of each feature of edges; absent: not known |
/// | `SHA256SUMS` | text | | SHA-256 and name of each of the other files; absent: not verifiable |
///
/// Specified in full in `docs/formats.md`.
public final class DatasetFolder {
  static final String VERTICES = "vertices.txt";
  static final String FEATURES = "features.txt";
  static final String EDGE_TYPES = "edge_types.npy";
  static final String EDGE_TIMES = "edge_times.npy";
  static final String EDGE_FEATURES = "edge_features.npy";
  static final String EDGE_FEATURE_NAMES = "edge_features.txt";
  static final String LABELS = "labels.npy";
  static final String TARGETS = "targets.npy";

  private static final Set<String> FILES =
      Set.of(
          DatasetJson.FILE,
          "row_ptr.npy",
          "col_idx.npy",
          "edge_values.npy",
          EDGE_TYPES,
          EDGE_TIMES,
          EDGE_FEATURES,
          EDGE_FEATURE_NAMES,
          "features.npy",
          "x_row_ptr.npy",
          "x_col_idx.npy",
          "x_values.npy",
          LABELS,
          TARGETS,
          "split.npy",
          VERTICES,
          FEATURES);

  private static final long BLOCK_BYTES = 8L << 20;

  /// Files up to this size are hashed quickly: labels and split of tens of millions of vertices.
  private static final long SMALL = 64L << 20;

  private DatasetFolder() {}

  /// {@return whether a path is a folder with a `dataset.json`}
  ///
  /// @param path a path that may not exist
  public static boolean isDatasetFolder(Path path) {
    return Files.isRegularFile(path.resolve(DatasetJson.FILE));
  }

  /// Opens a folder. Arrays are memory-mapped and every element is validated: pointers ascend, ids
  /// are in range and ascend, an undirected graph is symmetric, labels and split codes are in
  /// range, features and weights are finite. If the folder has checksums, all listed files must
  /// exist, so that missing labels or splits are detected. Cost: one pass over the files, on all
  /// processors.
  ///
  /// @param folder the data set folder
  /// @return a data set to close; it may be used from any thread
  /// @throws InvalidInputException naming file, position, and the expected and actual content
  public static GraphData open(Path folder) {
    Objects.requireNonNull(folder, "folder");
    return InputFile.reading(folder, () -> opened(folder));
  }

  private static GraphData opened(Path folder) {
    DatasetJson json = DatasetJson.read(folder);
    return Resources.handedOver(
        Arena.ofShared(),
        arena -> {
          GraphData d = new Reading(folder, json, arena).dataset();
          if (Checksums.in(folder)) {
            Checksums.read(folder).requireFiles();
          }
          return d;
        });
  }

  /// Compares every file of a folder with its checksum. Names of vertices and of features may have
  /// been added later. Cost: one pass over the files.
  ///
  /// @param folder the data set folder
  /// @throws InvalidInputException if a file is missing, unexpected or different; or if the folder
  ///   has no checksums
  public static void verify(Path folder) {
    if (!Checksums.in(folder)) {
      throw new InvalidInputException(
          "%s: expected %s to compare the files with, found none; convert the data set to have it"
              .formatted(folder, Checksums.FILE));
    }
    Checksums.read(folder).check(Long.MAX_VALUE, Set.of(VERTICES, FEATURES, EDGE_FEATURE_NAMES));
  }

  /// Compares files of at most 64 MiB, including labels, split and names, with their checksums; a
  /// cache does this on every use.
  ///
  /// @param folder the data set folder
  /// @throws InvalidInputException as in [#verify], and if names were added
  public static void verifySmallFiles(Path folder) {
    Checksums.read(folder).check(SMALL, Set.of());
  }

  private record Reading(Path folder, DatasetJson json, Arena arena) {
    GraphData dataset() {
      int n = json.vertices();
      CsrMatrix a = matrix("row_ptr.npy", "col_idx.npy", "edge_values.npy", n, json.arcs());
      ArrayChecks.edgeValues(where("edge_values.npy"), a);
      if (!json.info().directed()) {
        ArrayChecks.symmetric(where("col_idx.npy"), a);
      }
      GraphData graph =
          GraphData.of(arena, json.info(), a)
              .withFeatures(features())
              .withFeatureNames(names(FEATURES, json.width(), "feature"));
      return withTruth(graph)
          .withSplit(split())
          .withVertexNames(names(VERTICES, json.vertices(), "vertex"))
          .withTypes(types())
          .withTimes(times(a))
          .withEdgeFeatures(edgeFeatures(a));
    }

    private @Nullable GraphTypes types() {
      if (json.vertexTypes().isEmpty()) {
        return null;
      }
      int count = json.edgeTypes().size();
      MemorySegment masks = null;
      if (count > 1) {
        masks = array(EDGE_TYPES, NpyFile.Type.INT32, json.arcs());
        ArrayChecks.edgeTypes(where(EDGE_TYPES), masks, count);
      }
      return new GraphTypes(json.vertexTypes(), json.edgeTypes(), masks);
    }

    private @Nullable EdgeTimes times(CsrMatrix a) {
      EdgeTimes.Unit unit = json.edgeTimes();
      if (unit == null) {
        return null;
      }
      EdgeTimes times = new EdgeTimes(unit, array(EDGE_TIMES, NpyFile.Type.FLOAT64, json.arcs()));
      ArrayChecks.edgeTimes(where(EDGE_TIMES), a, times, json.info().directed());
      return times;
    }

    private @Nullable EdgeFeatures edgeFeatures(CsrMatrix a) {
      int width = json.edgeWidth();
      if (width == 0) {
        return null;
      }
      MemorySegment data = array(EDGE_FEATURES, NpyFile.Type.FLOAT32, json.arcs(), width);
      DenseMatrix x = DenseMatrix.wrap(data, json.arcs(), width);
      ArrayChecks.edgeFeatures(where(EDGE_FEATURES), a, x, json.info().directed());
      List<String> names = names(EDGE_FEATURE_NAMES, width, "feature of edges");
      return new EdgeFeatures(x, names == null ? List.of() : names);
    }

    private CsrMatrix matrix(
        String pointersFile, String columnsFile, String valuesFile, int cols, long nnz) {
      MemorySegment pointers = array(pointersFile, NpyFile.Type.INT64, json.vertices() + 1L);
      ArrayChecks.rowPointers(where(pointersFile), pointers, nnz);
      MemorySegment columns = array(columnsFile, NpyFile.Type.INT32, nnz);
      MemorySegment values = has(valuesFile) ? array(valuesFile, NpyFile.Type.FLOAT32, nnz) : null;
      CsrMatrix matrix = CsrMatrix.wrap(json.vertices(), cols, pointers, columns, values);
      ArrayChecks.columns(where(columnsFile), matrix);
      return matrix;
    }

    private Features features() {
      return switch (json.features()) {
        case NONE -> new Features.None();
        case DENSE -> {
          MemorySegment x = denseFeatures();
          ArrayChecks.denseFeatures(where("features.npy"), x, json.width());
          yield new Features.Dense(DenseMatrix.wrap(x, json.vertices(), json.width()));
        }
        case SPARSE -> {
          CsrMatrix x =
              matrix("x_row_ptr.npy", "x_col_idx.npy", "x_values.npy", json.width(), json.nnz());
          ArrayChecks.sparseFeatures(where("x_values.npy"), x);
          yield new Features.Sparse(x);
        }
      };
    }

    /// Maps dense features, or reads those that numpy saved in Fortran order.
    private MemorySegment denseFeatures() {
      Path file = folder.resolve("features.npy");
      NpyHeader header = NpyFile.header(file);
      if (!header.fortranOrder()) {
        return array("features.npy", NpyFile.Type.FLOAT32, json.vertices(), json.width());
      }
      header.expect(file.toString(), NpyFile.Type.FLOAT32, json.vertices(), json.width());
      return NpyArray.read(arena, file).data();
    }

    private GraphData withTruth(GraphData graph) {
      if (json.task() == Task.CLASSIFICATION) {
        requireNone(TARGETS, "without");
        return graph.withLabels(labels());
      }
      requireNone(LABELS, "beside");
      int width = json.targets().size();
      MemorySegment values = array(TARGETS, NpyFile.Type.FLOAT32, json.vertices(), width);
      ArrayChecks.targets(where(TARGETS), values, width, json.task());
      return graph.withTargets(
          new Targets(
              json.task(), DenseMatrix.wrap(values, json.vertices(), width), json.targets()));
    }

    private void requireNone(String file, String relation) {
      if (has(file)) {
        throw new InvalidInputException(
            "%s: expected none %s a task in %s, found one"
                .formatted(where(file), relation, DatasetJson.FILE));
      }
    }

    private int[] labels() {
      if (!has(LABELS)) {
        return new int[0];
      }
      int[] labels =
          array(LABELS, NpyFile.Type.INT32, json.vertices()).toArray(ValueLayout.JAVA_INT);
      ArrayChecks.labels(where(LABELS), labels, json.info().classNames().size());
      return labels;
    }

    private byte[] split() {
      if (!has("split.npy")) {
        return new byte[0];
      }
      byte[] split =
          array("split.npy", NpyFile.Type.INT8, json.vertices()).toArray(ValueLayout.JAVA_BYTE);
      ArrayChecks.split(where("split.npy"), split);
      return split;
    }

    private @Nullable List<String> names(String file, int count, String what) {
      if (!has(file)) {
        return null;
      }
      HeapBudget heap = HeapBudget.of("the names of " + what);
      try (BufferedReader in = InputFile.of(folder.resolve(file)).reader()) {
        List<String> names = new ArrayList<>();
        String name = in.readLine();
        for (; name != null && names.size() < count; name = in.readLine()) {
          heap.takeText(name.length());
          names.add(name);
        }
        if (name != null || names.size() != count) {
          throw new InvalidInputException(
              "%s: expected %d lines, one per %s, found %s"
                  .formatted(where(file), count, what, name == null ? names.size() : "more"));
        }
        return names;
      } catch (IOException e) {
        throw InvalidInputException.unreadable(folder.resolve(file), e);
      }
    }

    private MemorySegment array(String file, NpyFile.Type type, long... shape) {
      return NpyFile.map(arena, folder.resolve(file), type, shape).data();
    }

    private boolean has(String file) {
      // A link to nowhere is not an array that was left out.
      return Files.exists(folder.resolve(file), LinkOption.NOFOLLOW_LINKS);
    }

    private String where(String file) {
      return folder.resolve(file).toString();
    }
  }

  /// Checks that [#write] may write a folder: it must be new, empty, or an earlier data set folder
  /// without added files.
  ///
  /// @param folder the data set folder
  /// @throws InvalidInputException naming the file that prevents it
  public static void requireReplaceable(Path folder) {
    AtomicOutput.requireReplaceable(folder, FILES);
  }

  /// Writes a data set atomically. An existing data set folder is replaced at the end.
  ///
  /// @param folder the data set folder, created or replaced
  /// @param d the data set
  /// @throws InvalidInputException if it cannot be written (disk full, no permission) or the target
  ///   exists and fails [#requireReplaceable]
  public static void write(Path folder, GraphData d) {
    Objects.requireNonNull(folder, "folder");
    switch (d.features()) {
      case Features.None none ->
          write(folder, d, DatasetJson.of(d, FeatureKind.NONE, 0, 0), temporary -> {});
      case Features.Dense dense -> write(folder, d, FeatureRows.of(dense.x()));
      case Features.Sparse sparse -> {
        CsrMatrix x = sparse.x();
        write(
            folder,
            d,
            DatasetJson.of(d, FeatureKind.SPARSE, x.cols(), x.nnz()),
            temporary -> writeMatrix(temporary, x, "x_row_ptr", "x_col_idx", "x_values"));
      }
    }
  }

  /// Writes a data set with features that are generated block by block and are never in memory as a
  /// whole.
  ///
  /// @param folder the data set folder, created or replaced
  /// @param d everything but the features
  /// @param rows features of its vertices
  /// @throws InvalidInputException as the other [#write]
  /// @throws IllegalArgumentException if a feature is not finite
  public static void write(Path folder, GraphData d, FeatureRows rows) {
    Objects.requireNonNull(folder, "folder");
    long n = d.vertices();
    int width = rows.width();
    write(
        folder,
        d,
        DatasetJson.of(d, FeatureKind.DENSE, width, n * width),
        temporary -> writeRows(temporary.resolve("features.npy"), n, rows));
  }

  private static void write(
      Path folder, GraphData d, DatasetJson json, AtomicOutput.Content features) {
    long n = d.vertices();
    AtomicOutput.folder(
        folder,
        FILES,
        temporary -> {
          writeMatrix(temporary, d.adjacency(), "row_ptr", "col_idx", "edge_values");
          GraphTypes types = d.types();
          MemorySegment masks = types == null ? null : types.masks();
          if (masks != null) {
            NpyFile.write(
                temporary.resolve(EDGE_TYPES), NpyFile.Type.INT32, masks, d.adjacency().nnz());
          }
          EdgeTimes times = d.times();
          if (times != null) {
            NpyFile.write(
                temporary.resolve(EDGE_TIMES),
                NpyFile.Type.FLOAT64,
                times.values(),
                d.adjacency().nnz());
          }
          writeEdgeFeatures(temporary, d.edgeFeatures());
          features.writeTo(temporary);
          if (d.hasLabels()) {
            NpyFile.write(
                temporary.resolve(LABELS),
                NpyFile.Type.INT32,
                MemorySegment.ofArray(d.labels()),
                n);
          }
          Targets targets = d.targets();
          if (targets != null) {
            DenseMatrix values = targets.values();
            NpyFile.write(
                temporary.resolve(TARGETS), NpyFile.Type.FLOAT32, values.data(), n, values.cols());
          }
          if (d.hasSplit()) {
            NpyFile.write(
                temporary.resolve("split.npy"),
                NpyFile.Type.INT8,
                MemorySegment.ofArray(d.split()),
                n);
          }
          writeNames(temporary.resolve(VERTICES), d.vertexNames());
          writeNames(temporary.resolve(FEATURES), d.featureNames());
          json.write(temporary);
        });
  }

  private static void writeMatrix(
      Path folder, CsrMatrix m, String pointers, String columns, String values) throws IOException {
    if (m.rowScale() != null || m.columnScale() != null) {
      throw new IllegalArgumentException("data set: a matrix with scales cannot be stored");
    }
    NpyFile.write(
        folder.resolve(pointers + ".npy"), NpyFile.Type.INT64, m.rowPointers(), m.rows() + 1);
    NpyFile.write(folder.resolve(columns + ".npy"), NpyFile.Type.INT32, m.columns(), m.nnz());
    MemorySegment stored = m.values();
    if (stored != null) {
      NpyFile.write(folder.resolve(values + ".npy"), NpyFile.Type.FLOAT32, stored, m.nnz());
    }
  }

  private static void writeEdgeFeatures(Path folder, @Nullable EdgeFeatures features)
      throws IOException {
    if (features == null) {
      return;
    }
    DenseMatrix x = features.x();
    NpyFile.write(
        folder.resolve(EDGE_FEATURES), NpyFile.Type.FLOAT32, x.data(), x.rows(), x.cols());
    writeNames(
        folder.resolve(EDGE_FEATURE_NAMES), features.names().isEmpty() ? null : features.names());
  }

  private static void writeRows(Path file, long n, FeatureRows rows) throws IOException {
    int width = rows.width();
    long step = Math.max(1, BLOCK_BYTES / ((long) width * Float.BYTES));
    try (Arena arena = Arena.ofShared();
        NpyFile.Writer writer = NpyFile.writer(file, NpyFile.Type.FLOAT32, n, width)) {
      DenseMatrix buffer = DenseMatrix.allocate(arena, Math.min(n, step), width);
      for (long begin = 0; begin < n; begin += step) {
        DenseMatrix block = buffer.rows(0, Math.min(step, n - begin));
        rows.fill(begin, block);
        long bad = ArrayChecks.firstNotFinite(block.data());
        if (bad >= 0) {
          throw new IllegalArgumentException(
              "features: vertex %d, feature %d: expected a finite number, found %s"
                  .formatted(
                      begin + bad / width,
                      bad % width,
                      block.get(bad / width, (int) (bad % width))));
        }
        writer.append(block.data());
      }
    }
  }

  private static void writeNames(Path file, @Nullable List<String> names) throws IOException {
    if (names == null) {
      return;
    }
    try (BufferedWriter writer = Files.newBufferedWriter(file)) {
      for (String name : names) {
        if (name.indexOf('\n') >= 0 || name.indexOf('\r') >= 0) {
          throw new InvalidInputException(
              "%s: expected names without line breaks, found '%s'"
                  .formatted(file.getFileName(), name));
        }
        writer.write(name);
        writer.write('\n');
      }
    }
  }
}
