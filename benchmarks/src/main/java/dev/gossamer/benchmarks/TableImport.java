package dev.gossamer.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Imports a graph from tables, beside the same with pandas and scipy: seconds, edges per second,
/// and peak memory of the process, mapped files included.
///
/// Accounts have a class, three numbers (one with missing values), a country and a date; payments
/// have two accounts, of which few have many, and an amount. pandas of Debian reads no Parquet, so
/// it is compared on CSV files.
@Command(name = "tables", mixinStandardHelpOptions = true, showDefaultValues = true)
public final class TableImport implements Callable<Integer> {
  @Option(names = "--edges", description = "rows of the table of edges")
  private long edges = 10_000_000;

  @Option(names = "--vertices", description = "rows of the table of vertices; 0: a twentieth")
  private long vertices;

  @Option(names = "--formats", split = ",", description = "parquet, csv, pandas (on CSV files)")
  private List<String> formats = List.of("parquet", "csv", "pandas");

  @Option(names = "--runs", description = "of each, interleaved; the median counts")
  private int runs = 3;

  @Option(names = "--folder", description = "of the tables, which are kept, and of what is written")
  private Path folder = Path.of("tables-benchmark");

  @Option(names = "--gossamer", description = "the program")
  private Path gossamer = Path.of("gossamer");

  @Option(names = "--python", description = "with pandas and scipy")
  private String python = "/usr/bin/python3";

  /// Of a process.
  private record Measured(double seconds, long peakBytes) {}

  public static void main(String[] arguments) {
    System.exit(new CommandLine(new TableImport()).execute(arguments));
  }

  @Override
  public Integer call() throws IOException, InterruptedException, SQLException {
    long accounts = vertices == 0 ? edges / 20 : vertices;
    Path tables = folder.resolve("%d-%d".formatted(accounts, edges)).toAbsolutePath();
    Files.createDirectories(tables);
    write(tables, accounts);
    Measured[][] measured = new Measured[formats.size()][runs];
    for (int run = 0; run < runs; run++) {
      for (int f = 0; f < formats.size(); f++) {
        measured[f][run] = measure(command(formats.get(f), tables));
      }
    }
    System.out.printf("%,d vertices, %,d edges, median of %d%n", accounts, edges, runs);
    System.out.println("| tables | seconds | edges per second | peak, MiB |");
    System.out.println("|---|---|---|---|");
    for (int f = 0; f < formats.size(); f++) {
      Measured[] sorted = measured[f].clone();
      Arrays.sort(sorted, (a, b) -> Double.compare(a.seconds(), b.seconds()));
      Measured median = sorted[runs / 2];
      System.out.printf(
          Locale.ROOT,
          "| %s | %.1f | %,.0f | %d |%n",
          formats.get(f),
          median.seconds(),
          edges / median.seconds(),
          median.peakBytes() >> 20);
    }
    return 0;
  }

  private void write(Path tables, long accounts) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = connection.createStatement()) {
      for (String format : new TreeSet<>(formats.stream().map(TableImport::read).toList())) {
        copy(
            statement,
            tables.resolve("accounts." + format),
            """
            SELECT i * 7919 + 1000000007 AS id,
              ['shop', 'broker', 'private'][1 + i %% 3] AS kind,
              CASE WHEN i %% 10 > 0 THEN hash(i) %% 100000 / 100 END AS balance,
              18 + hash(i + 1) %% 70 AS age, hash(i + 2) %% 1000 / 1000 AS score,
              ['DE', 'FR', 'US', 'NL', 'PL'][1 + CAST(hash(i + 3) %% 5 AS INTEGER)] AS country,
              DATE '2015-01-01' + CAST(hash(i + 4) %% 3650 AS INTEGER) AS opened
            FROM range(%d) AS t(i)\
            """
                .formatted(accounts));
        String end =
            "CAST(floor(%1$d * pow(hash(2 * i + %2$d) %% 9007199254740992 / 9007199254740992, 2)) AS BIGINT)";
        copy(
            statement,
            tables.resolve("payments." + format),
            "SELECT %s * 7919 + 1000000007 AS sender, %s * 7919 + 1000000007 AS receiver, 1 + hash(i + 7) %% 500 AS amount FROM range(%d) AS t(i)"
                .formatted(end.formatted(accounts, 0), end.formatted(accounts, 1), edges));
      }
    }
  }

  /// The kind of files that are read.
  private static String read(String format) {
    return format.equals("pandas") ? "csv" : format;
  }

  private static void copy(Statement statement, Path file, String query) throws SQLException {
    if (!Files.exists(file)) {
      statement.execute("COPY (%s) TO '%s'".formatted(query, file));
    }
  }

  private List<String> command(String format, Path tables) {
    if (format.equals("pandas")) {
      return List.of(
          python,
          "benchmarks/src/main/python/tables.py",
          tables.resolve("accounts.csv").toString(),
          tables.resolve("payments.csv").toString(),
          tables.resolve("out-pandas").toString());
    }
    return List.of(
        gossamer.toAbsolutePath().toString(),
        "dataset",
        "import",
        "--vertices",
        tables.resolve("accounts." + format).toString(),
        "--edges",
        tables.resolve("payments." + format).toString(),
        "--out",
        tables.resolve("out-" + format).toString(),
        "--json",
        "-q");
  }

  /// The peak is what the system last said before the process ended.
  private static Measured measure(List<String> command) throws IOException, InterruptedException {
    Path output = Files.createTempFile("tables", ".log");
    long begin = System.nanoTime();
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    long peak = 0;
    while (!process.waitFor(10, TimeUnit.MILLISECONDS)) {
      peak = Math.max(peak, peak(process.pid()));
    }
    double seconds = (System.nanoTime() - begin) * 1e-9;
    if (process.exitValue() != 0) {
      throw new IOException(String.join(" ", command) + ": " + Files.readString(output));
    }
    Files.delete(output);
    return new Measured(seconds, peak);
  }

  private static long peak(long process) {
    try (Stream<String> lines =
        Files.lines(Path.of("/proc/%d/status".formatted(process)), StandardCharsets.UTF_8)) {
      return lines
          .filter(line -> line.startsWith("VmHWM:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      return 0;
    }
  }
}
