package dev.gossamer.nn.layers;

import dev.gossamer.matrix.ColumnBlock;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.dense.Epilogues;
import dev.gossamer.matrix.dense.RowEpilogue;
import dev.gossamer.matrix.dense.RowMaxima;
import dev.gossamer.matrix.format.RowGather;

/// The place of a hidden layer in the combination of all of them, which is in the carried rows: its
/// columns of [Jumping#CONCAT], and all columns of the others. [Jumping#MAX] has behind them the
/// number of the layer that each maximum is of ([RowMaxima]).
///
/// @param jumping how layers are combined
/// @param number of the layer, from 0
/// @param begin columns of the layers before it
/// @param width of its output
record Jump(Jumping jumping, int number, int begin, int width) {
  /// Returns the columns of the carried rows that this layer and those before it fill.
  int carriedWidth() {
    return switch (jumping) {
      case NONE -> 0;
      case CONCAT -> combinedWidth();
      case MAX -> RowMaxima.columns(width);
      case SUM -> width;
    };
  }

  /// Returns the width of the combination of this layer and those before it.
  int combinedWidth() {
    return jumping == Jumping.CONCAT ? begin + width : width;
  }

  /// Adds the output of the layer to the combination.
  ///
  /// @param h one row for each target, of which the first are carried
  /// @param carried rows of the combination
  /// @param kernels for the computation
  void leave(DenseMatrix h, DenseMatrix carried, Kernels kernels) {
    DenseMatrix rows = h.rows(0, carried.rows());
    switch (jumping) {
      case NONE -> {}
      case CONCAT ->
          RowGather.copy(ColumnBlock.all(rows), columns(carried, begin), kernels.workers());
      case MAX -> Epilogues.apply(RowMaxima.take(rows, number), carried, kernels.workers());
      case SUM -> {
        RowEpilogue sum = number == 0 ? Epilogues.copy(rows) : Epilogues.add(rows);
        Epilogues.apply(sum, carried, kernels.workers());
      }
    }
  }

  /// Adds the layer's part of the gradient of the combination to the gradient of its output.
  ///
  /// @param carried the gradient of the combination
  /// @param t one row for each target
  /// @param kernels for the computation
  void addGradient(DenseMatrix carried, DenseMatrix t, Kernels kernels) {
    RowEpilogue part =
        switch (jumping) {
          case NONE -> RowEpilogue.NONE;
          case CONCAT -> Epilogues.add(columns(carried, begin));
          case MAX -> RowMaxima.addTaken(carried, number);
          case SUM -> Epilogues.add(carried);
        };
    Epilogues.apply(part, t.rows(0, carried.rows()), kernels.workers());
  }

  /// Returns where the combination is without gaps between its rows, in the forward pass after
  /// [#gather], and its gradient before [#spread].
  ///
  /// @param carried rows of the combination
  /// @param memory one row for each of them; used by [Jumping#MAX]
  DenseMatrix combined(DenseMatrix carried, DenseMatrix memory) {
    return jumping == Jumping.MAX ? memory : carried;
  }

  /// Moves the combination, which the last layer has completed, there.
  ///
  /// @param carried rows of the combination
  /// @param combined as returned by [#combined]; overwritten
  /// @param kernels for the computation
  void gather(DenseMatrix carried, DenseMatrix combined, Kernels kernels) {
    if (jumping == Jumping.MAX) {
      RowGather.copy(columns(carried, 0), ColumnBlock.all(combined), kernels.workers());
    }
  }

  /// Moves the gradient of the combination from there to the carried rows.
  ///
  /// @param combined as returned by [#combined]
  /// @param carried overwritten
  /// @param kernels for the computation
  void spread(DenseMatrix combined, DenseMatrix carried, Kernels kernels) {
    if (jumping == Jumping.MAX) {
      RowGather.copy(ColumnBlock.all(combined), columns(carried, 0), kernels.workers());
    }
  }

  private ColumnBlock columns(DenseMatrix carried, int first) {
    return new ColumnBlock(carried, first, first + width);
  }

  /// Returns matrices that [#leave] reads or writes.
  int matricesLeft() {
    return switch (jumping) {
      case NONE -> 0;
      case CONCAT -> 2;
      case MAX -> 5;
      case SUM -> 3;
    };
  }

  /// Returns matrices that [#addGradient] reads or writes.
  int matricesAdded() {
    return switch (jumping) {
      case NONE -> 0;
      case CONCAT, SUM -> 3;
      case MAX -> 4;
    };
  }
}
