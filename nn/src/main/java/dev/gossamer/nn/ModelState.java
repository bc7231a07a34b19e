package dev.gossamer.nn;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// The parameters of a model and their gradients, each one flat float32 segment laid out by a
/// [ParameterLayout].
///
/// The memory belongs to the arena given at construction.
public final class ModelState {
  private final ParameterLayout layout;
  private final MemorySegment weights;
  private final MemorySegment gradients;

  /// All zeros.
  public ModelState(Arena arena, ParameterLayout layout) {
    this.layout = layout;
    weights = arena.allocate(layout.count() * Float.BYTES, DenseMatrix.ALIGNMENT);
    gradients = arena.allocate(layout.count() * Float.BYTES, DenseMatrix.ALIGNMENT);
  }

  /// Bytes of a state with this layout, before it exists.
  public static long bytes(ParameterLayout layout) {
    return 2 * layout.count() * Float.BYTES;
  }

  public ParameterLayout layout() {
    return layout;
  }

  /// `float32[count]`, borrowed.
  public MemorySegment weights() {
    return weights;
  }

  /// `float32[count]`, borrowed.
  public MemorySegment gradients() {
    return gradients;
  }

  /// A parameter as a matrix over this state's memory.
  public DenseMatrix weight(String name) {
    return view(weights, layout.entry(name));
  }

  /// The gradient of a parameter as a matrix over this state's memory.
  public DenseMatrix gradient(String name) {
    return view(gradients, layout.entry(name));
  }

  private static DenseMatrix view(MemorySegment flat, ParameterLayout.Entry entry) {
    MemorySegment slice = flat.asSlice(entry.offset() * Float.BYTES, entry.count() * Float.BYTES);
    return DenseMatrix.wrap(slice, entry.rows(), entry.cols());
  }
}
