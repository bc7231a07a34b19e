package dev.gossamer.caller;

import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;

/// A program outside of the module, which has a matrix made.
final class FirstUse {
  private FirstUse() {}

  public static void main(String[] arguments) {
    DenseMatrix x = DenseMatrix.allocate(Arena.ofAuto(), 2, 3);
    System.out.println(x.rows() * x.cols());
  }
}
