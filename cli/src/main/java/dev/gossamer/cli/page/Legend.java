package dev.gossamer.cli.page;

import java.util.ArrayList;
import java.util.List;

/// Where the names of a legend are: side by side, in as many rows as they need.
///
/// @param places of the names, in their order
record Legend(List<Place> places) {
  /// Pixels from a key to its name.
  static final int KEY = 30;

  /// Pixels of a row.
  static final int ROW = 18;

  private static final int GAP = 14;

  /// A name.
  ///
  /// @param name shortened if it has no room
  /// @param x where its key begins
  /// @param y of its middle
  record Place(String name, double x, double y) {}

  /// Returns a legend.
  ///
  /// @param names of what is drawn
  /// @param from where rows begin
  /// @param to where they end
  /// @param top of the first row
  static Legend of(List<String> names, double from, double to, double top) {
    List<Place> places = new ArrayList<>();
    int longest = (int) ((to - from - KEY) / SvgPlot.LETTER);
    double x = from;
    double y = top + ROW / 2.0;
    for (String each : names) {
      String name = SvgPlot.shortened(each, longest);
      double end = x + KEY + SvgPlot.width(name);
      if (x > from && end > to) {
        end += from - x;
        x = from;
        y += ROW;
      }
      places.add(new Place(name, x, y));
      x = end + GAP;
    }
    return new Legend(places);
  }

  /// Returns where the last row ends.
  ///
  /// @param top of the first row
  double bottom(double top) {
    return places.isEmpty() ? top : places.getLast().y + ROW / 2.0;
  }

  /// Draws the names, and of each kind a square of its colour.
  void squares(SvgPlot plot) {
    for (int k = 0; k < places.size(); k++) {
      Place place = places.get(k);
      plot.bar(Style.fill(k), place.x + KEY - 18, place.y - 6, 12, 10, place.name);
    }
    names(plot);
  }

  /// Draws the names.
  void names(SvgPlot plot) {
    places.forEach(place -> plot.text("start", place.x + KEY, place.y + 4, place.name));
  }
}
