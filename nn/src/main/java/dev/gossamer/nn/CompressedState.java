package dev.gossamer.nn;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.format.StoredMatrix;
import dev.gossamer.matrix.sparse.IndexKind;
import dev.gossamer.matrix.sparse.SurvivorIndex;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/// The parameters of a pruned model (S. Singh and A. Bhatele, *Exploiting Sparsity in Pruned Neural
/// Networks to Optimize Large Model Training*, IPDPS 2023, section III: SAMO). Products read dense
/// matrices with zeros in place of what is pruned; everything else, float32 weights and gradients,
/// gradients as they travel, and the optimizer's memory, is kept for the survivors alone, with one
/// index for each pruned parameter.
///
/// Of `phi` parameters, a share `f` of which survives, a 16-bit state takes `2 phi + 10 f phi`
/// bytes and the index `4 f phi` (in int32) or about `phi / 8` (as a bitmap); with the two moments
/// of Adam `2 phi + 22 f phi`, and [DownCast#WHOLE] adds the `2 f phi` of the published `2 phi + 24
/// f phi`. In float32 it is `4 phi + 8 f phi` and the index.
///
/// It deviates from the paper in that gradients are added up in float32 and become 16-bit numbers
/// once an iteration, before they travel; in that they are compressed a block at a time, where the
/// paper does so a layer at a time; and in that parameters which pruning leaves whole have no
/// index.
///
/// The memory belongs to the arena given at construction.
public final class CompressedState extends ModelState {
  /// Elements of one task of [#refresh].
  private static final int TASK = 1 << 16;

  /// Elements that move at a time from one state to another.
  private static final int MOVED = 1 << 20;

  private final Operands operands;
  private final Map<String, SurvivorIndex> indices = new HashMap<>();
  private final Map<String, Weight> weightsByName = new HashMap<>();
  private final LongAdder compressing = new LongAdder();
  private final List<Piece> pieces;

  /// The survivors as 16-bit numbers, laid out as [#kept]: empty where there is no such copy.
  private final MemorySegment staging;

  /// All zeros.
  ///
  /// @param arena owner of the memory
  /// @param mask which parameters survive; the state needs it no more afterwards
  /// @param format of the matrices that products read, and of travelling gradients
  /// @param kind how survivors are counted
  /// @param downCast when 16-bit copies are made
  public CompressedState(
      Arena arena, Mask mask, NumberFormat format, IndexKind kind, DownCast downCast) {
    super(mask.layout(), Masters.allocate(arena, mask.kept(), format));
    ParameterLayout layout = layout();
    ParameterLayout kept = kept();
    operands =
        Operands.allocate(
            arena, layout, format, entry -> copied(entry, mask.prunes(entry.name()), format));
    pieces = Piece.cut(operands.layout(), TASK);
    staging = arena.allocate(stagingBytes(kept, format, downCast), DenseMatrix.ALIGNMENT);
    for (ParameterLayout.Entry entry : layout.entries()) {
      boolean pruned = mask.prunes(entry.name());
      MemorySegment gradient = kept.entry(entry.name()).of(masters.gradients());
      StoredMatrix operand = operand(entry, copied(entry, pruned, format));
      if (pruned) {
        SurvivorIndex index =
            SurvivorIndex.of(
                arena, kind, Math.toIntExact(entry.count()), mask.survivors(entry.name()));
        indices.put(entry.name(), index);
        weightsByName.put(entry.name(), new PrunedWeight(operand, index, gradient, compressing));
      } else {
        DenseMatrix whole = DenseMatrix.wrap(gradient, entry.rows(), entry.cols());
        weightsByName.put(entry.name(), new WholeWeight(operand, whole));
      }
    }
  }

  /// {@return a state with fewer survivors than another: the survivors' weights are taken over,
  /// gradients are zero} The other state is left as it is.
  ///
  /// @param arena owner of the memory
  /// @param from of the same layout
  /// @param mask whose survivors are survivors there, too
  /// @param format of the matrices that products read, and of travelling gradients
  /// @param kind how survivors are counted
  /// @param downCast when 16-bit copies are made
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if they are not
  public static CompressedState of(
      Arena arena,
      ModelState from,
      Mask mask,
      NumberFormat format,
      IndexKind kind,
      DownCast downCast,
      Workers w) {
    mask.requireWithin(from);
    CompressedState to = new CompressedState(arena, mask, format, kind, downCast);
    move(from, from.weights(), to, to.weights());
    to.refresh(w);
    return to;
  }

  /// Copies one flat segment of a state to another state that keeps the same or less.
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

  private static boolean copied(ParameterLayout.Entry entry, boolean pruned, NumberFormat format) {
    return pruned || (format != NumberFormat.FLOAT32 && entry.rows() > 1);
  }

  private static long stagingBytes(ParameterLayout kept, NumberFormat format, DownCast downCast) {
    return switch (downCast) {
      case CHUNKED -> 0;
      case WHOLE -> format == NumberFormat.FLOAT32 ? 0 : kept.count() * format.bytes();
    };
  }

  /// {@return bytes of a state, before it exists}
  ///
  /// @param layout of all parameters
  /// @param kept what survives of each, as [Mask#kept] says
  /// @param format of the matrices that products read, and of travelling gradients
  /// @param kind how survivors are counted
  /// @param downCast when 16-bit copies are made
  public static long bytes(
      ParameterLayout layout,
      ParameterLayout kept,
      NumberFormat format,
      IndexKind kind,
      DownCast downCast) {
    long indexBytes =
        layout.entries().stream()
            .filter(entry -> Mask.prunes(entry, kept))
            .mapToLong(entry -> kind.bytes(entry.count(), kept.entry(entry.name()).count()))
            .sum();
    return Masters.bytes(kept, format)
        + Operands.bytes(layout, format, entry -> copied(entry, Mask.prunes(entry, kept), format))
        + indexBytes
        + stagingBytes(kept, format, downCast);
  }

  @Override
  public Mask mask() {
    Map<String, BitSet> kept = new HashMap<>();
    indices.forEach((name, index) -> kept.put(name, index.kept()));
    return new Mask(layout(), kept);
  }

  @Override
  public void refresh(Workers w) {
    if (staging.byteSize() > 0) {
      stage(w);
    }
    boolean staged = staging.byteSize() > 0;
    NumberFormat stored = staged ? format() : NumberFormat.FLOAT32;
    MemorySegment source = staged ? staging : weights();
    w.run(
        pieces.size(),
        (task, worker) -> expand(pieces.get(task), source, stored, w.scratch(worker)));
  }

  /// Makes the 16-bit copy of all survivors.
  private void stage(Workers w) {
    long count = kept().count();
    w.run(
        Math.toIntExact(Math.ceilDiv(count, (long) TASK)),
        (task, worker) -> {
          long begin = (long) task * TASK;
          long n = Math.min(count, begin + TASK) - begin;
          format()
              .narrow(
                  weights().asSlice(begin * Float.BYTES, n * Float.BYTES),
                  staging.asSlice(begin * format().bytes(), n * format().bytes()));
        });
  }

  private void expand(Piece piece, MemorySegment source, NumberFormat stored, MemorySegment room) {
    ParameterLayout.Entry entry = piece.entry();
    ParameterLayout.Entry own = kept().entry(entry.name());
    MemorySegment from =
        source.asSlice(own.offset() * stored.bytes(), own.count() * stored.bytes());
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
    if (index == null) {
      to.copyFrom(range(own, begin, end));
    } else {
      index.expand(begin, end, own, to);
    }
  }

  @Override
  public void compress(String name, int begin, int end, MemorySegment values, MemorySegment flat) {
    MemorySegment own = own(flat, name);
    SurvivorIndex index = indices.get(name);
    if (index == null) {
      range(own, begin, end).copyFrom(values);
    } else {
      index.compress(begin, end, values, own);
    }
  }

  @Override
  public long compressionNanos() {
    return compressing.sum();
  }
}
