package dev.gossamer.cli.graph;

import dev.gossamer.Recommendations;
import dev.gossamer.tables.OutputColumn;
import dev.gossamer.tables.OutputTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/// Recommendations as a table: `id, rank, other, probability`, a row for each.
final class RecommendationTable {
  /// One of the recommendations.
  private record Row(String id, int rank, Recommendations.Item item) {}

  private RecommendationTable() {}

  static OutputTable of(Recommendations found) {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < found.count(); i++) {
      int rank = 1;
      for (Recommendations.Item item : found.items(i)) {
        rows.add(new Row(found.name(i), rank++, item));
      }
    }
    IntFunction<String> ids = r -> rows.get(r).id();
    IntFunction<String> others = r -> rows.get(r).item().name();
    boolean whole =
        NameColumn.areWhole(rows.size(), ids) && NameColumn.areWhole(rows.size(), others);
    return new OutputTable(
        rows.size(),
        List.of(
            NameColumn.of("id", ids, whole),
            new OutputColumn.Whole("rank", r -> rows.get(r).rank()),
            NameColumn.of("other", others, whole),
            new OutputColumn.Real("probability", r -> (float) rows.get(r).item().probability())));
  }
}
