package dev.gossamer.gnn.sampling.blocks;

import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// One layer of a sampled batch: `Â^l`, with the weights that the sampler promises (see `Sampler`).
///
/// The first [#destinations] sources are always the destinations themselves, in the same order. The
/// first [#computed] sources are those that the previous block computes, or whose features are
/// fetched; the rows of any others are supplied from a cache (see [Boundary]).
public final class SampledBlock {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

  private final CsrMatrix matrix;
  private final int[] sources;
  private final int computed;

  /// Creates a block whose sources are all computed within the batch.
  ///
  /// @param matrix `destinations x sources`, see [#matrix]; borrowed
  /// @param sources distinct vertices, the destinations first; not copied
  public SampledBlock(CsrMatrix matrix, int[] sources) {
    this(matrix, sources, sources.length);
  }

  private SampledBlock(CsrMatrix matrix, int[] sources, int computed) {
    this.matrix = matrix;
    this.sources = sources;
    this.computed = computed;
  }

  /// {@return `destinations x sources`, in the numbering of this block} Columns in a row are
  /// distinct and in the order in which they were drawn, or in that of their vertices if the
  /// sampler does not draw by row.
  public CsrMatrix matrix() {
    return matrix;
  }

  /// {@return number of destinations}
  public int destinations() {
    return (int) matrix.rows();
  }

  /// {@return the vertex of each source} Borrowed.
  public int[] sources() {
    return sources;
  }

  /// {@return number of sources that are computed, or fetched, within the batch}
  public int computed() {
    return computed;
  }

  /// {@return number of sources whose rows are supplied from outside the batch}
  public int supplied() {
    return sources.length - computed;
  }

  /// {@return the vertices that the previous block computes: its destinations}
  public int[] computedSources() {
    return computed == sources.length ? sources : Arrays.copyOf(sources, computed);
  }

  /// {@return this block with other weights}
  ///
  /// @param other with the pattern of [#matrix]; borrowed
  public SampledBlock withMatrix(CsrMatrix other) {
    return new SampledBlock(other, sources, computed);
  }

  /// Returns the first rows of this block, whose entries are all in its first columns. Shares its
  /// memory.
  ///
  /// @param rows destinations
  /// @param columns sources
  /// @return the rows as a block
  public SampledBlock leading(int rows, int columns) {
    if (rows == destinations() && columns == sources.length) {
      return this;
    }
    long nnz = matrix.rowPointer(rows);
    CsrMatrix first =
        CsrMatrix.wrap(
                rows,
                columns,
                matrix.rowPointers().asSlice(0, (rows + 1L) * Long.BYTES),
                matrix.columns().asSlice(0, nnz * Integer.BYTES),
                leading(matrix.values(), nnz))
            .withScales(leading(matrix.rowScale(), rows), leading(matrix.columnScale(), columns));
    return new SampledBlock(first, Arrays.copyOf(sources, columns));
  }

  private static @Nullable MemorySegment leading(@Nullable MemorySegment floats, long count) {
    return floats == null ? null : floats.asSlice(0, count * Float.BYTES);
  }

  /// Applies a boundary to the sources of this block.
  ///
  /// @param arena owner of the new matrix
  /// @param boundary null if there is none
  /// @param layer of the network that the block is of
  /// @return the block without what the boundary drops
  public SampledBlock cut(Arena arena, @Nullable Boundary boundary, int layer) {
    if (boundary == null) {
      return this;
    }
    Boundary.Fate[] fates = new Boundary.Fate[sources.length];
    Arrays.fill(fates, Boundary.Fate.COMPUTED);
    boundary.draw(layer, sources, destinations(), fates);
    return cut(arena, fates);
  }

  /// Applies the decisions of a [Boundary] to the sources of this block. Entries of dropped sources
  /// are removed, and the others of their row are scaled up so that the sum of its weights stays
  /// the same: a mean stays a mean.
  ///
  /// @param arena owner of the new matrix
  /// @param fates of the sources; destinations are computed
  /// @throws IllegalArgumentException if a destination is not computed
  SampledBlock cut(Arena arena, Boundary.Fate[] fates) {
    if (Arrays.stream(fates).allMatch(fate -> fate == Boundary.Fate.COMPUTED)) {
      return this;
    }
    int[] numbers = new int[sources.length];
    int kept = number(fates, Boundary.Fate.COMPUTED, 0, numbers);
    int firstSupplied = kept;
    kept = number(fates, Boundary.Fate.SUPPLIED, kept, numbers);
    int[] vertices = new int[kept];
    for (int i = 0; i < sources.length; i++) {
      if (fates[i] != Boundary.Fate.DROPPED) {
        vertices[numbers[i]] = sources[i];
      }
    }
    for (int i = 0; i < destinations(); i++) {
      if (fates[i] != Boundary.Fate.COMPUTED) {
        throw new IllegalArgumentException(
            "boundary: destination %d is %s; expected COMPUTED".formatted(i, fates[i]));
      }
    }
    return new SampledBlock(cutMatrix(arena, fates, numbers, kept), vertices, firstSupplied);
  }

  /// Numbers the sources of one fate.
  ///
  /// @return the number after the last
  private int number(Boundary.Fate[] fates, Boundary.Fate fate, int from, int[] numbers) {
    int next = from;
    for (int i = 0; i < sources.length; i++) {
      if (fates[i] == fate) {
        numbers[i] = next++;
      }
    }
    return next;
  }

  private CsrMatrix cutMatrix(Arena arena, Boundary.Fate[] fates, int[] numbers, int kept) {
    int rows = destinations();
    MemorySegment pointers = arena.allocate((rows + 1L) * Long.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment columns = arena.allocate(matrix.nnz() * Integer.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment values =
        matrix.values() == null
            ? null
            : arena.allocate(matrix.nnz() * Float.BYTES, DenseMatrix.ALIGNMENT);
    MemorySegment scales = arena.allocate((long) rows * Float.BYTES, DenseMatrix.ALIGNMENT);
    long size = 0;
    for (int i = 0; i < rows; i++) {
      double before = 0;
      double after = 0;
      for (long e = matrix.rowPointer(i); e < matrix.rowPointer(i + 1L); e++) {
        int source = matrix.column(e);
        double weight = Math.abs((double) matrix.value(e) * matrix.columnScale(source));
        before += weight;
        if (fates[source] != Boundary.Fate.DROPPED) {
          after += weight;
          if (values != null) {
            values.setAtIndex(FLOAT, size, matrix.value(e));
          }
          columns.setAtIndex(INT, size++, numbers[source]);
        }
      }
      pointers.setAtIndex(LONG, i + 1L, size);
      float scale = after == 0 ? 0 : (float) (matrix.rowScale(i) * (before / after));
      scales.setAtIndex(FLOAT, i, scale);
    }
    return CsrMatrix.wrap(
            rows,
            kept,
            pointers,
            columns.asSlice(0, size * Integer.BYTES),
            values == null ? null : values.asSlice(0, size * Float.BYTES))
        .withScales(scales, columnScales(arena, fates, numbers, kept));
  }

  private @Nullable MemorySegment columnScales(
      Arena arena, Boundary.Fate[] fates, int[] numbers, int kept) {
    if (matrix.columnScale() == null) {
      return null;
    }
    MemorySegment scales = arena.allocate((long) kept * Float.BYTES, DenseMatrix.ALIGNMENT);
    for (int i = 0; i < sources.length; i++) {
      if (fates[i] != Boundary.Fate.DROPPED) {
        scales.setAtIndex(FLOAT, numbers[i], matrix.columnScale(i));
      }
    }
    return scales;
  }
}
