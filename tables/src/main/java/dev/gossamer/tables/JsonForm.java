package dev.gossamer.tables;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The columns of JSON files, as the database found them out by all rows of all files: a fraction
/// behind many whole numbers is not rounded. Read by this form, the files are not examined again.
///
/// @param files in SQL
/// @param columns those of any file; one without values has the type [#NO_VALUES]
record JsonForm(List<String> files, List<Column> columns) {
  /// What the database calls the type of a column without values.
  private static final String NO_VALUES = "\"NULL\"";

  private static final String TEXTS = "texts";

  /// The database keeps 32 MiB for each file while it examines them.
  private static final int FILES_AT_ONCE = 8;

  /// Examines files.
  ///
  /// @param files in SQL
  /// @param where names them, the start of a message
  static JsonForm of(TableStore store, List<String> files, String where) {
    Map<String, String> types = new LinkedHashMap<>();
    for (int first = 0; first < files.size(); first += FILES_AT_ONCE) {
      List<String> some = files.subList(first, Math.min(first + FILES_AT_ONCE, files.size()));
      String examined =
          "read_json([%s], union_by_name = true, sample_size = -1, maximum_sample_files = -1)"
              .formatted(String.join(", ", some));
      for (Column column : store.columns(examined, where)) {
        types.merge(column.name(), column.type(), (a, b) -> common(store, a, b));
      }
    }
    List<Column> columns = new ArrayList<>();
    types.forEach((name, type) -> columns.add(new Column(name, type)));
    return new JsonForm(files, List.copyOf(columns));
  }

  /// The type of values of two types: what the database finds if both are in one file.
  private static String common(TableStore store, String a, String b) {
    if (a.equals(b) || b.equals(NO_VALUES)) {
      return a;
    }
    if (a.equals(NO_VALUES)) {
      return b;
    }
    String family = family(a);
    if (!family.equals(family(b))) {
      return "JSON";
    }
    return family.equals(TEXTS) ? "VARCHAR" : store.commonType(a, b);
  }

  /// What has the same name for types that have a common one other than JSON.
  private static String family(String type) {
    return switch (new Column("", type).kind()) {
      case WHOLE, REAL -> "numbers";
      case TEXT, DATE, STAMP -> TEXTS;
      case TRUTH -> "truth values";
      case NUMBERS, TEXTS, OTHER ->
          type.endsWith("[]") ? "lists" : type.startsWith("STRUCT(") ? "structures" : "others";
    };
  }

  /// What stands behind `FROM`.
  String relation() {
    return "read_json([%s], columns = %s)"
        .formatted(String.join(", ", files), Column.declared(columns));
  }
}
