package dev.gossamer.graph.format;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Arcs that are decoded from numpy arrays in each pass, so that building a graph needs no memory
/// for them. Ids and weights are checked in each pass.
final class FileArcs implements Arcs {
  private static final String VERTEX = "a vertex";

  /// Where one pass takes the ids of each arc from: first its source, then its target.
  private record Ends(IntSupplier sources, IntSupplier targets) {}

  /// The streams of one pass.
  private static final class Pass implements AutoCloseable {
    private final List<NpyStream> streams = new ArrayList<>();

    NpyStream open(Supplier<NpyStream> array) {
      NpyStream stream = array.get();
      streams.add(stream);
      return stream;
    }

    void requireEnds() {
      streams.stream()
          .filter(stream -> stream.position() == stream.size())
          .forEach(NpyStream::requireEnd);
    }

    @Override
    public void close() {
      streams.forEach(NpyStream::close);
    }
  }

  private final long size;
  private final Function<Pass, Ends> ends;
  private final @Nullable Supplier<NpyStream> weights;
  private long loops;

  /// @param values opens the weights; null if there are none
  private FileArcs(long size, Function<Pass, Ends> ends, @Nullable Supplier<NpyStream> values) {
    this.size = size;
    this.ends = ends;
    weights = values == null || areOnes(values, size) ? null : values;
  }

  /// Arcs in one array of shape `(m, 2)`, or `(2, m)`.
  ///
  /// @param n number of vertices
  /// @param rows whether the shape is `(2, m)`
  /// @param pairs opens the array
  /// @param values opens the weights; null if there are none
  static FileArcs pairs(
      int n, boolean rows, Supplier<NpyStream> pairs, @Nullable Supplier<NpyStream> values) {
    try (NpyStream found = pairs.get()) {
      List<Long> shape = found.shape();
      if (!found.isInteger() || shape.size() != 2 || shape.get(rows ? 0 : 1) != 2) {
        throw found.wrong(
            "header",
            "integers of shape " + (rows ? "(2, m)" : "(m, 2)"),
            found.type() + " " + shape);
      }
      long size = found.size() / 2;
      // In Fortran order, an array of one shape has the bytes of the other.
      boolean apart = rows == found.rowsFirst();
      return new FileArcs(size, pass -> pairs(pass, n, pairs, apart ? size : 0), values);
    }
  }

  /// @param apart number of elements between the two ids of an arc; 0 if they are neighbours
  private static Ends pairs(Pass pass, int n, Supplier<NpyStream> pairs, long apart) {
    NpyStream sources = pass.open(pairs);
    NpyStream targets = sources;
    if (apart > 0) {
      targets = pass.open(pairs);
      targets.skip(apart);
    }
    return new Ends(ids(sources, n), ids(targets, n));
  }

  /// Arcs in two arrays of ids.
  ///
  /// @param n number of vertices
  /// @param size of each array
  /// @param sources opens the ids of sources
  /// @param targets opens the ids of targets
  /// @param values opens the weights; null if there are none
  static FileArcs coordinates(
      int n,
      long size,
      Supplier<NpyStream> sources,
      Supplier<NpyStream> targets,
      @Nullable Supplier<NpyStream> values) {
    return new FileArcs(
        size, pass -> new Ends(ids(pass.open(sources), n), ids(pass.open(targets), n)), values);
  }

  /// Arcs in compressed sparse rows or columns.
  ///
  /// @param pointers `n + 1`, checked
  /// @param ids opens the ids of columns (of rows)
  /// @param columns whether columns are compressed: pointers are then those of targets
  /// @param values opens the weights; null if there are none
  static FileArcs compressed(
      NpyArray pointers,
      Supplier<NpyStream> ids,
      boolean columns,
      @Nullable Supplier<NpyStream> values) {
    int n = (int) pointers.size() - 1;
    return new FileArcs(
        pointers.integer(n),
        pass -> {
          IntSupplier rows = new Rows(pointers);
          IntSupplier others = ids(pass.open(ids), n);
          return columns ? new Ends(others, rows) : new Ends(rows, others);
        },
        values);
  }

  /// The row of each entry.
  private static final class Rows implements IntSupplier {
    private final NpyArray pointers;
    private int row;
    private long entry;

    Rows(NpyArray pointers) {
      this.pointers = pointers;
    }

    @Override
    public int getAsInt() {
      while (pointers.integer(row + 1L) == entry) {
        row++;
      }
      entry++;
      return row;
    }
  }

  private static IntSupplier ids(NpyStream ids, int n) {
    return () -> ids.nextId(n, VERTEX);
  }

  /// Whether each weight is 1: the graph then needs none.
  private static boolean areOnes(Supplier<NpyStream> values, long size) {
    try (NpyStream weights = values.get()) {
      if (!weights.isNumeric() || weights.shape().size() != 1) {
        throw weights.wrong(
            "header", "numbers of one dimension", weights.type() + " " + weights.shape());
      }
      if (weights.size() != size) {
        throw weights.wrong("header", size + " rows", weights.shape().toString());
      }
      boolean ones = true;
      while (weights.position() < size) {
        ones &= weights.nextWeight() == 1f;
      }
      weights.requireEnd();
      return ones;
    }
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public long loops() {
    return loops;
  }

  @Override
  public boolean weighted() {
    return weights != null;
  }

  @Override
  public void forEach(Sink sink) {
    try (Pass pass = new Pass()) {
      Ends pair = ends.apply(pass);
      NpyStream values = weights == null ? null : pass.open(weights);
      long found = 0;
      for (long arc = 0; arc < size; arc++) {
        int source = pair.sources().getAsInt();
        int target = pair.targets().getAsInt();
        sink.arc(source, target, values == null ? 1f : values.nextWeight());
        found += source == target ? 1 : 0;
      }
      pass.requireEnds();
      loops = found;
    }
  }
}
