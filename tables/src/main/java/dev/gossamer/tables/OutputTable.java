package dev.gossamer.tables;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// A table to be written.
///
/// Names of columns differ, also where databases do not distinguish `Id` from `id`: a name that an
/// earlier column has gets a number, `id_2`.
///
/// @param rows number of rows
/// @param columns in order, at least one
public record OutputTable(int rows, List<OutputColumn> columns) {
  /// Bytes of an id, of the name of a class, and of what a row takes besides.
  private static final int TEXT_BYTES = 24;

  /// Makes the names of the columns differ.
  public OutputTable {
    columns = distinct(columns, Integer.MAX_VALUE);
  }

  /// {@return a copy whose columns have names of so many bytes at most}
  OutputTable named(int mostBytes) {
    return new OutputTable(rows, distinct(columns, mostBytes));
  }

  private static List<OutputColumn> distinct(List<OutputColumn> columns, int mostBytes) {
    Set<String> taken = new HashSet<>();
    List<OutputColumn> distinct = new ArrayList<>();
    for (OutputColumn each : columns) {
      String name = each.name().isEmpty() ? "column" : cut(each.name(), mostBytes);
      for (int number = 2; !taken.add(name.toLowerCase(Locale.ROOT)); number++) {
        String suffix = "_" + number;
        name = cut(each.name(), mostBytes - suffix.length()) + suffix;
      }
      distinct.add(each.named(name));
    }
    return List.copyOf(distinct);
  }

  /// The beginning of a text in UTF-8, without a part of a character.
  private static String cut(String text, int mostBytes) {
    String cut = text;
    while (cut.getBytes(StandardCharsets.UTF_8).length > mostBytes) {
      cut = cut.substring(0, cut.offsetByCodePoints(cut.length(), -1));
    }
    return cut;
  }

  /// Bytes of a row in memory.
  ///
  /// @param numbers of a row
  static long rowBytes(long numbers) {
    return 2 * TEXT_BYTES + numbers * Float.BYTES;
  }

  /// {@return numbers of a row}
  long numbers() {
    return columns.stream()
        .mapToLong(column ->
            switch (column) {
              case OutputColumn.Whole _, OutputColumn.Text _ -> 0;
              case OutputColumn.Real _ -> 1;
              case OutputColumn.Reals(_, int width, _) -> width;
            })
        .sum();
  }
}
