package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The distinct values of a column of classes.
final class ClassNames {
  private static final int MOST = 1 << 20;

  /// Above so many classes there must be more vertices for each than [#FEW].
  private static final int SUSPICIOUS = 1000;

  private static final int FEW = 4;

  private final Set<String> names = new HashSet<>();
  private long labelled;

  void add(@Nullable String name) {
    if (name != null) {
      labelled++;
      if (names.size() <= MOST) {
        names.add(name);
      }
    }
  }

  /// Refuses a column whose values are no classes.
  void require(String where, String column) {
    if (names.size() > MOST
        || (names.size() > SUSPICIOUS && labelled < (long) FEW * names.size())) {
      throw new InvalidInputException(
          "%s: column %s: expected classes, found %d values among %d vertices; divide them into classes by a query"
              .formatted(where, column, names.size(), labelled));
    }
  }

  /// In the order of numbers if all are whole numbers, else in alphabetical order.
  List<String> sorted() {
    boolean whole = names.stream().allMatch(name -> name.matches("-?[0-9]{1,18}"));
    Comparator<String> order =
        whole
            ? Comparator.comparingLong((String name) -> Long.parseLong(name))
                .thenComparing(Comparator.naturalOrder())
            : Comparator.naturalOrder();
    return names.stream().sorted(order).toList();
  }
}
