package dev.gossamer.cli.graph;

import dev.gossamer.Dataset;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.base.io.InputFile;
import dev.gossamer.cli.terminal.ForceOptions;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Flags of recommendations.
final class RecommendationOptions {
  /// Of a file of names.
  private static final int MOST_BYTES = 1 << 30;

  @Option(
      names = "--top",
      paramLabel = "K",
      defaultValue = "10",
      description = "Most vertices for each (default: ${DEFAULT-VALUE}).")
  int top;

  @Option(
      names = "--for",
      paramLabel = "NAME",
      split = ",",
      description = "Names of vertices to recommend for; their numbers if the data have no names.")
  @Nullable List<String> names;

  @Option(
      names = "--for-file",
      paramLabel = "FILE",
      description = "A file with such a name in each line (default: all vertices, with --out).")
  @Nullable Path file;

  @Option(
      names = "--edge-type",
      paramLabel = "NAME",
      description =
          "Type of the edges to recommend by: those that have no edge of this type yet; needed by models that tell"
              + " several types apart.")
  @Nullable String edgeType;

  @Option(
      names = {"-o", "--out"},
      paramLabel = "TABLE",
      description = {
        "FILE.parquet, FILE.csv, FILE.csv.gz, or 'jdbc:ADDRESS TABLE' (password in GOSSAMER_JDBC_PASSWORD) to write;"
            + " --force replaces an existing file, or the rows of an existing table (default: the terminal)."
      })
  @Nullable String out;

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description =
          "Its first line is the password of the database of --out (default: GOSSAMER_JDBC_PASSWORD).")
  @Nullable Path passwordFile;

  @Mixin ForceOptions existing = new ForceOptions();

  /// Returns where recommendations go, after a check that it can be written; null for the terminal.
  PredictionOutput.@Nullable Table output() {
    InvalidSettingException.requireAtLeast("top", top, 1);
    if (out != null) {
      PredictionOutput.Table table =
          PredictionOutput.table(out, passwordFile, existing)
              .orElseThrow(() ->
                  new InvalidSettingException(
                      "{out}: expected FILE.parquet, FILE.csv, FILE.csv.gz or 'jdbc:ADDRESS TABLE', found "
                          + out));
      table.requireWritable();
      return table;
    }
    if (names == null && file == null) {
      throw new InvalidInputException(
          "--for: expected names of vertices to recommend for, found none; or --out FILE for all vertices");
    }
    if (passwordFile != null || existing.force) {
      throw new InvalidInputException(
          "%s: a flag of --out; add that or leave it out"
              .formatted(passwordFile == null ? "--force" : "--password-file"));
    }
    return null;
  }

  /// Returns the numbers of the vertices to recommend for; none stands for all.
  int[] vertices(Dataset dataset) {
    Set<String> wanted = new LinkedHashSet<>(names == null ? List.of() : names);
    if (file != null) {
      wanted.addAll(lines(file));
    }
    if (wanted.isEmpty() && (names != null || file != null)) {
      throw new InvalidInputException("--for: expected names of vertices, found none");
    }
    if (wanted.isEmpty()) {
      return new int[0];
    }
    VertexNumbers numbers = VertexNumbers.of(dataset);
    return wanted.stream()
        .mapToInt(name -> {
          int number = numbers.of(name);
          if (number < 0) {
            throw new InvalidInputException(
                "--for: expected names of vertices of %s, found '%s'"
                    .formatted(dataset.name(), name));
          }
          return number;
        })
        .toArray();
  }

  private static List<String> lines(Path file) {
    return InputFile.of(file).text(MOST_BYTES).lines().filter(line -> !line.isBlank()).toList();
  }
}
