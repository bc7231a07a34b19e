package dev.gossamer.nn.layers;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.attention.EdgePattern;
import dev.gossamer.matrix.attention.EdgeRows;
import dev.gossamer.matrix.format.RowIds;
import org.jspecify.annotations.Nullable;

/// Edges whose rows move as those of another neighbourhood.
interface AroundEdges extends Neighbourhood {
  /// {@return the other neighbourhood}
  Neighbourhood around();

  @Override
  default EdgePattern.Transposed transposed() {
    return around().transposed();
  }

  @Override
  default @Nullable EdgeRows features() {
    return around().features();
  }

  @Override
  default RowIds sources() {
    return around().sources();
  }

  @Override
  default void gather(DenseMatrix z) {
    around().gather(z);
  }

  @Override
  default void scatterAdd(DenseMatrix gradient) {
    around().scatterAdd(gradient);
  }
}
