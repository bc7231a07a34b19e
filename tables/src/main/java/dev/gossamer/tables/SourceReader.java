package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.duckdb.DuckDBAppender;
import org.jspecify.annotations.Nullable;

/// Makes the rows of a source available in a [TableStore].
///
/// @param store that receives them
/// @param base folder to which names of files are relative
record SourceReader(TableStore store, Path base) {
  private static final int FETCHED_ROWS = 10_000;

  /// The first two bytes of texts in UTF-16, by the order of the bytes of a character.
  private static final byte[] LOW_FIRST = {(byte) 0xff, (byte) 0xfe};

  private static final byte[] HIGH_FIRST = {(byte) 0xfe, (byte) 0xff};

  /// {@return the rows of a source} Those of another database are copied to the store first.
  ///
  /// @param name of the table in the store, if one is needed
  /// @param roles of its columns
  SourceRows rows(TableSource source, String name, ColumnRoles roles) {
    String where = source.text();
    return switch (source) {
      case TableSource.Files(String pattern) -> {
        SourceFiles files = SourceFiles.of(base, pattern);
        yield switch (files.kind()) {
          case CSV -> {
            files.files().forEach(SourceReader::requireUtf8);
            yield csv(files, roles, where);
          }
          case JSON -> {
            JsonForm form = JsonForm.of(store, files.names(), where);
            yield new SourceRows(where, form.relation(), form.relation(), form.columns());
          }
          case PARQUET -> rows(files.relation(List.of()), where);
        };
      }
      case TableSource.Query(String sql) -> {
        String query = sql.strip().replaceFirst(";$", "");
        store.requireSelect(query, "sql");
        yield rows("(" + query + "\n)", where);
      }
      case TableSource.Open _ ->
          throw new InvalidInputException(
              "%s: expected its source, sql, or jdbc and sql, found none; dataset import --like reads other tables by this schema"
                  .formatted(name.replaceFirst("source_", "table ")));
      case TableSource.Database database -> {
        copy(database, name, roles);
        yield rows(TableStore.quoted(name), where);
      }
    };
  }

  private SourceRows rows(String relation, String where) {
    return new SourceRows(where, relation, relation, store.columns(relation, where));
  }

  /// Examines CSV files as rarely as possible: each time, the database reads many of their rows.
  private SourceRows csv(SourceFiles files, ColumnRoles roles, String where) {
    Optional<CsvForm> form = files.form(store);
    List<Column> columns = columns(files, form, where);
    if (!files.named() && beginsWithNames(files, columns)) {
      return csv(files.withNames(), roles, where);
    }
    if (!files.commas() && haveCommas(files, form, columns, where)) {
      return csv(files.withCommas(), roles, where);
    }
    if (columns.stream().anyMatch(each -> each.isTime() && roles.dates().contains(each.name()))) {
      requireClearDates(files, form, roles.dates());
    }
    List<String> texts = columns.stream().map(Column::name).filter(roles::isAsWritten).toList();
    String examined = files.relation(texts);
    return form.map(each -> each.withTexts(texts))
        .map(each -> new SourceRows(where, each.relation(), examined, each.columns()))
        .orElseGet(() -> rows(examined, where));
  }

  private List<Column> columns(SourceFiles files, Optional<CsvForm> form, String where) {
    return form.map(CsvForm::columns)
        .orElseGet(() -> store.columns(files.relation(List.of()), where));
  }

  /// Whether texts become numbers if commas are read as decimal points: as programs of many
  /// countries write numbers, with semicolons or tabulators between values.
  ///
  /// @param form of the file, if there is one file
  /// @param columns as they are without
  private boolean haveCommas(
      SourceFiles files, Optional<CsvForm> form, List<Column> columns, String where) {
    boolean divided =
        form.or(() -> files.each().getFirst().form(store))
            .map(CsvForm::isDividedByCommas)
            .orElse(true);
    if (divided || texts(columns) == 0) {
      return false;
    }
    SourceFiles commas = files.withCommas();
    List<Column> others = columns(commas, commas.form(store), where);
    return names(others).equals(names(columns)) && texts(others) < texts(columns);
  }

  private static long texts(List<Column> columns) {
    return columns.stream().filter(each -> each.kind() == Column.Kind.TEXT).count();
  }

  private static List<String> names(List<Column> columns) {
    return columns.stream().map(Column::name).toList();
  }

  /// Refuses a file of 16-bit characters, which the database cannot take apart; it says by itself
  /// where bytes are none of UTF-8.
  private static void requireUtf8(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] mark = in.readNBytes(2);
      if (Arrays.equals(mark, LOW_FIRST) || Arrays.equals(mark, HIGH_FIRST)) {
        throw new InvalidInputException(
            "%s: expected text in UTF-8, found UTF-16; convert it: iconv -f UTF-16 -t UTF-8"
                .formatted(file));
      }
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// Refuses dates that the database reads in one order of day and month, and the dates of the next
  /// file perhaps in another.
  ///
  /// @param form of the file, if there is one file
  private void requireClearDates(SourceFiles files, Optional<CsvForm> form, Set<String> dates) {
    if (form.isPresent()) {
      form.get().requireClearDates(store, files.files().getFirst(), dates);
      return;
    }
    for (SourceFiles each : files.each()) {
      each.form(store)
          .ifPresent(own -> own.requireClearDates(store, each.files().getFirst(), dates));
    }
  }

  /// Whether the first line of CSV files has names of columns although the database takes it for a
  /// row, as it does if all columns are texts: there is no other line, or the first column has
  /// names of rows and no name itself, as R writes it. Of several files, others may have names that
  /// it finds.
  private boolean beginsWithNames(SourceFiles files, List<Column> columns) {
    long unnamed = columns.stream().filter(each -> each.name().matches("column[0-9]+")).count();
    if (files.files().size() > 1 && unnamed > 0 && unnamed < columns.size()) {
      return true;
    }
    if (columns.size() < 2 || unnamed < columns.size()) {
      return false;
    }
    List<List<@Nullable String>> rows = new ArrayList<>();
    store.forEach(
        "SELECT * FROM %s LIMIT %d".formatted(files.relation(List.of()), files.files().size() + 1),
        row -> {
          List<@Nullable String> values = new ArrayList<>();
          for (int c = 1; c <= columns.size(); c++) {
            values.add(row.getString(c));
          }
          rows.add(values);
        });
    if (rows.isEmpty() || rows.getFirst().stream().skip(1).anyMatch(Objects::isNull)) {
      return false;
    }
    boolean only = rows.size() == files.files().size() && rows.stream().distinct().count() == 1;
    // A name `t` looks like a truth value.
    boolean texts = columns.stream().allMatch(each -> each.type().matches("VARCHAR|BOOLEAN"));
    return (only && texts) || rows.getFirst().getFirst() == null;
  }

  private void copy(TableSource.Database database, String name, ColumnRoles roles) {
    String where = database.address();
    String file = database.passwordFile();
    JdbcAddress address =
        new JdbcAddress(where, database.user(), file == null ? null : base.resolve(file));
    try (Connection from = address.connect(Map.of())) {
      askToReadOnly(from);
      // Some drivers fetch all rows at once otherwise.
      from.setAutoCommit(false);
      try (Statement statement = from.createStatement()) {
        statement.setFetchSize(FETCHED_ROWS);
        try (ResultSet rows = statement.executeQuery(database.sql())) {
          copy(rows, name, roles);
        }
      }
    } catch (SQLException e) {
      throw TableStore.refused(where, e);
    }
  }

  /// A hint, which some drivers refuse.
  private static void askToReadOnly(Connection from) {
    try {
      from.setReadOnly(true);
    } catch (SQLException e) {
      // Then the query alone decides what it does, as it would anyway.
    }
  }

  private void copy(ResultSet rows, String name, ColumnRoles roles) throws SQLException {
    ResultSetMetaData columns = rows.getMetaData();
    List<String> names = new ArrayList<>();
    List<CopiedType> types = new ArrayList<>();
    for (int c = 1; c <= columns.getColumnCount(); c++) {
      String column = columns.getColumnLabel(c);
      names.add(column);
      types.add(CopiedType.of(columns, c));
    }
    store.run(
        IntStream.range(0, types.size())
            .mapToObj(c -> TableStore.quoted(names.get(c)) + " " + types.get(c).sql())
            .collect(
                Collectors.joining(", ", "CREATE TABLE " + TableStore.quoted(name) + " (", ")")));
    try (DuckDBAppender to = store.connection().createAppender("main", name)) {
      while (rows.next()) {
        to.beginRow();
        for (int c = 1; c <= types.size(); c++) {
          types.get(c - 1).append(to, rows, c);
        }
        to.endRow();
      }
    }
    for (int c = 0; c < types.size(); c++) {
      if (types.get(c) == CopiedType.EXACT && !roles.isAsWritten(names.get(c))) {
        makeNumbers(TableStore.quoted(name), TableStore.quoted(names.get(c)));
      }
    }
  }

  /// Makes a column of exact numbers one of whole numbers, if all are, and else of fractions.
  private void makeNumbers(String table, String column) {
    String type =
        Stream.of("BIGINT", "HUGEINT")
            .filter(whole ->
                store.number(
                        "SELECT count(*) FROM %1$s WHERE TRY_CAST(%2$s AS %3$s)::VARCHAR IS DISTINCT FROM %2$s"
                            .formatted(table, column, whole))
                    == 0)
            .findFirst()
            .orElse("DOUBLE");
    store.run("ALTER TABLE %s ALTER %s TYPE %s".formatted(table, column, type));
  }
}
