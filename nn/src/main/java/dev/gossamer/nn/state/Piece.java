package dev.gossamer.nn.state;

import java.util.ArrayList;
import java.util.List;

/// Consecutive elements of a parameter: one task of a pass over a model.
///
/// @param begin first element, counted in the parameter
/// @param end the element after the last
record Piece(ParameterLayout.Entry entry, int begin, int end) {
  /// Cuts all parameters of a layout.
  ///
  /// @param most elements of a piece
  static List<Piece> cut(ParameterLayout layout, int most) {
    List<Piece> pieces = new ArrayList<>();
    for (ParameterLayout.Entry entry : layout.entries()) {
      for (long begin = 0; begin < entry.count(); begin += most) {
        long end = Math.min(entry.count(), begin + most);
        pieces.add(new Piece(entry, Math.toIntExact(begin), Math.toIntExact(end)));
      }
    }
    return List.copyOf(pieces);
  }

  /// Elements.
  long count() {
    return (long) end - begin;
  }
}
