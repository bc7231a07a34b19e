package dev.gossamer.nn.state;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.format.StoredMatrix;
import dev.gossamer.matrix.sparse.PatternProducts;
import dev.gossamer.matrix.sparse.SurvivorIndex;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/// The parameters of a pruned model (S. Singh and A. Bhatele, *Exploiting Sparsity in Pruned Neural
/// Networks to Optimize Large Model Training*, IPDPS 2023, section III: SAMO). Float32 weights and
/// gradients, gradients in the format in which they are sent, and the optimizer's state are kept
/// only for surviving parameters.
///
/// **Dense products** (SAMO) read matrices with zeros for pruned weights, and there is one index
/// for each pruned parameter. For `phi` parameters, a fraction `f` of which survives, a 16-bit
/// state takes `2 phi + 10 f phi` bytes and the index `4 f phi` (in int32) or about `phi / 8` (as a
/// bitmap); with the two moments of Adam `2 phi + 22 f phi`, and [DownCast#WHOLE] adds the `2 f
/// phi` of the published `2 phi + 24 f phi`. In float32 it is `4 phi + 8 f phi` and the index.
/// Deviations from the paper: gradients are summed in float32 and rounded to 16 bits once per
/// iteration, before they are sent; they are compressed block by block instead of layer by layer;
/// unpruned parameters have no index.
///
/// **Sparse products** (SAMO, section V-B, there with the GPU library Sputnik) read the float32
/// masters, unrounded and in place: no dense matrix exists, products skip pruned elements, and
/// nothing has to be refreshed after a step. The survivors of such a matrix are stored in the order
/// of [PatternProducts]; [#survivors] sorts them. The pattern of single elements takes `4 f phi`
/// bytes and about `phi / 32`; with the two moments of Adam the state takes `phi / 32 + 22 f phi`.
/// If the survivors are entire blocks, it takes `3/8 f phi` and about `phi / 128`, and the state
/// `phi / 128 + 18.4 f phi`.
///
/// The memory belongs to the arena given at construction.
public final class CompressedState extends ModelState {
  /// Elements of one task of [#refresh].
  private static final int TASK = 1 << 16;

  /// Elements that move at a time from one state to another.
  private static final int MOVED = 1 << 20;

  private final Operands operands;
  private final Map<String, SurvivorIndex> indices = new HashMap<>();
  private final Map<String, PatternProducts> products = new HashMap<>();
  private final Map<String, Weight> weightsByName = new HashMap<>();
  private final LongAdder compressing = new LongAdder();
  private final List<Piece> pieces;

  /// What the 16-bit copy of survivors has: nothing where there is no such copy.
  private final ParameterLayout staged;

  private final List<Piece> stagedPieces;

  private final MemorySegment staging;

  /// Creates a state of zeros.
  ///
  /// @param arena owner of the memory
  /// @param mask of the surviving parameters; not kept
  /// @param form of storage
  public CompressedState(Arena arena, Mask mask, CompressedForm form) {
    super(mask.layout(), Masters.allocate(arena, mask.kept(), form.format()));
    ParameterLayout layout = layout();
    ParameterLayout kept = kept();
    operands = Operands.allocate(arena, layout, form.format(), entry -> form.isCopied(entry, kept));
    pieces = Piece.cut(operands.layout(), TASK);
    staged = staged(layout, kept, form);
    stagedPieces = Piece.cut(staged, TASK);
    staging = arena.allocate(staged.count() * form.format().bytes(), DenseMatrix.ALIGNMENT);
    for (ParameterLayout.Entry entry : layout.entries()) {
      MemorySegment weights = kept.entry(entry.name()).of(masters.weights());
      MemorySegment gradient = kept.entry(entry.name()).of(masters.gradients());
      if (form.isSparse(entry, kept)) {
        BitSet survivors = mask.survivors(entry.name());
        PatternProducts own = PatternProducts.of(arena, entry.rows(), entry.cols(), survivors);
        products.put(entry.name(), own);
        weightsByName.put(entry.name(), new SparseWeight(own, weights, gradient));
        continue;
      }
      StoredMatrix operand = operand(entry, form.isCopied(entry, kept));
      if (mask.prunes(entry.name())) {
        SurvivorIndex index =
            SurvivorIndex.of(
                arena, form.index(), Math.toIntExact(entry.count()), mask.survivors(entry.name()));
        indices.put(entry.name(), index);
        weightsByName.put(entry.name(), new PrunedWeight(operand, index, gradient, compressing));
      } else {
        DenseMatrix whole = DenseMatrix.wrap(gradient, entry.rows(), entry.cols());
        weightsByName.put(entry.name(), new WholeWeight(operand, whole));
      }
    }
  }

  /// {@return a state with fewer survivors than another: copies the survivors' weights, with zero
  /// gradients} The other state is not changed.
  ///
  /// @param arena owner of the memory
  /// @param from of the same layout
  /// @param mask whose survivors also survive in `from`
  /// @param form of storage
  /// @param w threads to use; borrowed
  /// @throws IllegalArgumentException if they do not
  public static CompressedState of(
      Arena arena, ModelState from, Mask mask, CompressedForm form, Workers w) {
    mask.requireWithin(from);
    CompressedState to = new CompressedState(arena, mask, form);
    move(from, from.weights(), to, to.weights());
    to.refresh(w);
    return to;
  }

  /// Copies one flat segment of a state to another state that keeps at most the same elements.
  ///
  /// @param from state to copy from
  /// @param flat laid out as [#kept] of `from`
  /// @param to state to copy to, which keeps no more
  /// @param target laid out as [#kept] of `to`, overwritten
  public static void move(
      ModelState from, MemorySegment flat, ModelState to, MemorySegment target) {
    try (Arena local = Arena.ofConfined()) {
      MemorySegment room = local.allocate((long) MOVED * Float.BYTES, DenseMatrix.ALIGNMENT);
      for (Piece piece : Piece.cut(to.layout(), MOVED)) {
        String name = piece.entry().name();
        MemorySegment values = room.asSlice(0, piece.count() * Float.BYTES);
        from.expand(name, flat, piece.begin(), piece.end(), values);
        to.compress(name, piece.begin(), piece.end(), values, target);
      }
    }
  }

  private StoredMatrix operand(ParameterLayout.Entry entry, boolean copied) {
    if (copied) {
      return operands.matrix(operands.layout().entry(entry.name()));
    }
    MemorySegment own = kept().entry(entry.name()).of(masters.weights());
    return new StoredMatrix(own, entry.rows(), entry.cols(), NumberFormat.FLOAT32);
  }

  /// The survivors of which there is a 16-bit copy: of all matrices that products read as such.
  private static ParameterLayout staged(
      ParameterLayout layout, ParameterLayout kept, CompressedForm form) {
    boolean whole = form.downCast() == DownCast.WHOLE && form.format() != NumberFormat.FLOAT32;
    return kept.where(entry -> whole && !form.isSparse(layout.entry(entry.name()), kept));
  }

  /// {@return the number of bytes of a state}
  ///
  /// @param layout of all parameters
  /// @param kept survivors of each parameter, as returned by [Mask#kept]
  /// @param form of storage
  public static long bytes(ParameterLayout layout, ParameterLayout kept, CompressedForm form) {
    long patterns = 0;
    for (ParameterLayout.Entry entry : layout.entries()) {
      long survivors = kept.entry(entry.name()).count();
      if (form.isSparse(entry, kept)) {
        patterns += form.patternBytes(entry, survivors);
      } else if (Mask.prunes(entry, kept)) {
        patterns += form.index().bytes(entry.count(), survivors);
      }
    }
    return Masters.bytes(kept, form.format())
        + Operands.bytes(layout, form.format(), entry -> form.isCopied(entry, kept))
        + patterns
        + staged(layout, kept, form).count() * form.format().bytes();
  }

  @Override
  public Mask mask() {
    Map<String, BitSet> kept = new HashMap<>();
    indices.forEach((name, index) -> kept.put(name, index.kept()));
    products.forEach((name, own) -> kept.put(name, own.kept()));
    return new Mask(layout(), kept);
  }

  @Override
  public void refresh(Workers w) {
    boolean fromStaging = staging.byteSize() > 0;
    if (fromStaging) {
      stage(w);
    }
    w.run(
        pieces.size(), (task, worker) -> expand(pieces.get(task), fromStaging, w.scratch(worker)));
  }

  /// Makes the 16-bit copy of survivors.
  private void stage(Workers w) {
    w.run(
        stagedPieces.size(),
        (task, worker) -> {
          Piece piece = stagedPieces.get(task);
          long to = piece.entry().offset() + piece.begin();
          MemorySegment own = own(weights(), piece.entry().name());
          format()
              .narrow(
                  range(own, piece.begin(), piece.end()),
                  staging.asSlice(to * format().bytes(), piece.count() * format().bytes()));
        });
  }

  private void expand(Piece piece, boolean fromStaging, MemorySegment room) {
    ParameterLayout.Entry entry = piece.entry();
    NumberFormat stored = fromStaging ? format() : NumberFormat.FLOAT32;
    ParameterLayout.Entry own = (fromStaging ? staged : kept()).entry(entry.name());
    MemorySegment from =
        (fromStaging ? staging : weights())
            .asSlice(own.offset() * stored.bytes(), own.count() * stored.bytes());
    MemorySegment to = operands.matrix(entry).data();
    SurvivorIndex index = indices.get(entry.name());
    if (index != null) {
      index.expand(piece.begin(), piece.end(), from, stored, to, format(), room);
      return;
    }
    MemorySegment values = slice(from, stored, piece);
    MemorySegment target = slice(to, format(), piece);
    if (stored == format()) {
      target.copyFrom(values);
    } else {
      format().narrow(values, target);
    }
  }

  private static MemorySegment slice(MemorySegment numbers, NumberFormat format, Piece piece) {
    return numbers.asSlice((long) piece.begin() * format.bytes(), piece.count() * format.bytes());
  }

  @Override
  public Weight parameter(String name) {
    return Weights.named(weightsByName, name);
  }

  @Override
  public void expand(String name, MemorySegment flat, int begin, int end, MemorySegment to) {
    MemorySegment own = own(flat, name);
    SurvivorIndex index = indices.get(name);
    PatternProducts pattern = products.get(name);
    if (index != null) {
      index.expand(begin, end, own, to);
    } else if (pattern != null) {
      pattern.expand(begin, end, own, to);
    } else {
      to.copyFrom(range(own, begin, end));
    }
  }

  @Override
  public void compress(String name, int begin, int end, MemorySegment values, MemorySegment flat) {
    MemorySegment own = own(flat, name);
    SurvivorIndex index = indices.get(name);
    PatternProducts pattern = products.get(name);
    if (index != null) {
      index.compress(begin, end, values, own);
    } else if (pattern != null) {
      pattern.compress(begin, end, values, own);
    } else {
      range(own, begin, end).copyFrom(values);
    }
  }

  @Override
  public MemorySegment survivors(Arena arena, String name, MemorySegment flat) {
    PatternProducts pattern = products.get(name);
    if (pattern == null) {
      return super.survivors(arena, name, flat);
    }
    MemorySegment ascending = arena.allocate(own(flat, name).byteSize(), Float.BYTES);
    pattern.sorted(own(flat, name), ascending);
    return ascending;
  }

  @Override
  public void setSurvivors(String name, MemorySegment ascending, MemorySegment flat) {
    PatternProducts pattern = products.get(name);
    if (pattern == null) {
      super.setSurvivors(name, ascending, flat);
    } else {
      pattern.unsorted(ascending, own(flat, name));
    }
  }

  @Override
  public long compressionNanos() {
    return compressing.sum();
  }
}
