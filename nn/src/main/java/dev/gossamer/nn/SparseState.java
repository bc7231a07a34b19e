package dev.gossamer.nn;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.format.StoredMatrix;
import dev.gossamer.matrix.sparse.SparseProducts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The parameters of a pruned model that computes with sparse matrices: no dense matrix exists, and
/// what is pruned takes part in no product. It is the baseline of SAMO (section V-B, there with the
/// GPU library Sputnik), and trains as a [CompressedState] does, which says what is kept and why.
///
/// Products of pruned parameters are in float32 and read the masters, unrounded; the format is that
/// of gradients that travel, and of the matrices that are kept whole.
///
/// Of `phi` parameters, a share `f` of which survives, weights and gradients take `8 f phi` bytes,
/// a 16-bit wire `2 f phi`, and [SparseProducts] `12 f phi` and about `phi / 32`; with the two
/// moments of Adam `phi / 32 + 30 f phi`, where a [CompressedState] takes `2 phi + 22 f phi`.
///
/// The memory belongs to the arena given at construction.
public final class SparseState extends ModelState {
  /// Elements of one task of [#refresh].
  private static final int TASK = 1 << 16;

  private final Operands operands;
  private final Map<String, SparseProducts> products = new HashMap<>();
  private final Map<String, Weight> weightsByName = new HashMap<>();
  private final List<Piece> pieces;

  /// All zeros.
  ///
  /// @param arena owner of the memory
  /// @param mask which parameters survive; the state needs it no more afterwards
  /// @param wireFormat of travelling gradients, and of matrices that survive whole
  public SparseState(Arena arena, Mask mask, NumberFormat wireFormat) {
    super(mask.layout(), Masters.allocate(arena, mask.kept(), wireFormat));
    ParameterLayout layout = layout();
    ParameterLayout kept = kept();
    operands =
        Operands.allocate(
            arena,
            layout,
            wireFormat,
            entry -> copied(entry, mask.prunes(entry.name()), wireFormat));
    pieces = Piece.cut(operands.layout(), TASK);
    for (ParameterLayout.Entry entry : layout.entries()) {
      MemorySegment weights = kept.entry(entry.name()).of(masters.weights());
      MemorySegment gradient = kept.entry(entry.name()).of(masters.gradients());
      if (mask.prunes(entry.name())) {
        BitSet survivors = mask.survivors(entry.name());
        SparseProducts own = new SparseProducts(arena, entry.rows(), entry.cols(), survivors);
        products.put(entry.name(), own);
        weightsByName.put(entry.name(), new SparseWeight(own, weights, gradient));
      } else {
        DenseMatrix whole = DenseMatrix.wrap(gradient, entry.rows(), entry.cols());
        weightsByName.put(entry.name(), new WholeWeight(operand(entry, weights), whole));
      }
    }
  }

  /// {@return a state with fewer survivors than another: the survivors' weights are taken over,
  /// gradients are zero} The other state is left as it is.
  ///
  /// @param arena owner of the memory
  /// @param from of the same layout
  /// @param mask whose survivors are survivors there, too
  /// @param wireFormat of travelling gradients, and of matrices that products read
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if they are not
  public static SparseState of(
      Arena arena, ModelState from, Mask mask, NumberFormat wireFormat, Workers w) {
    mask.requireWithin(from);
    SparseState to = new SparseState(arena, mask, wireFormat);
    CompressedState.move(from, from.weights(), to, to.weights());
    to.refresh(w);
    return to;
  }

  private StoredMatrix operand(ParameterLayout.Entry entry, MemorySegment weights) {
    if (copied(entry, false, format())) {
      return operands.matrix(operands.layout().entry(entry.name()));
    }
    return new StoredMatrix(weights, entry.rows(), entry.cols(), NumberFormat.FLOAT32);
  }

  private static boolean copied(ParameterLayout.Entry entry, boolean pruned, NumberFormat format) {
    return !pruned && format != NumberFormat.FLOAT32 && entry.rows() > 1;
  }

  /// {@return bytes of a state, before it exists}
  ///
  /// @param layout of all parameters
  /// @param kept what survives of each, as [Mask#kept] says
  /// @param wireFormat of travelling gradients, and of matrices that products read
  public static long bytes(ParameterLayout layout, ParameterLayout kept, NumberFormat wireFormat) {
    long productBytes =
        layout.entries().stream()
            .filter(entry -> Mask.prunes(entry, kept))
            .mapToLong(entry ->
                SparseProducts.bytes(entry.rows(), entry.cols(), kept.entry(entry.name()).count()))
            .sum();
    return Masters.bytes(kept, wireFormat)
        + Operands.bytes(
            layout, wireFormat, entry -> copied(entry, Mask.prunes(entry, kept), wireFormat))
        + productBytes;
  }

  @Override
  public Mask mask() {
    Map<String, BitSet> kept = new HashMap<>();
    products.forEach((name, each) -> kept.put(name, each.kept()));
    return new Mask(layout(), kept);
  }

  @Override
  public void refresh(Workers w) {
    products.forEach((name, own) -> own.refresh(own(weights(), name), w));
    w.run(
        pieces.size(),
        (task, worker) -> {
          Piece piece = pieces.get(task);
          operands.narrow(piece, own(weights(), piece.entry().name()));
        });
  }

  @Override
  public Weight parameter(String name) {
    return Weights.named(weightsByName, name);
  }

  @Override
  public void expand(String name, MemorySegment flat, int begin, int end, MemorySegment to) {
    SparseProducts own = products.get(name);
    if (own == null) {
      to.copyFrom(range(own(flat, name), begin, end));
    } else {
      own.expand(begin, end, own(flat, name), to);
    }
  }

  @Override
  public void compress(String name, int begin, int end, MemorySegment values, MemorySegment flat) {
    SparseProducts own = products.get(name);
    if (own == null) {
      range(own(flat, name), begin, end).copyFrom(values);
    } else {
      own.compress(begin, end, values, own(flat, name));
    }
  }
}
