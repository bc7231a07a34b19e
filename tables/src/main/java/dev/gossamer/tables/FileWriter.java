package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.graph.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Writes a table to a Parquet or CSV file.
///
/// @param table the rows
/// @param file Parquet unless its name says `.csv` or `.csv.gz`
record FileWriter(OutputTable table, Path file) {
  private static final Pattern SYSTEM =
      Pattern.compile("\"exception_message\":\"[^{}]*: (?<reason>[^:\"]+)\",\"errno\"");

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
            throw refused(e);
          }
        });
  }

  /// What the system says of a write that failed is the end of a message in a message.
  private InvalidInputException refused(SQLException cause) {
    Matcher system = SYSTEM.matcher(String.valueOf(cause.getMessage()));
    return system.find()
        ? InvalidInputException.unwritable(file, new IOException(system.group("reason"), cause))
        : TableStore.refused(file.toString(), cause);
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
