package dev.gossamer.nn.state;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.format.NumberFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The parameters of a model with their gradients, as the optimizer uses them: two flat float32
/// segments of equal length, independent of the representation.
///
/// A [DenseState] keeps every parameter. A [CompressedState] keeps only the parameters that survive
/// pruning, in the order of the flattened parameters (SAMO, section III-B) or in the order in which
/// sparse products read them.
///
/// In mixed precision (Micikevicius et al., ICLR 2018) products read matrices in a 16-bit
/// [#format], gradients are sent in it as [#wire], and [#weights] are the float32 masters. An
/// iteration is then: add gradients, [#narrowGradients], sum the wire over the ranks,
/// [#widenGradients], let the optimizer step, [#refresh]. All methods are local.
public abstract sealed class ModelState permits DenseState, CompressedState {
  final Masters masters;
  private final ParameterLayout layout;

  /// @param layout of all parameters
  /// @param masters of the kept parameters
  ModelState(ParameterLayout layout, Masters masters) {
    this.layout = layout;
    this.masters = masters;
  }

  /// {@return all parameters of the model, including pruned ones}
  public final ParameterLayout layout() {
    return layout;
  }

  /// {@return the kept part of each parameter, in the same order, and its position in [#weights]
  /// and [#gradients]: an unpruned parameter in its own shape, a pruned one as one row of its
  /// surviving elements}
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

  /// {@return the format in which products read matrices and gradients are sent}
  public final NumberFormat format() {
    return masters.format();
  }

  /// {@return the gradients in the format in which they are sent: `kept().count()` numbers of the
  /// [#format], borrowed} In float32, these are the gradients themselves.
  public final MemorySegment wire() {
    return masters.wire();
  }

  /// Writes the gradients `begin..end-1` to the wire. Does nothing in float32.
  ///
  /// @param begin first element, 0-based
  /// @param end index after the last element
  public final void narrowGradients(long begin, long end) {
    masters.narrowGradients(begin, end);
  }

  /// Reads the gradients `begin..end-1` from the wire. Does nothing in float32.
  ///
  /// @param begin first element, 0-based
  /// @param end index after the last element
  public final void widenGradients(long begin, long end) {
    masters.widenGradients(begin, end);
  }

  /// Updates the matrices that products read from [#weights]; must be called when the weights have
  /// changed. Does nothing in float32 without pruning.
  ///
  /// @param w threads to use; borrowed
  public abstract void refresh(Workers w);

  /// {@return a matrix of parameters for the products of a layer}
  ///
  /// @param name of the parameter
  /// @throws IllegalArgumentException if there is no such parameter
  public abstract Weight parameter(String name);

  /// {@return a parameter of one row, which is never pruned: `float32[cols]`, borrowed}
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

  /// Expands the elements `begin..end-1` of a parameter, with zeros for pruned elements, from a
  /// flat segment laid out as [#kept]: [#weights], [#gradients], or an optimizer's state.
  ///
  /// @param name of the parameter
  /// @param flat `float32[kept().count()]`
  /// @param begin first element, 0-based
  /// @param end index after the last element
  /// @param to `float32[end - begin]`, overwritten
  /// @throws IllegalArgumentException if there is no such parameter
  public abstract void expand(
      String name, MemorySegment flat, int begin, int end, MemorySegment to);

  /// Computes the inverse of [#expand]: extracts the kept elements among `begin..end-1` of a
  /// parameter.
  ///
  /// @param name of the parameter
  /// @param begin first element, 0-based
  /// @param end index after the last element
  /// @param values `float32[end - begin]`
  /// @param flat `float32[kept().count()]`, overwritten at the positions of these elements
  /// @throws IllegalArgumentException if there is no such parameter
  public abstract void compress(
      String name, int begin, int end, MemorySegment values, MemorySegment flat);

  /// {@return the kept elements of a parameter, in order, from a flat segment laid out as [#kept]:
  /// `float32`, borrowed or a copy}
  ///
  /// @param arena owner of a copy
  /// @param name of the parameter
  /// @param flat `float32[kept().count()]`
  /// @throws IllegalArgumentException if there is no such parameter
  public MemorySegment survivors(Arena arena, String name, MemorySegment flat) {
    return own(flat, name);
  }

  /// Computes the inverse of [#survivors].
  ///
  /// @param name of the parameter
  /// @param ascending the kept elements, in order
  /// @param flat `float32[kept().count()]`, overwritten at the position of the parameter
  /// @throws IllegalArgumentException if there is no such parameter or the size differs
  public void setSurvivors(String name, MemorySegment ascending, MemorySegment flat) {
    own(flat, name).copyFrom(ascending);
  }

  /// Copies a parameter with zeros for pruned elements, for export.
  ///
  /// @param name of the parameter
  /// @param to `float32[rows cols]`, overwritten
  /// @throws IllegalArgumentException if there is no such parameter
  public final void dense(String name, MemorySegment to) {
    expand(name, weights(), 0, Math.toIntExact(layout().entry(name).count()), to);
  }

  /// {@return the total time spent compressing gradients, in ns, summed over threads; 0 if nothing
  /// is compressed}
  public long compressionNanos() {
    return 0;
  }

  /// The part of a flat segment that belongs to a parameter.
  final MemorySegment own(MemorySegment flat, String name) {
    return kept().entry(name).of(flat);
  }

  /// The elements `begin..end-1` of numbers.
  static MemorySegment range(MemorySegment floats, int begin, int end) {
    return floats.asSlice((long) begin * Float.BYTES, ((long) end - begin) * Float.BYTES);
  }
}
