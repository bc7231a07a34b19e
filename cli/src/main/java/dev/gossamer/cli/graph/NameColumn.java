package dev.gossamer.cli.graph;

import dev.gossamer.tables.OutputColumn;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/// The user's names of vertices as a column: numbers if all are, otherwise texts.
final class NameColumn {
  private static final Pattern WHOLE = Pattern.compile("0|-?[1-9][0-9]{0,18}");

  private NameColumn() {}

  static OutputColumn of(String column, IntFunction<String> names, boolean whole) {
    return whole
        ? new OutputColumn.Whole(column, row -> Long.parseLong(names.apply(row)))
        : new OutputColumn.Text(column, names);
  }

  /// Whether all names are 64-bit integers, written as a database writes them: `7`, not `007`.
  static boolean areWhole(int rows, IntFunction<String> names) {
    return IntStream.range(0, rows).mapToObj(names).allMatch(NameColumn::isWhole);
  }

  private static boolean isWhole(String name) {
    if (!WHOLE.matcher(name).matches()) {
      return false;
    }
    try {
      Long.parseLong(name);
      return true;
    } catch (NumberFormatException e) {
      return false;
    }
  }
}
