package dev.gossamer.nn;

import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.format.NumberFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The parameters of a model with their gradients, as the optimizer sees them: two flat float32
/// segments of equal length, whatever lies behind.
///
/// A [DenseState] keeps every parameter. A [CompressedState] keeps the survivors of pruning alone,
/// one after the other as they lie in the flattened parameters (SAMO, section III-B) or as sparse
/// products read them.
///
/// In mixed precision (Micikevicius et al., ICLR 2018) products read matrices in a 16-bit
/// [#format], gradients travel in it as [#wire], and [#weights] are the float32 masters. An
/// iteration then is: add gradients, [#narrowGradients], sum the wire over the ranks,
/// [#widenGradients], let the optimizer step, [#refresh]. All methods are local.
public abstract sealed class ModelState permits DenseState, CompressedState {
  final Masters masters;
  private final ParameterLayout layout;

  /// @param layout of all parameters
  /// @param masters of what is kept
  ModelState(ParameterLayout layout, Masters masters) {
    this.layout = layout;
    this.masters = masters;
  }

  /// {@return all parameters of the model, pruned ones included}
  public final ParameterLayout layout() {
    return layout;
  }

  /// {@return what is kept of each parameter, in the same order, and where it lies in [#weights]
  /// and [#gradients]: a parameter that is kept whole in its own shape, another as one row of its
  /// survivors}
  public final ParameterLayout kept() {
    return masters.layout();
  }

  /// {@return which elements are kept, newly allocated}
  public abstract Mask mask();

  /// {@return `float32[kept().count()]`, borrowed}
  public final MemorySegment weights() {
    return masters.weights();
  }

  /// {@return `float32[kept().count()]`, borrowed}
  public final MemorySegment gradients() {
    return masters.gradients();
  }

  /// {@return the format in which products read matrices and gradients travel}
  public final NumberFormat format() {
    return masters.format();
  }

  /// {@return the gradients as they travel: `kept().count()` numbers of the [#format], borrowed} In
  /// float32 the gradients themselves.
  public final MemorySegment wire() {
    return masters.wire();
  }

  /// Writes the gradients `begin..end-1` to the wire. In float32 they are there.
  ///
  /// @param begin first element, 0-based
  /// @param end behind the last element
  public final void narrowGradients(long begin, long end) {
    masters.narrowGradients(begin, end);
  }

  /// Reads the gradients `begin..end-1` from the wire. In float32 they are there.
  ///
  /// @param begin first element, 0-based
  /// @param end behind the last element
  public final void widenGradients(long begin, long end) {
    masters.widenGradients(begin, end);
  }

  /// Makes what products read follow [#weights]: to be called when these have changed. In plain
  /// float32 without pruning nothing is to be done.
  ///
  /// @param w threads that share the work
  public abstract void refresh(Workers w);

  /// {@return a matrix of parameters as a layer multiplies with it}
  ///
  /// @param name of the parameter
  /// @throws IllegalArgumentException if there is no such parameter
  public abstract Weight parameter(String name);

  /// {@return a parameter of one row, which pruning leaves alone: `float32[cols]`, borrowed}
  ///
  /// @param name of the parameter
  /// @throws IllegalArgumentException if there is none or it has several rows
  public final MemorySegment vector(String name) {
    if (layout.entry(name).rows() != 1) {
      throw new IllegalArgumentException(
          "%s: expected one row, found %d".formatted(name, layout.entry(name).rows()));
    }
    return own(weights(), name);
  }

  /// The elements `begin..end-1` of a parameter with zeros for the pruned, from a flat segment laid
  /// out as [#kept]: [#weights], [#gradients], or an optimizer's memory.
  ///
  /// @param name of the parameter
  /// @param flat `float32[kept().count()]`
  /// @param begin first element, 0-based
  /// @param end behind the last element
  /// @param to `float32[end - begin]`, overwritten
  /// @throws IllegalArgumentException if there is no such parameter
  public abstract void expand(
      String name, MemorySegment flat, int begin, int end, MemorySegment to);

  /// The inverse of [#expand]: of the elements `begin..end-1` of a parameter, what is kept.
  ///
  /// @param name of the parameter
  /// @param begin first element, 0-based
  /// @param end behind the last element
  /// @param values `float32[end - begin]`
  /// @param flat `float32[kept().count()]`, overwritten where these elements lie
  /// @throws IllegalArgumentException if there is no such parameter
  public abstract void compress(
      String name, int begin, int end, MemorySegment values, MemorySegment flat);

  /// {@return what is kept of a parameter, in the order of its elements, from a flat segment laid
  /// out as [#kept]: `float32`, borrowed or a copy}
  ///
  /// @param arena owner of a copy
  /// @param name of the parameter
  /// @param flat `float32[kept().count()]`
  /// @throws IllegalArgumentException if there is no such parameter
  public MemorySegment survivors(Arena arena, String name, MemorySegment flat) {
    return own(flat, name);
  }

  /// The inverse of [#survivors].
  ///
  /// @param name of the parameter
  /// @param ascending what is kept of it, in the order of its elements
  /// @param flat `float32[kept().count()]`, overwritten where the parameter lies
  /// @throws IllegalArgumentException if there is no such parameter or the size is another
  public void setSurvivors(String name, MemorySegment ascending, MemorySegment flat) {
    own(flat, name).copyFrom(ascending);
  }

  /// A parameter with zeros for what is pruned: for export.
  ///
  /// @param name of the parameter
  /// @param to `float32[rows cols]`, overwritten
  /// @throws IllegalArgumentException if there is no such parameter
  public final void dense(String name, MemorySegment to) {
    expand(name, weights(), 0, Math.toIntExact(layout().entry(name).count()), to);
  }

  /// {@return time that was spent in compressing gradients since the beginning, in ns, summed over
  /// threads; 0 where nothing is compressed}
  public long compressionNanos() {
    return 0;
  }

  /// What belongs to a parameter in a flat segment.
  final MemorySegment own(MemorySegment flat, String name) {
    return kept().entry(name).of(flat);
  }

  /// The elements `begin..end-1` of numbers.
  static MemorySegment range(MemorySegment floats, int begin, int end) {
    return floats.asSlice((long) begin * Float.BYTES, ((long) end - begin) * Float.BYTES);
  }
}
