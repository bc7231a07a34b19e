package dev.gossamer.sampling;

import dev.gossamer.matrix.CsrMatrix;

/// One layer of a sampled batch: `Â^l`, with the weights that the sampler promises (see [Sampler]).
///
/// The first [#destinations] sources are the destinations themselves, in the same order, whether
/// they were drawn or not: the own row of a destination has its number.
public final class SampledBlock {
  private final CsrMatrix matrix;
  private final int[] sources;

  SampledBlock(CsrMatrix matrix, int[] sources) {
    this.matrix = matrix;
    this.sources = sources;
  }

  /// `destinations x sources`, in numbers of this block. Columns in a row are distinct and in the
  /// order of their vertices.
  public CsrMatrix matrix() {
    return matrix;
  }

  /// Number of destinations.
  public int destinations() {
    return (int) matrix.rows();
  }

  /// The vertex of each source. Borrowed.
  public int[] sources() {
    return sources;
  }
}
