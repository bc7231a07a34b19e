package dev.gossamer.graph.format;

import dev.gossamer.graph.GraphData;
import java.util.List;

/// The class of each vertex: integers, or floats. NaN and -1 mean no class.
final class ClassLabels {
  /// What vertices should have.
  static final String ONE_CLASS = "one class for each vertex";

  private final String where;
  private final int[] labels;
  private final List<String> names;
  private int classes;

  private ClassLabels(String where, int n, List<String> names) {
    this.where = where;
    this.names = names;
    labels = new int[n];
    classes = names.size();
  }

  /// Reads an array.
  ///
  /// @param stored `n` or `n x 1`
  /// @param n number of vertices
  /// @param names of the classes; if empty, classes are numbers
  /// @throws dev.gossamer.base.InvalidInputException if a vertex has several classes, or a class
  ///   has no name
  static ClassLabels of(NpyStream stored, int n, List<String> names) {
    List<Long> shape = stored.shape();
    if (!stored.isNumeric() || shape.isEmpty()) {
      throw stored.wrong("header", "numbers", stored.type() + " " + shape);
    }
    if (shape.getFirst() != n) {
      throw stored.wrong("header", n + " rows", shape.toString());
    }
    if (stored.size() != n) {
      throw stored.wrong("header", ONE_CLASS, shape.toString());
    }
    ClassLabels result = new ClassLabels(stored.where(), n, names);
    for (int v = 0; v < n; v++) {
      double label = stored.nextReal();
      if (!result.set(v, label)) {
        throw stored.wrong(
            "element " + v,
            result.expected(),
            stored.isInteger() ? Long.toString((long) label) : Double.toString(label));
      }
    }
    stored.requireEnd();
    return result;
  }

  /// Reads a text with one line for each vertex: a number, or nothing or `nan` for no class.
  ///
  /// @param in at its beginning
  /// @param n number of vertices
  static ClassLabels of(FieldScanner in, int n) {
    in.separator(',');
    ClassLabels result = new ClassLabels(in.file().toString(), n, List.of());
    for (int v = 0; v < n; v++) {
      if (!in.nextLine()) {
        throw in.wrong(n + " lines, one for each vertex", Integer.toString(v));
      }
      String found = field(in);
      if (in.nextField()) {
        throw in.wrong(ONE_CLASS, "several columns");
      }
      if (!result.set(v, number(found))) {
        throw in.wrong(result.expected(), "'" + found + "'");
      }
    }
    in.requireEndOfFile();
    return result;
  }

  /// Whether an array looks like classes: one column without fractions. Integers are not read.
  static boolean fit(NpyStream stored, int n) {
    List<Long> shape = stored.shape();
    boolean column = stored.isNumeric() && !shape.isEmpty() && shape.size() <= 2;
    boolean fits = column && shape.getFirst() == n && stored.size() == n;
    for (int v = 0; fits && !stored.isInteger() && v < n; v++) {
      fits = isWhole(stored.nextReal());
    }
    return fits;
  }

  /// Whether a text looks like classes, likewise.
  static boolean fit(FieldScanner in, int n) {
    in.separator(',');
    boolean fits = true;
    for (int v = 0; fits && v < n && in.nextLine(); v++) {
      fits = isWhole(number(field(in))) && !in.nextField();
    }
    return fits;
  }

  private static boolean isWhole(double label) {
    float kept = (float) label;
    return Double.isNaN(label) || (kept == Math.rint(kept) && Float.isFinite(kept));
  }

  /// The next field, `nan` if there is none.
  private static String field(FieldScanner in) {
    return in.nextField() && !in.fieldIsEmpty() ? in.fieldText() : "nan";
  }

  /// A number of a text; infinity, which is no class, for other text.
  private static double number(String text) {
    try {
      return Double.parseDouble(text.equals("nan") ? "NaN" : text);
    } catch (NumberFormatException e) {
      return Double.POSITIVE_INFINITY;
    }
  }

  /// @return false if there is no such class
  private boolean set(int v, double label) {
    int value = Double.isNaN(label) ? GraphData.UNLABELLED : (int) label;
    labels[v] = value;
    classes = Math.max(classes, value + 1);
    return (value == label || Double.isNaN(label))
        && value >= GraphData.UNLABELLED
        && value < most();
  }

  private int most() {
    return names.isEmpty() ? Math.min(labels.length, DatasetDraft.MOST_CLASSES) : names.size();
  }

  private String expected() {
    return "a class in 0..%d, or -1 for none".formatted(most() - 1);
  }

  /// The class of each vertex, or -1. Borrowed.
  int[] labels() {
    return labels;
  }

  /// The name of each class.
  List<String> names() {
    return names.isEmpty() ? DatasetDraft.numbered(where, classes) : names;
  }
}
