package dev.gossamer.pruned.prune;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.sparse.BlockProducts;
import dev.gossamer.nn.state.Mask;
import dev.gossamer.nn.state.ModelState;
import dev.gossamer.nn.state.ParameterLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Prunes the blocks of each matrix whose Euclidean norm is smallest (S. Narang, E. Undersander and
/// G. Diamos, *Block-Sparse Recurrent Neural Networks*, 2017, take the largest element instead).
///
/// Blocks at the edge of a matrix may be smaller; norms are divided by the square root of the
/// number of elements, so that they are comparable. The number of blocks that a matrix keeps is its
/// quota rounded down, at least one: it keeps fewer elements than its quota by less than a block,
/// and by what its edge blocks lack. If rows or columns keep the same share ([ComparisonGroup]),
/// bands of the height or width of a block keep the same number of blocks, with the remainder in
/// the last bands: all tokens of a band keep the same columns.
///
/// Pruned elements stay pruned. Ties are broken by position: the first blocks survive, row by row.
/// Local.
public final class BlockPruning {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  private BlockPruning() {}

  /// Prunes the smallest blocks of every matrix.
  ///
  /// @param state of the parameters
  /// @param quota minimum number of pruned elements; may be that of a larger network
  /// @param groups which blocks of a matrix are compared, by its name; by default those of the
  ///   whole matrix
  /// @param shape of the blocks
  /// @return the mask
  public static Mask mask(
      ModelState state, PruningQuota quota, Map<String, ComparisonGroup> groups, BlockShape shape) {
    Mask before = state.mask();
    Map<String, BitSet> kept = new HashMap<>();
    for (ParameterLayout.Entry matrix : state.layout().where(Mask::prunable).entries()) {
      BitSet survivors = before.survivors(matrix.name());
      long removed = quota.removed(matrix.name());
      if (removed > 0) {
        ComparisonGroup group = groups.getOrDefault(matrix.name(), ComparisonGroup.MATRIX);
        survivors.and(new Blocks(state, matrix, shape).largest(matrix.count() - removed, group));
      }
      kept.put(matrix.name(), survivors);
    }
    return new Mask(state.layout(), kept);
  }

  /// {@return whether the survivors of each matrix are entire blocks, as block products require}
  /// Matrices that are too narrow are ignored.
  ///
  /// @param mask of a pruned network
  public static boolean isInBlocks(Mask mask) {
    List<ParameterLayout.Entry> wide =
        mask.layout().entries().stream()
            .filter(e -> mask.prunes(e.name()) && BlockProducts.fits(e.rows(), e.cols()))
            .toList();
    return !wide.isEmpty()
        && wide.stream()
            .allMatch(e -> BlockProducts.fits(e.rows(), e.cols(), mask.survivors(e.name())));
  }

  /// The blocks of a matrix, counted row by row.
  private static final class Blocks {
    private final ParameterLayout.Entry matrix;
    private final BlockShape shape;
    private final int bands;
    private final int across;

    /// Norms, the inverted bits above the number of the block: the largest is the first in order.
    private final long[] keys;

    Blocks(ModelState state, ParameterLayout.Entry matrix, BlockShape shape) {
      this.matrix = matrix;
      this.shape = shape;
      bands = Math.ceilDiv(matrix.rows(), shape.rows());
      across = Math.ceilDiv(matrix.cols(), shape.cols());
      keys = new long[Math.multiplyExact(bands, across)];
      long band = Math.multiplyExact((long) shape.rows(), matrix.cols()) * Float.BYTES;
      try (Arena local = Arena.ofConfined()) {
        MemorySegment room = local.allocate(band, DenseMatrix.ALIGNMENT);
        for (int i = 0; i < bands; i++) {
          int begin = i * shape.rows() * matrix.cols();
          int end =
              (int) Math.min(matrix.count(), (long) begin + (long) shape.rows() * matrix.cols());
          MemorySegment values = room.asSlice(0, ((long) end - begin) * Float.BYTES);
          state.expand(matrix.name(), state.weights(), begin, end, values);
          measure(i, values);
        }
      }
    }

    private int width(int column) {
      return Math.min(shape.cols(), matrix.cols() - column * shape.cols());
    }

    private int height(int band) {
      return Math.min(shape.rows(), matrix.rows() - band * shape.rows());
    }

    private void measure(int band, MemorySegment values) {
      for (int j = 0; j < across; j++) {
        double sum = 0;
        for (int r = 0; r < height(band); r++) {
          long first = (long) r * matrix.cols() + (long) j * shape.cols();
          for (int c = 0; c < width(j); c++) {
            double value = values.getAtIndex(FLOAT, first + c);
            sum += value * value;
          }
        }
        float norm = (float) Math.sqrt(sum / ((double) height(band) * width(j)));
        int number = band * across + j;
        keys[number] = (long) ~Float.floatToRawIntBits(norm) << Integer.SIZE | number;
      }
    }

    /// The elements of the largest blocks.
    ///
    /// @param elements that there is room for
    BitSet largest(long elements, ComparisonGroup group) {
      int wanted = Math.toIntExact(Math.max(1, elements / shape.elements()));
      int groups =
          switch (group) {
            case MATRIX -> 1;
            case ROW -> bands;
            case COLUMN -> across;
          };
      BitSet kept = new BitSet();
      for (int g = 0; g < groups; g++) {
        long[] own = own(group, g);
        Arrays.sort(own);
        int more = g >= groups - wanted % groups ? 1 : 0;
        for (int i = 0; i < Math.min(own.length, wanted / groups + more); i++) {
          keep((int) own[i], kept);
        }
      }
      return kept;
    }

    /// The blocks that are compared with one another.
    private long[] own(ComparisonGroup group, int number) {
      return switch (group) {
        case MATRIX -> keys.clone();
        case ROW -> Arrays.copyOfRange(keys, number * across, (number + 1) * across);
        case COLUMN -> {
          long[] own = new long[bands];
          Arrays.setAll(own, i -> keys[i * across + number]);
          yield own;
        }
      };
    }

    private void keep(int block, BitSet kept) {
      int column = block % across;
      int top = block / across * shape.rows();
      for (int i = top; i < top + height(block / across); i++) {
        int begin = i * matrix.cols() + column * shape.cols();
        kept.set(begin, begin + width(column));
      }
    }
  }
}
