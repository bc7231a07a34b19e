package dev.gossamer.matlab;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.ArcBuffer;
import dev.gossamer.graph.format.DatasetDraft;
import dev.gossamer.graph.format.Datasets;
import dev.gossamer.graph.format.FormatProbe;
import dev.gossamer.graph.format.GraphFormat;
import dev.gossamer.graph.format.ReadOptions;
import dev.gossamer.graph.format.SparseFeatureRows;
import java.io.BufferedInputStream;
import java.io.IOException;
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
/// 0 for missing values.
///
/// The task is that of Lim et al. 2021: the class is the gender minus 1 (0 in the file: no label);
/// the features are the distinct values of each of the other six columns, including missing ones,
/// one-hot, in ascending order. Undirected and without self loops. No split.
public final class Facebook100Format implements GraphFormat {
  private static final int GENDER = 1;
  private static final List<String> NAMES =
      List.of("status", "gender", "major", "minor", "dorm", "year", "school");
  private static final int COLUMNS = NAMES.size();

  /// Creates an instance, for the service loader.
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
    try (MatFile mat = load(file);
        DatasetDraft draft = new DatasetDraft(this, file, options)) {
      Sparse a = matrix(file, mat, "A", Sparse.class);
      Matrix info = matrix(file, mat, "local_info", Matrix.class);
      int n = a.getNumRows();
      if (a.getNumCols() != n || info.getNumRows() != n || info.getNumCols() != COLUMNS) {
        throw new InvalidInputException(
            "%s: expected A of n x n and local_info of n x 7, found %d x %d and %d x %d"
                .formatted(file, n, a.getNumCols(), info.getNumRows(), info.getNumCols()));
      }
      graph(draft, file, a, options);
      features(draft, info);
      draft.labels(labels(file, info), List.of("gender 1", "gender 2"));
      return draft.finish(Datasets.nameOf(file));
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  private static MatFile load(Path file) {
    InputFile input = InputFile.of(file);
    try (Source source =
        new MatSource(new BufferedInputStream(input.stream()), input.mostUnpacked())) {
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

  private static void graph(DatasetDraft draft, Path file, Sparse a, ReadOptions options) {
    int n = a.getNumRows();
    try (ArcBuffer arcs = new ArcBuffer(false)) {
      a.forEach((row, col, real, imaginary) -> {
        if (row < 0 || row >= n || col < 0 || col >= n) {
          throw new InvalidInputException(
              "%s: A: expected rows and columns in 0..%d, found %d, %d"
                  .formatted(file, n - 1, row, col));
        }
        arcs.add(row, col, 1f);
      });
      draft.graph(n, arcs, !Boolean.TRUE.equals(options.directed()));
    } catch (IndexOutOfBoundsException | NegativeArraySizeException e) {
      throw damaged(file, e);
    }
  }

  private static void features(DatasetDraft draft, Matrix info) {
    int n = info.getNumRows();
    List<String> names = new ArrayList<>();
    List<TreeMap<Long, Integer>> columns = new ArrayList<>();
    for (int c = 0; c < COLUMNS; c++) {
      TreeMap<Long, Integer> values = new TreeMap<>();
      for (int v = 0; v < n && c != GENDER; v++) {
        values.put(info.getLong(v, c), 0);
      }
      for (Map.Entry<Long, Integer> value : values.entrySet()) {
        value.setValue(names.size());
        names.add(NAMES.get(c) + " " + value.getKey());
      }
      columns.add(values);
    }
    SparseFeatureRows x =
        new SparseFeatureRows(draft.arena(), n, names.size(), (long) n * (COLUMNS - 1));
    for (int v = 0; v < n; v++) {
      for (int c = 0; c < COLUMNS; c++) {
        Integer feature = columns.get(c).get(info.getLong(v, c));
        if (feature != null) {
          x.add(feature, 1f);
        }
      }
      x.endRow();
    }
    draft.features(x.matrix());
    draft.featureNames(names);
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
