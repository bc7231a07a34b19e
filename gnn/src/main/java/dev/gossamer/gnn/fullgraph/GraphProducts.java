package dev.gossamer.gnn.fullgraph;

import dev.gossamer.comm.Communicator;
import dev.gossamer.exchange.ExchangeStrategy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/// How the products by `Â` are done, alike on all ranks: what may be traded for memory.
///
/// @param strategy which rows travel, and how
/// @param input what is kept of the first layer's product
/// @param columns of remote rows that a rank holds at once, at most: wider matrices go in blocks of
///   columns, bit by bit the same
public record GraphProducts(ExchangeStrategy strategy, Input input, int columns) {
  /// What is kept, from the first layer's product, of the width of dense features.
  public enum Input {
    /// What saves most products: `Â X` from before the first epoch on, if training drops nothing of
    /// `X`.
    KEPT,
    /// Nothing. Every pass multiplies again: `Â (X W)`, or `(Â X) W` in the buffer that all layers
    /// share if the layer widens.
    RECOMPUTED
  }

  /// Checks the columns.
  ///
  /// @throws IllegalArgumentException if none may be held
  public GraphProducts {
    if (columns < 1) {
      throw new IllegalArgumentException("columns: expected at least 1, found " + columns);
    }
  }

  /// {@return what is fastest: the first layer's product is kept, and rows travel whole}
  ///
  /// @param strategy which rows travel, and how
  public static GraphProducts usual(ExchangeStrategy strategy) {
    return new GraphProducts(strategy, Input.KEPT, Integer.MAX_VALUE);
  }

  /// {@return the same with another choice for the first layer}
  ///
  /// @param other what is kept
  public GraphProducts withInput(Input other) {
    return new GraphProducts(strategy, other, columns);
  }

  /// {@return the same with another bound}
  ///
  /// @param most columns that are held at once, at least 1
  public GraphProducts withColumns(int most) {
    return new GraphProducts(strategy, input, most);
  }

  /// {@return what the first rank has decided, on every rank} Collective.
  ///
  /// @param world all ranks
  /// @param strategy which every rank knows
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
