package dev.gossamer.tables;

import dev.gossamer.graph.Split;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The values of a column of parts.
final class PartNames {
  private static final Map<String, Split> NAMES =
      Map.ofEntries(
          Map.entry("train", Split.TRAIN),
          Map.entry("training", Split.TRAIN),
          Map.entry("tr", Split.TRAIN),
          Map.entry("val", Split.VALIDATION),
          Map.entry("valid", Split.VALIDATION),
          Map.entry("validation", Split.VALIDATION),
          Map.entry("va", Split.VALIDATION),
          Map.entry("dev", Split.VALIDATION),
          Map.entry("test", Split.TEST),
          Map.entry("te", Split.TEST),
          Map.entry("none", Split.NONE),
          Map.entry("", Split.NONE));

  private PartNames() {}

  static boolean isKnown(String text) {
    return NAMES.containsKey(text.strip().toLowerCase(Locale.ROOT));
  }

  static Split of(ColumnValues values, long row, @Nullable String text) {
    if (text == null) {
      return Split.NONE;
    }
    Split part = NAMES.get(text.strip().toLowerCase(Locale.ROOT));
    if (part == null) {
      throw values.refused(row, "train, validation, test or nothing", text);
    }
    return part;
  }
}
