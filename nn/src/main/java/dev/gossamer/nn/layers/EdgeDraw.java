package dev.gossamer.nn.layers;

import dev.gossamer.nn.clock.Phase;
import java.util.function.LongConsumer;

/// Edges of a graph that the steps of training draw: once a step, by the first pass that asks.
///
/// Not thread-safe.
public final class EdgeDraw {
  private final Kernels kernels;
  private final LongConsumer draw;
  private long drawn = -1;

  /// Creates a draw of no step yet.
  ///
  /// @param kernels with the clock; borrowed
  /// @param draw leaves the edges of a step
  public EdgeDraw(Kernels kernels, LongConsumer draw) {
    this.kernels = kernels;
    this.draw = draw;
  }

  /// Draws the edges of a step unless they are there.
  ///
  /// @param step epoch or batch, at least 0
  public void of(long step) {
    if (step != drawn) {
      kernels.clock().measure(Phase.OTHER, "drop edges", () -> draw.accept(step));
      drawn = step;
    }
  }
}
