package dev.gossamer.tables;

import dev.gossamer.graph.Task;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// What columns are for, where a source leaves open how to read them: the types of a CSV file are
/// those that its values seem to have, which may be others in the next file.
///
/// @param keys columns of ids
/// @param texts columns of categories, words, classes, types and parts, unless their values are
///   read as numbers or dates, too
/// @param dates columns of dates and time stamps
/// @param byPosition whether columns are found by their position, so that any of them may have ids
record ColumnRoles(List<String> keys, Set<String> texts, Set<String> dates, boolean byPosition) {
  /// Of no column: all values are what they seem to be.
  static final ColumnRoles NONE = new ColumnRoles(List.of(), Set.of(), Set.of(), false);

  /// Of columns that are found by their position.
  static final ColumnRoles BY_POSITION = new ColumnRoles(List.of(), Set.of(), Set.of(), true);

  static ColumnRoles of(VertexTable table, GraphSchema schema) {
    Stream<String> split = Stream.ofNullable(table.split());
    Stream<String> label = Stream.ofNullable(table.label());
    Stream<String> time = Stream.ofNullable(table.time());
    boolean classes = schema.task() == Task.CLASSIFICATION;
    boolean ordered = schema.split().by() == SplitRule.By.TIME;
    return of(
        List.of(table.id()),
        classes ? Stream.concat(split, label) : split,
        ordered ? time : Stream.empty(),
        Stream.empty(),
        table.features());
  }

  static ColumnRoles of(EdgeTable table) {
    return of(
        List.of(table.from(), table.to()),
        Stream.ofNullable(table.type()),
        Stream.ofNullable(table.time()),
        Stream.ofNullable(table.weight()),
        table.features());
  }

  /// @param numbers columns of numbers, beside those of features
  private static ColumnRoles of(
      List<String> keys,
      Stream<String> texts,
      Stream<String> dates,
      Stream<String> numbers,
      Map<String, Encoding> features) {
    Set<String> allTexts = texts.collect(Collectors.toCollection(HashSet::new));
    Set<String> allDates = dates.collect(Collectors.toCollection(HashSet::new));
    Set<String> allNumbers = numbers.collect(Collectors.toCollection(HashSet::new));
    features.forEach((column, encoding) -> {
      Set<String> of =
          switch (encoding) {
            case Encoding.Categorical _,
                Encoding.Text _,
                FittedEncoding.OneHot _,
                FittedEncoding.Hashed _ ->
                allTexts;
            case Encoding.Dates _, FittedEncoding.Times _ -> allDates;
            case Encoding.Numeric _,
                Encoding.Numbers _,
                FittedEncoding.Linear _,
                FittedEncoding.Ranks _,
                FittedEncoding.Elements _ ->
                allNumbers;
          };
      of.add(column);
    });
    allTexts.removeAll(allDates);
    allTexts.removeAll(allNumbers);
    return new ColumnRoles(keys, allTexts, allDates, false);
  }

  /// Whether the values of a column count as they are written: `007` is not `7`, and `1` is not
  /// `1.0` because other rows have fractions.
  boolean isAsWritten(String column) {
    return byPosition || keys.contains(column) || texts.contains(column);
  }
}
