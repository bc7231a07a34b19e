package dev.gossamer.graph.format;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.Targets;
import dev.gossamer.graph.Task;
import dev.gossamer.matrix.DenseMatrix;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Labels or numbers of each vertex, as files have them: a row for each vertex, NaN or nothing
/// where a value is not known.
///
/// Columns that hold only 0 and 1 are labels, others numbers, unless it is said what they are.
final class TargetValues {
  private final String where;
  private final DenseMatrix values;
  private boolean labels = true;

  private TargetValues(String where, Arena arena, int n, int columns) {
    this.where = where;
    values = DenseMatrix.allocate(arena, n, columns);
  }

  /// The most columns that values of so many vertices may have.
  private static int columns(String where, long columns) {
    if (columns < 1 || columns > DatasetDraft.MOST_CLASSES) {
      throw new InvalidInputException(
          "%s: expected 1 to %d columns, found %d"
              .formatted(where, DatasetDraft.MOST_CLASSES, columns));
    }
    return (int) columns;
  }

  /// Begins values that are set one by one, all of them not known.
  static TargetValues unknown(String where, Arena arena, int n, long columns) {
    TargetValues result = new TargetValues(where, arena, n, columns(where, columns));
    result.values.fill(Float.NaN);
    return result;
  }

  /// Reads an array, `n` or `n x t`.
  static TargetValues of(Arena arena, NpyStream stored, int n) {
    List<Long> shape = stored.shape();
    if (!stored.isNumeric() || shape.isEmpty() || shape.size() > 2 || shape.getFirst() != n) {
      throw stored.wrong("header", "numbers of %d rows".formatted(n), stored.type() + " " + shape);
    }
    int columns = columns(stored.where(), shape.size() == 1 ? 1 : shape.getLast());
    TargetValues result = new TargetValues(stored.where(), arena, n, columns);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < columns; j++) {
        // An array in Fortran order has one column after the other.
        long at = (long) i * columns + j;
        int v = stored.rowsFirst() ? i : (int) (at % n);
        int t = stored.rowsFirst() ? j : (int) (at / n);
        if (!result.set(v, t, stored.nextReal())) {
          throw stored.wrong(
              "row %d, column %d".formatted(v, t), "a finite number or NaN", "another");
        }
      }
    }
    stored.requireEnd();
    return result;
  }

  /// Reads a text with one line for each vertex, as many fields on each.
  static TargetValues of(Arena arena, FieldScanner in, int n) {
    in.separator(',');
    TargetValues result = null;
    for (int v = 0; v < n; v++) {
      if (!in.nextLine()) {
        throw in.wrong(n + " lines, one for each vertex", Integer.toString(v));
      }
      List<Double> row = row(in);
      if (result == null) {
        result =
            new TargetValues(
                in.file().toString(), arena, n, columns(in.file().toString(), row.size()));
      }
      if (row.size() != result.values.cols()) {
        throw in.wrong(
            DatasetDraft.counted(result.values.cols(), "column") + ", as in the first line",
            Integer.toString(row.size()));
      }
      for (int t = 0; t < row.size(); t++) {
        if (!result.set(v, t, row.get(t))) {
          throw in.wrong("finite numbers, or nothing where one is not known", "another");
        }
      }
    }
    in.requireEndOfFile();
    return result == null ? unknown(in.file().toString(), arena, n, 1) : result;
  }

  private static List<Double> row(FieldScanner in) {
    List<Double> row = new ArrayList<>();
    while (in.nextField()) {
      String text = in.fieldIsEmpty() ? "nan" : in.fieldText();
      try {
        row.add(text.equals("nan") ? Double.NaN : Double.parseDouble(text));
      } catch (NumberFormatException e) {
        throw in.wrong("numbers", "'" + text + "'");
      }
    }
    return row;
  }

  /// @return whether the value is a number that float32 can hold, or NaN
  boolean set(int vertex, int column, double value) {
    float kept = (float) value;
    labels &= Double.isNaN(value) || value == 0 || value == 1;
    values.set(vertex, column, kept);
    return !Float.isInfinite(kept);
  }

  int columns() {
    return values.cols();
  }

  /// Returns the values as what they look like, or as what is asked for.
  ///
  /// @param task labels or numbers; null for what they look like
  /// @param names of the columns; empty for their numbers
  /// @throws InvalidInputException if they are no labels but should be
  Targets targets(@Nullable Task task, List<String> names) {
    if (task == Task.MULTI_LABEL && !labels) {
      throw new InvalidInputException(
          "%s: expected 1 for a label, 0 for none, or NaN; found other numbers, which {task} %s predicts"
              .formatted(where, InvalidSettingException.nameOf(Task.REGRESSION)));
    }
    Task guessed = labels ? Task.MULTI_LABEL : Task.REGRESSION;
    List<String> given = names.isEmpty() ? DatasetDraft.numbered(where, values.cols()) : names;
    return new Targets(task == null ? guessed : task, values, given);
  }
}
