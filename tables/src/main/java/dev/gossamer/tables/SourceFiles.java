package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The files of a source, all of one kind.
///
/// @param kind of all files
/// @param files in alphabetical order
/// @param named whether the first line of CSV files has the names of the columns; otherwise the
///   database finds out
/// @param commas whether numbers of CSV files have decimal commas
record SourceFiles(Kind kind, List<Path> files, boolean named, boolean commas) {
  /// The values of CSV files that are none.
  static final String MISSING = "nullstr = ['', 'NA', 'NULL', 'null', '\\N']";

  private static final int MOST_FILES = 100_000;

  /// What stands for any folders, or none. A group in a group is no pattern.
  private static final Pattern FOLDERS = Pattern.compile("(?<![^/])\\*\\*/(?![^{]*\\})");

  /// What files hold.
  enum Kind {
    CSV("csv|tsv|txt"),
    JSON("json|jsonl|ndjson"),
    PARQUET("parquet|pq");

    /// A pattern of endings.
    private final String endings;

    Kind(String endings) {
      this.endings = endings;
    }

    private boolean has(Path file) {
      String name = String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT);
      return name.matches("(?s).*\\.(%s)(\\.(gz|zst))?".formatted(endings));
    }
  }

  /// Finds the files of a pattern.
  ///
  /// @param base folder to which the pattern is relative
  static SourceFiles of(Path base, String pattern) {
    try {
      List<Path> files = files(base, pattern);
      Set<Kind> kinds = new TreeSet<>();
      for (Path file : files) {
        InputFile.of(file);
        kinds.add(
            Arrays.stream(Kind.values())
                .filter(kind -> kind.has(file))
                .findFirst()
                .orElseThrow(() ->
                    new InvalidInputException(
                        "%s: expected a name that ends in one of %s (or, of text, with .gz or .zst behind it), found another"
                            .formatted(file, endings()))));
      }
      if (kinds.size() > 1) {
        throw new InvalidInputException(
            "%s: expected files of one kind, found %s"
                .formatted(
                    pattern,
                    kinds.stream()
                        .map(kind -> kind.name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(" and "))));
      }
      return new SourceFiles(kinds.iterator().next(), files, false, false);
    } catch (UncheckedIOException e) {
      throw InvalidInputException.unreadable(base, Objects.requireNonNull(e.getCause()));
    } catch (IOException e) {
      throw InvalidInputException.unreadable(base, e);
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(
          "%s: expected a file, a folder or a pattern: %s".formatted(pattern, e.getMessage()), e);
    }
  }

  private static List<Path> files(Path base, String pattern) throws IOException {
    int wild = pattern.replaceAll("[*?\\[{]", "*").indexOf('*');
    Path whole = base.resolve(wild < 0 ? pattern : "").toAbsolutePath().normalize();
    if (wild < 0 && !Files.isDirectory(whole)) {
      return List.of(whole);
    }
    if (wild < 0) {
      try (Stream<Path> entries = Files.list(whole)) {
        return found(
            pattern,
            entries.filter(file -> Arrays.stream(Kind.values()).anyMatch(kind -> kind.has(file))));
      }
    }
    int slash = pattern.lastIndexOf('/', wild);
    Path from = base.resolve(pattern.substring(0, slash + 1)).toAbsolutePath().normalize();
    String behind = FOLDERS.matcher(pattern.substring(slash + 1)).replaceAll("{**/,}");
    PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + behind);
    try (Stream<Path> all = Files.walk(from)) {
      return found(pattern, all.filter(file -> matcher.matches(from.relativize(file))));
    }
  }

  private static List<Path> found(String pattern, Stream<Path> files) {
    List<Path> found =
        files
            .filter(file -> !String.valueOf(file.getFileName()).startsWith("."))
            .limit(MOST_FILES + 1L)
            .sorted()
            .toList();
    if (found.isEmpty() || found.size() > MOST_FILES) {
      throw new InvalidInputException(
          "%s: expected 1 to %d files of %s, found %s"
              .formatted(pattern, MOST_FILES, endings(), found.isEmpty() ? "none" : "more"));
    }
    return found;
  }

  private static String endings() {
    return Arrays.stream(Kind.values())
        .map(kind -> "." + kind.endings.replace("|", ", ."))
        .collect(Collectors.joining(", "));
  }

  /// The same files, whose first lines have the names of the columns.
  SourceFiles withNames() {
    return new SourceFiles(kind, files, true, commas);
  }

  /// The same files, whose numbers have decimal commas.
  SourceFiles withCommas() {
    return new SourceFiles(kind, files, named, true);
  }

  /// Each file by itself.
  List<SourceFiles> each() {
    return files.stream().map(file -> new SourceFiles(kind, List.of(file), named, commas)).toList();
  }

  /// The form of a CSV file, with which it need not be examined again; empty if there are several
  /// files, or the database cannot say.
  Optional<CsvForm> form(TableStore store) {
    if (kind != Kind.CSV || files.size() > 1) {
      return Optional.empty();
    }
    return CsvForm.of(
        store, TableStore.literal(escaped(files.getFirst().toString())), examination());
  }

  /// {@return the files, each in SQL}
  List<String> names() {
    return files.stream().map(file -> TableStore.literal(escaped(file.toString()))).toList();
  }

  /// What stands behind `FROM` for files of Parquet and CSV, which the database examines each time.
  ///
  /// @param texts columns of CSV files that are not to become numbers: `007` is not `7`
  String relation(List<String> texts) {
    String list = "[%s]".formatted(String.join(", ", names()));
    if (kind == Kind.PARQUET) {
      return "read_parquet(%s, union_by_name = true)".formatted(list);
    }
    List<Column> columns = texts.stream().map(text -> new Column(text, "VARCHAR")).toList();
    return "read_csv(%s, union_by_name = true, %s%s)"
        .formatted(
            list, examination(), columns.isEmpty() ? "" : ", types = " + Column.declared(columns));
  }

  /// How CSV files are examined.
  private String examination() {
    return "sample_size = 200000, %s%s%s"
        .formatted(
            MISSING, named ? ", header = true" : "", commas ? ", " + CsvForm.DECIMAL_COMMAS : "");
  }

  /// A name that means itself where patterns are expected.
  private static String escaped(String name) {
    return name.replaceAll("([*?\\[])", "[$1]");
  }
}
