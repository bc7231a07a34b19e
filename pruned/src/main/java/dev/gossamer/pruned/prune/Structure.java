package dev.gossamer.pruned.prune;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a layer makes its output of, unit by unit, so that each of them can be removed from the
/// network: with its own columns and vectors, and with the rows of all that read it.
///
/// A unit whose own parameters are all zero is zero behind ReLU, GELU, poolings and normalisation,
/// and its readers get nothing of it. So removing units computes what zeros in their place compute,
/// up to the order of sums, whatever the padding of convolutions.
///
/// @param name of the layer
/// @param kind of the units
/// @param units how many there are
/// @param cuts the parameters, and statistics of batch normalisation, that have a part of each unit
/// @param scale name of the scales of batch normalisation, one for each unit; null if there is none
public record Structure(String name, Kind kind, int units, List<Cut> cuts, @Nullable String scale) {
  /// What units are.
  public enum Kind {
    /// Output channels of a convolution.
    CHANNELS,
    /// Heads of an attention.
    HEADS,
    /// Output channels of a linear layer.
    NEURONS
  }

  /// What a unit has part in.
  public enum Axis {
    /// Rows of a matrix: the unit is read.
    ROWS,
    /// Columns of a matrix or a vector: the unit is made.
    COLUMNS
  }

  /// How the units divide the rows or columns of a parameter: `span` of the first unit, `span` of
  /// the second and so on, and after those of the last unit again from the first.
  ///
  /// @param parameter its name
  /// @param axis rows or columns
  /// @param span consecutive rows or columns of a unit
  public record Cut(String parameter, Axis axis, int span) {
    /// {@return the unit that a row or column belongs to}
    ///
    /// @param index of the row or column
    /// @param units how many there are
    int unit(int index, int units) {
      return index / span % units;
    }
  }

  /// Copies the list.
  public Structure {
    cuts = List.copyOf(cuts);
  }
}
