package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.io.NpyFile;
import dev.gossamer.base.io.NpyHeader;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.random.Philox;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/// Features for a graph that has none, or other than it has: the columns of several sources, one
/// after another. The features of a vertex depend on the seed, its number and its degree only.
///
/// `identity`, alone, is the identity matrix: as many columns as vertices, sparse, so that the
/// weights of the first layer are a vector of each vertex that is learned. Dense sources, as users
/// write them, separated by commas:
/// - `FILE.npy`: an array of shape `(n, f)`;
/// - `random:F`: `F` columns, uniform between -sqrt(3) and sqrt(3), of mean 0 and variance 1, drawn
///   by [Philox];
/// - `degree`: one column, `ln(1 + d)` of the number `d` of arcs that start at the vertex; where
///   edges are to be predicted, of those that messages pass over.
///
/// @param text as users write it
public record VertexFeatures(String text) {
  private static final String RANDOM = "random:";
  private static final String DEGREE = "degree";
  private static final String IDENTITY = "identity";
  private static final int MOST_RANDOM = 1 << 16;

  /// Number of the generator: other than those of training.
  private static final int STREAM = 0x66656174;

  /// From 32 random bits to the range of a column of variance 1.
  private static final float SCALE = (float) (Math.sqrt(3) / (1L << 31));

  private static final long BLOCK = 1 << 12;

  /// Checks the form; files are opened by [#addTo].
  ///
  /// @throws InvalidSettingException if a source is empty, a width is no number in 1..65536, or
  ///   there is something beside `identity`
  public VertexFeatures {
    Objects.requireNonNull(text, "text");
    String[] sources = text.split(",", -1);
    for (String source : sources) {
      boolean random = source.startsWith(RANDOM);
      boolean beside = source.equals(IDENTITY) && sources.length > 1;
      if (beside || (random ? randomWidth(source) < 1 : !isPath(source))) {
        throw new InvalidSettingException(
            "{vertexFeatures}: expected identity, or FILE.npy, random:WIDTH (1 to %d) or degree, or several of these with commas, found %s"
                .formatted(MOST_RANDOM, text));
      }
    }
  }

  /// Whether a text is the path of a file that may exist.
  static boolean isPath(String text) {
    try {
      return !text.isBlank() && Path.of(text).getFileName() != null;
    } catch (InvalidPathException e) {
      return false;
    }
  }

  /// The absolute form of a path, as text.
  static String absolute(String path) {
    return Path.of(path).toAbsolutePath().normalize().toString();
  }

  private static int randomWidth(String source) {
    String digits = source.substring(RANDOM.length());
    int width = digits.matches("[0-9]{1,6}") ? Integer.parseInt(digits) : 0;
    return width <= MOST_RANDOM ? width : 0;
  }

  private List<String> sources() {
    return List.of(text.split(",", -1));
  }

  private static boolean isFile(String source) {
    return !source.startsWith(RANDOM) && !source.equals(DEGREE) && !source.equals(IDENTITY);
  }

  /// {@return whether the features of any graph can be computed: no source is a file}
  public boolean isComputed() {
    return sources().stream().noneMatch(VertexFeatures::isFile);
  }

  /// {@return a copy with absolute paths}
  public VertexFeatures absolute() {
    return new VertexFeatures(
        sources().stream()
            .map(source -> isFile(source) ? absolute(source) : source)
            .collect(Collectors.joining(",")));
  }

  /// Returns the data set with these features in place of its own. A single file of float32 in C
  /// order is mapped, other features are in memory: `4 n f` bytes, of `identity` `16 n`.
  ///
  /// @param d the graph
  /// @param arena owner of the features
  /// @param seed of random columns
  /// @param limit most bytes of memory for features
  /// @return a copy that shares the memory of `d`; the provenance says where features are from
  /// @throws InvalidInputException if a file has another number of rows, or is damaged; or the
  ///   features need more memory
  public GraphData addTo(GraphData d, Arena arena, long seed, long limit) {
    List<String> sources = sources();
    Features features = features(d, arena, seed, limit);
    String described =
        sources.stream()
            .map(source -> isFile(source) ? String.valueOf(Path.of(source).getFileName()) : source)
            .collect(Collectors.joining(", "));
    boolean random = sources.stream().anyMatch(source -> source.startsWith(RANDOM));
    described += random ? " (seed %d)".formatted(seed) : "";
    Map<String, String> facts = new HashMap<>(d.info().provenance());
    facts.remove(GraphData.Info.DEFINITION);
    // A model of computed features refuses others, also those of another seed.
    facts.put(isComputed() ? GraphData.Info.DEFINITION : "features", described);
    return d.withFeatures(features).withInfo(d.info().withProvenance(facts).withSchema(null));
  }

  private Features features(GraphData d, Arena arena, long seed, long limit) {
    if (text.equals(IDENTITY)) {
      return new Features.Sparse(identity(arena, d.vertices(), limit));
    }
    boolean mapped = sources().size() == 1 && isFile(text) && isMappable(Path.of(text));
    return new Features.Dense(mapped ? map(arena, d.vertices()) : filled(d, arena, seed, limit));
  }

  private static CsrMatrix identity(Arena arena, int n, long limit) {
    long bytes = CsrMatrix.bytes(n, n, true);
    if (bytes > limit) {
      throw tooLarge(limit, n, n);
    }
    MemorySegment pointers = arena.allocate(ValueLayout.JAVA_LONG, n + 1L);
    MemorySegment columns = arena.allocate(ValueLayout.JAVA_INT, n);
    MemorySegment values = arena.allocate(ValueLayout.JAVA_FLOAT, n);
    for (int v = 0; v < n; v++) {
      pointers.setAtIndex(ValueLayout.JAVA_LONG, v + 1L, v + 1L);
      columns.setAtIndex(ValueLayout.JAVA_INT, v, v);
      values.setAtIndex(ValueLayout.JAVA_FLOAT, v, 1);
    }
    return CsrMatrix.wrap(n, n, pointers, columns, values);
  }

  private static InvalidSettingException tooLarge(long limit, long width, int n) {
    return new InvalidSettingException(
        "{vertexFeatures}: expected features of at most %d bytes of memory, found %d columns for %d vertices"
            .formatted(limit, width, n));
  }

  private static boolean isMappable(Path file) {
    NpyHeader header = NpyFile.header(file);
    return header.descr().equals(NpyFile.Type.FLOAT32.descr()) && !header.fortranOrder();
  }

  private DenseMatrix map(Arena arena, int n) {
    NpyFile.Array x = NpyFile.map(arena, Path.of(text), NpyFile.Type.FLOAT32, n, NpyHeader.ANY);
    long width = x.shape().get(1);
    if (width < 1 || width > Integer.MAX_VALUE) {
      throw new InvalidInputException(
          "%s: header: expected at least 1 feature, found %d".formatted(text, width));
    }
    ArrayChecks.denseFeatures(text, x.data(), (int) width);
    return DenseMatrix.wrap(x.data(), n, (int) width);
  }

  private DenseMatrix filled(GraphData d, Arena arena, long seed, long limit) {
    List<FileRows> columns = new ArrayList<>();
    try {
      for (String source : sources()) {
        columns.add(rows(source, d, seed));
      }
      long width = columns.stream().mapToLong(FeatureRows::width).sum();
      long bytes = Math.multiplyHigh(d.vertices(), 4 * width) == 0 ? 4 * width * d.vertices() : -1;
      if (width > Integer.MAX_VALUE || bytes < 0 || bytes > limit) {
        throw tooLarge(limit, width, d.vertices());
      }
      DenseMatrix x = DenseMatrix.allocate(arena, d.vertices(), (int) width);
      int first = 0;
      for (FileRows source : columns) {
        copy(source, x, first);
        first += source.width();
      }
      return x;
    } finally {
      columns.forEach(FileRows::close);
    }
  }

  /// Copies all rows of a source to the columns of a matrix from `first` on.
  private static void copy(FeatureRows source, DenseMatrix x, int first) {
    long width = (long) source.width() * Float.BYTES;
    try (Arena temporary = Arena.ofShared()) {
      DenseMatrix buffer =
          DenseMatrix.allocate(temporary, Math.min(BLOCK, x.rows()), source.width());
      for (long begin = 0; begin < x.rows(); begin += BLOCK) {
        DenseMatrix block = buffer.rows(0, Math.min(BLOCK, x.rows() - begin));
        source.fill(begin, block);
        for (long i = 0; i < block.rows(); i++) {
          long to = x.offset(begin + i) + (long) first * Float.BYTES;
          MemorySegment.copy(block.data(), block.offset(i), x.data(), to, width);
        }
      }
    }
  }

  private static FileRows rows(String source, GraphData d, long seed) {
    if (source.startsWith(RANDOM)) {
      return new RandomColumns(randomWidth(source), Philox.keyed(seed, STREAM, 0));
    }
    return source.equals(DEGREE)
        ? new DegreeColumn(d.adjacency())
        : NpyRows.of(NpyStream.open(Path.of(source)), d.vertices());
  }

  private record RandomColumns(int width, Philox random) implements FileRows {
    @Override
    public void fill(long begin, DenseMatrix block) {
      LongStream.range(0, block.rows())
          .parallel()
          .forEach(i -> {
            for (int j = 0; j < width; j += 2) {
              long bits = random.low((int) (begin + i), j >>> 1, 0, 0);
              block.set(i, j, (int) bits * SCALE);
              if (j + 1 < width) {
                block.set(i, j + 1, (int) (bits >>> 32) * SCALE);
              }
            }
          });
    }

    @Override
    public void close() {}
  }

  private record DegreeColumn(CsrMatrix a) implements FileRows {
    @Override
    public int width() {
      return 1;
    }

    @Override
    public void fill(long begin, DenseMatrix block) {
      for (long i = 0; i < block.rows(); i++) {
        block.set(i, 0, (float) StrictMath.log1p((double) a.rowLength(begin + i)));
      }
    }

    @Override
    public void close() {}
  }
}
