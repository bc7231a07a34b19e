package dev.gossamer.nn;

import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.kernel.Matmul;

/// What a layer computes with: the threads of its rank, the chosen dense matmul, and the clock that
/// says where time goes.
public record Kernels(Workers workers, Matmul matmul, PhaseClock clock) {
  public Kernels(Workers workers, Matmul matmul) {
    this(workers, matmul, new PhaseClock());
  }
}
