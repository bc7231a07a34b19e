package dev.gossamer.tables;

import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.graph.Progress;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Locale;

/// Writes a table to a Parquet or CSV file.
///
/// @param table the rows
/// @param file Parquet unless its name says `.csv` or `.csv.gz`
record FileWriter(OutputTable table, Path file) {
  /// The same table gives the same bytes: one thread writes groups of a fixed number of rows.
  void write() {
    AtomicOutput.file(
        file,
        temporary -> {
          long limit = DuckDbRows.limit(table.numbers());
          try (TableStore store =
              TableStore.open(Path.of(""), new Tables.TableOptions(limit, Progress.SILENT))) {
            new DuckDbRows(table)
                .run(
                    store.connection(),
                    "COPY (",
                    ") TO %s (%s, USE_TMP_FILE false)"
                        .formatted(TableStore.literal(temporary.toString()), format()));
          } catch (SQLException e) {
            throw TableStore.refused(file.toString(), e);
          }
        });
  }

  private String format() {
    String name = file.toString().toLowerCase(Locale.ROOT);
    if (name.endsWith(".gz")) {
      return "FORMAT csv, HEADER, COMPRESSION gzip";
    }
    return name.endsWith(".csv")
        ? "FORMAT csv, HEADER"
        : "FORMAT parquet, ROW_GROUP_SIZE " + DuckDbRows.groupRows(table.numbers());
  }
}
