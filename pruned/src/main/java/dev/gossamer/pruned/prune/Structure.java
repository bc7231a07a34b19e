package dev.gossamer.pruned.prune;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The units of a layer's output, each of which can be removed from the network: with its own
/// columns and vectors, and with the rows of all its readers.
///
/// A unit whose own parameters are all zero stays zero after ReLU, GELU, pooling and normalisation,
/// and contributes nothing to its readers. So removing units is equivalent to setting their
/// parameters to zero, up to the order of sums, for any padding of convolutions.
///
/// @param name of the layer
/// @param kind of the units
/// @param units number of units
/// @param cuts parameters, and statistics of batch normalisation, that have a part of each unit
/// @param scale name of the scales of batch normalisation, one for each unit; null if there is none
public record Structure(String name, Kind kind, int units, List<Cut> cuts, @Nullable String scale) {
  /// The kind of units.
  public enum Kind {
    /// Output channels of a convolution.
    CHANNELS,
    /// Attention heads.
    HEADS,
    /// Output channels of a linear layer.
    NEURONS
  }

  /// The axis of a parameter that units divide.
  public enum Axis {
    /// Rows of a matrix, which read the unit.
    ROWS,
    /// Columns of a matrix or a vector, which produce the unit.
    COLUMNS
  }

  /// The division of a parameter's rows or columns into units: `span` of the first unit, `span` of
  /// the second and so on, repeated after the last unit.
  ///
  /// @param parameter name of the parameter
  /// @param axis rows or columns
  /// @param span consecutive rows or columns of a unit
  public record Cut(String parameter, Axis axis, int span) {
    /// {@return the unit that a row or column belongs to}
    ///
    /// @param index of the row or column
    /// @param units number of units
    int unit(int index, int units) {
      return index / span % units;
    }
  }

  /// Copies the list.
  public Structure {
    cuts = List.copyOf(cuts);
  }
}
