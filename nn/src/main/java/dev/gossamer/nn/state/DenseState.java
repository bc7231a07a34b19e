package dev.gossamer.nn.state;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.NumberFormat;
import dev.gossamer.matrix.format.StoredMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The parameters of a model and their gradients, each one flat float32 segment laid out by a
/// [ParameterLayout]; in mixed precision also matrices and gradients in 16 bits.
///
/// Of `phi` parameters in matrices the state takes `8 phi` bytes in float32 and `12 phi` in a
/// 16-bit format; with the two moments of Adam `16 phi` and `20 phi` (SAMO, section III-D).
/// Parameters of one row are read from the float32 weights.
///
/// The memory belongs to the arena given at construction.
public final class DenseState extends ModelState {
  /// Elements of one task of [#refresh].
  private static final int TASK = 1 << 16;

  private final Operands operands;
  private final List<Piece> pieces;
  private final Map<String, Weight> weightsByName = new HashMap<>();

  /// Creates a state of zeros in plain float32.
  ///
  /// @param arena owner of the memory
  /// @param layout all parameters of the model
  public DenseState(Arena arena, ParameterLayout layout) {
    this(arena, layout, NumberFormat.FLOAT32);
  }

  /// Creates a state of zeros.
  ///
  /// @param arena owner of the memory
  /// @param layout all parameters of the model
  /// @param format of the matrices that products read, and of sent gradients
  public DenseState(Arena arena, ParameterLayout layout, NumberFormat format) {
    super(layout, Masters.allocate(arena, layout, format));
    operands = Operands.allocate(arena, layout, format, entry -> copied(entry, format));
    pieces = Piece.cut(operands.layout(), TASK);
    for (ParameterLayout.Entry entry : layout.entries()) {
      StoredMatrix operand =
          copied(entry, format)
              ? operands.matrix(operands.layout().entry(entry.name()))
              : StoredMatrix.of(entry.matrix(masters.weights()));
      weightsByName.put(entry.name(), new WholeWeight(operand, entry.matrix(masters.gradients())));
    }
  }

  /// {@return the number of bytes of a plain float32 state with this layout}
  ///
  /// @param layout all parameters of the model
  public static long bytes(ParameterLayout layout) {
    return bytes(layout, NumberFormat.FLOAT32);
  }

  /// {@return the number of bytes of a state with this layout}
  ///
  /// @param layout all parameters of the model
  /// @param format of the matrices that products read, and of sent gradients
  public static long bytes(ParameterLayout layout, NumberFormat format) {
    return Masters.bytes(layout, format)
        + Operands.bytes(layout, format, entry -> copied(entry, format));
  }

  private static boolean copied(ParameterLayout.Entry entry, NumberFormat format) {
    return format != NumberFormat.FLOAT32 && entry.rows() > 1;
  }

  @Override
  public Mask mask() {
    return Mask.whole(layout());
  }

  @Override
  public void refresh(Workers w) {
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
    to.copyFrom(range(own(flat, name), begin, end));
  }

  @Override
  public void compress(String name, int begin, int end, MemorySegment values, MemorySegment flat) {
    range(own(flat, name), begin, end).copyFrom(values);
  }

  /// {@return a parameter as a matrix over this state's memory}
  ///
  /// @param name of the parameter
  public DenseMatrix weight(String name) {
    return layout().entry(name).matrix(weights());
  }

  /// {@return whether all weights are finite} `O(phi)`.
  public boolean isFinite() {
    return DenseMatrix.wrap(weights(), layout().count(), 1).isFinite();
  }

  /// {@return the gradient of a parameter as a matrix over this state's memory}
  ///
  /// @param name of the parameter
  public DenseMatrix gradient(String name) {
    return layout().entry(name).matrix(gradients());
  }
}
