package dev.gossamer.gnn.fullgraph;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.ExchangeStrategy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/// How products by `Â` are computed, on all ranks: trades time for memory.
///
/// @param strategy which rows are exchanged, and how
/// @param input whether the first layer's product is stored
/// @param columns maximum columns of remote rows that a rank holds at a time: wider matrices are
///   exchanged in blocks of columns, with bit-identical results
public record GraphProducts(ExchangeStrategy strategy, Input input, int columns) {
  /// Whether the first layer's product, which has the width of dense features, is stored.
  public enum Input {
    /// Saves most products: `Â X` is computed before the first epoch and stored, if training does
    /// not apply dropout to `X`.
    KEPT,
    /// Stores nothing. Every pass computes `Â (X W)`, or, if the layer widens, `(Â X) W` in the
    /// buffer that all layers share.
    RECOMPUTED
  }

  /// Checks the columns.
  ///
  /// @throws IllegalArgumentException if the number is less than 1
  public GraphProducts {
    if (columns < 1) {
      throw new IllegalArgumentException("columns: expected at least 1, found " + columns);
    }
  }

  /// {@return the fastest products: the first layer's product is stored, and whole rows are sent}
  ///
  /// @param strategy which rows are exchanged, and how
  public static GraphProducts usual(ExchangeStrategy strategy) {
    return new GraphProducts(strategy, Input.KEPT, Integer.MAX_VALUE);
  }

  /// {@return a copy with another choice for the first layer}
  ///
  /// @param other whether the product is stored
  public GraphProducts withInput(Input other) {
    return new GraphProducts(strategy, other, columns);
  }

  /// {@return a copy with another maximum number of columns}
  ///
  /// @param most columns, at least 1
  public GraphProducts withColumns(int most) {
    return new GraphProducts(strategy, input, most);
  }

  /// {@return the decision of the first rank} Collective.
  ///
  /// @param world all ranks
  /// @param strategy known to every rank
  /// @param decided null on all ranks but the first
  public static GraphProducts broadcast(
      Communicator world, ExchangeStrategy strategy, @Nullable GraphProducts decided) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment numbers = arena.allocate(ValueLayout.JAVA_INT, 2);
      if (decided != null) {
        numbers.setAtIndex(ValueLayout.JAVA_INT, 0, decided.input() == Input.KEPT ? 1 : 0);
        numbers.setAtIndex(ValueLayout.JAVA_INT, 1, decided.columns());
      }
      world.broadcast(0, numbers);
      return new GraphProducts(
          strategy,
          numbers.getAtIndex(ValueLayout.JAVA_INT, 0) == 1 ? Input.KEPT : Input.RECOMPUTED,
          numbers.getAtIndex(ValueLayout.JAVA_INT, 1));
    }
  }
}
