package dev.gossamer.matlab;

import dev.gossamer.graph.CsrBuilder;
import dev.gossamer.graph.EdgeStream;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.Datasets;
import dev.gossamer.graph.format.FormatProbe;
import dev.gossamer.graph.format.GraphFormat;
import dev.gossamer.graph.format.ReadOptions;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.io.InputFile;
import dev.gossamer.matrix.io.InvalidInputException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import us.hebi.matlab.mat.format.BufferAllocator;
import us.hebi.matlab.mat.format.Mat5;
import us.hebi.matlab.mat.format.Mat5Reader;
import us.hebi.matlab.mat.types.MatFile;
import us.hebi.matlab.mat.types.Matrix;
import us.hebi.matlab.mat.types.Source;
import us.hebi.matlab.mat.types.Sparse;

/// MATLAB 5 files of the Facebook100 collection (Traud, Mucha, Porter 2012): `A`, the sparse
/// adjacency matrix, and `local_info` (`n x 7`): status, gender, major, minor, dorm, year, school;
/// 0 is missing.
///
/// The task of Lim et al. 2021: the class is the gender minus 1 (0 in the file: no label); the
/// features are the distinct values of each of the other six columns, missing among them, one-hot,
/// in ascending order. Undirected and without self loops. No split.
public final class Facebook100Format implements GraphFormat {
  private static final int GENDER = 1;
  private static final List<String> NAMES =
      List.of("status", "gender", "major", "minor", "dorm", "year", "school");
  private static final int COLUMNS = NAMES.size();

  /// For the service loader.
  public Facebook100Format() {}

  @Override
  public String name() {
    return "facebook100";
  }

  @Override
  public String description() {
    return "a MATLAB 5 file of the Facebook100 collection";
  }

  @Override
  public boolean isFolder() {
    return false;
  }

  @Override
  public List<String> endings() {
    return List.of("mat");
  }

  @Override
  public boolean recognises(FormatProbe probe) {
    if (probe.startsWith("MATLAB 7.3") || probe.startsWith("\211HDF")) {
      throw probe.refused("HDF5 (MATLAB 7.3); save with save(..., '-v7')");
    }
    return probe.startsWith("MATLAB 5.0 MAT-file");
  }

  @Override
  public GraphData read(Path file, ReadOptions options) {
    try (MatFile mat = load(file)) {
      Sparse a = matrix(file, mat, "A", Sparse.class);
      Matrix info = matrix(file, mat, "local_info", Matrix.class);
      int n = a.getNumRows();
      if (a.getNumCols() != n || info.getNumRows() != n || info.getNumCols() != COLUMNS) {
        throw new InvalidInputException(
            "%s: expected A of n x n and local_info of n x 7, found %d x %d and %d x %d"
                .formatted(file, n, a.getNumCols(), info.getNumRows(), info.getNumCols()));
      }
      return dataset(file, a, info, options);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  private GraphData dataset(Path file, Sparse a, Matrix info, ReadOptions options) {
    boolean directed = Boolean.TRUE.equals(options.directed());
    GraphData.Info facts =
        new GraphData.Info(
            Datasets.nameOf(file),
            directed,
            List.of("gender 1", "gender 2"),
            false,
            Map.of("format", name(), "source", String.valueOf(file.getFileName())));
    Arena arena = Arena.ofShared();
    try {
      List<String> names = new ArrayList<>();
      CsrMatrix x = features(arena, info, names);
      return GraphData.of(arena, facts, graph(arena, file, a, directed, options.memoryLimit()))
          .withFeatures(new Features.Sparse(x))
          .withFeatureNames(names)
          .withLabels(labels(file, info));
    } catch (RuntimeException | Error e) {
      arena.close();
      throw e;
    }
  }

  private static MatFile load(Path file) {
    InputFile input = InputFile.of(file);
    try (Source source = new MatSource(new BufferedInputStream(input.stream()))) {
      return Mat5.newReader(source)
          .disableSubsystemProcessing()
          .setEntryFilter(Facebook100Format::isWanted)
          .setBufferAllocator(bounded(input))
          .readMat();
    } catch (IOException e) {
      throw damaged(file, e);
    } catch (InvalidInputException e) {
      throw e;
    } catch (RuntimeException e) {
      // The library meets a damaged file with whatever its arithmetic runs into.
      throw damaged(file, e);
    }
  }

  private static InvalidInputException damaged(Path file, Exception thrown) {
    Throwable cause = thrown;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return new InvalidInputException(
        "%s: expected a MATLAB 5 file, found damage: %s"
            .formatted(
                file,
                cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage()),
        thrown);
  }

  /// Numbers are read, whatever they are called; structures and objects are not.
  private static boolean isWanted(Mat5Reader.EntryHeader entry) {
    return switch (entry.getType()) {
      case Sparse, Double, Single, Int8, UInt8, Int16, UInt16, Int32, UInt32, Int64, UInt64 -> true;
      case Cell, Structure, Object, Character, Function, Opaque -> false;
    };
  }

  /// Gives no more memory, in all, than what is unpacked may have.
  private static BufferAllocator bounded(InputFile input) {
    return new BufferAllocator() {
      private long left = input.mostUnpacked();

      @Override
      public ByteBuffer allocate(int bytes) {
        if (bytes < 0 || bytes > left) {
          throw input.unpacksTooFar(input.path().toString());
        }
        left -= bytes;
        return ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
      }

      @Override
      public void release(ByteBuffer buffer) {
        buffer.clear();
      }
    };
  }

  private static <T> T matrix(Path file, MatFile mat, String name, Class<T> type) {
    List<String> names = new ArrayList<>();
    for (MatFile.Entry entry : mat.getEntries()) {
      if (entry.getName().equals(name) && type.isInstance(entry.getValue())) {
        return type.cast(entry.getValue());
      }
      names.add(entry.getName());
    }
    throw new InvalidInputException(
        "%s: expected a %s variable '%s', found %s"
            .formatted(
                file,
                type == Sparse.class ? "sparse" : "numeric",
                name,
                names.isEmpty() ? "none" : String.join(", ", names)));
  }

  private static CsrMatrix graph(
      Arena arena, Path file, Sparse a, boolean directed, long memoryLimit) {
    int n = a.getNumRows();
    EdgeStream arcs =
        sink ->
            a.forEach((row, col, real, imaginary) -> {
              if (row < 0 || row >= n || col < 0 || col >= n) {
                throw new InvalidInputException(
                    "%s: A: expected rows and columns in 0..%d, found %d, %d"
                        .formatted(file, n - 1, row, col));
              }
              sink.arc(row, col, 1f);
            });
    CsrBuilder builder = directed ? CsrBuilder.directed(n) : CsrBuilder.undirected(n);
    try {
      long[] count = {0};
      arcs.forEach((source, target, weight) -> count[0]++);
      long needed = builder.peakBytes(count[0]);
      if (needed > memoryLimit) {
        throw new InvalidInputException(
            "%s: graph of %d vertices and %d arcs: expected at most %d bytes of memory, needs %d"
                .formatted(file, n, count[0], memoryLimit, needed));
      }
      return builder.build(arena, arcs);
    } catch (IndexOutOfBoundsException | NegativeArraySizeException e) {
      throw damaged(file, e);
    }
  }

  /// A one in the column of each of a vertex's values; columns ascend, so rows are canonical.
  ///
  /// @param names of the columns, in which they are put
  private static CsrMatrix features(Arena arena, Matrix info, List<String> names) {
    int n = info.getNumRows();
    List<TreeMap<Long, Integer>> columns = new ArrayList<>();
    for (int c = 0; c < COLUMNS; c++) {
      TreeMap<Long, Integer> values = new TreeMap<>();
      for (int v = 0; v < n && c != GENDER; v++) {
        values.put(info.getLong(v, c), 0);
      }
      for (Map.Entry<Long, Integer> value : values.entrySet()) {
        value.setValue(names.size());
        names.add("%s %d".formatted(NAMES.get(c), value.getKey()));
      }
      columns.add(values);
    }
    long nnz = (long) n * (COLUMNS - 1);
    MemorySegment pointers = arena.allocate((n + 1L) * Long.BYTES, Long.BYTES);
    MemorySegment ones = arena.allocate(nnz * Integer.BYTES, DenseMatrix.ALIGNMENT);
    long at = 0;
    for (int v = 0; v < n; v++) {
      for (int c = 0; c < COLUMNS; c++) {
        Integer feature = columns.get(c).get(info.getLong(v, c));
        if (feature != null) {
          ones.setAtIndex(ValueLayout.JAVA_INT, at++, feature);
        }
      }
      pointers.setAtIndex(ValueLayout.JAVA_LONG, v + 1L, at);
    }
    return CsrMatrix.wrap(n, names.size(), pointers, ones, null);
  }

  private static int[] labels(Path file, Matrix info) {
    int[] labels = new int[info.getNumRows()];
    for (int v = 0; v < labels.length; v++) {
      double gender = info.getDouble(v, GENDER);
      if (gender != 0 && gender != 1 && gender != 2) {
        throw new InvalidInputException(
            "%s: local_info: row %d, column %d: expected 0, 1 or 2, found %s"
                .formatted(file, v, GENDER, gender));
      }
      labels[v] = (int) gender - 1;
    }
    return labels;
  }
}
