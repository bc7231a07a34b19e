package dev.gossamer.cli.graph;

import dev.gossamer.Predictions;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.cli.terminal.ForceOptions;
import dev.gossamer.graph.Task;
import dev.gossamer.tables.TableTarget;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Flags of the output of predictions.
final class PredictionOptions {
  @Option(
      names = {"-o", "--out"},
      paramLabel = "PATH",
      defaultValue = "predictions",
      description = {
        "Folder to write; replaces earlier predictions, but never a folder with other files (default:"
            + " ${DEFAULT-VALUE}).",
        "Or a table: FILE.parquet, FILE.csv, FILE.csv.gz, or 'jdbc:ADDRESS TABLE' (password in"
            + " GOSSAMER_JDBC_PASSWORD); --force replaces an existing file, or the rows of an existing table."
      })
  String out = "predictions";

  @Option(
      names = "--password-file",
      paramLabel = "FILE",
      description =
          "Its first line is the password of the database of --out (default: GOSSAMER_JDBC_PASSWORD).")
  @Nullable Path passwordFile;

  @Option(
      names = "--probabilities",
      description = "Add a column for each class, with its probability, to the table.")
  boolean probabilities;

  @Option(
      names = "--embeddings",
      description =
          "Also write the activations of the last hidden layer: a file, or a column of the table.")
  boolean embeddings;

  @Option(
      names = "--pairs",
      paramLabel = "TABLE",
      description = {
        "Of a model of 'train --task links': predict whether the vertices of each row of this table have an edge, into"
            + " a table.",
        "FILE.csv, FILE.parquet and so on, 'sql: QUERY' or 'jdbc:ADDRESS QUERY'; its first two columns are names of"
            + " vertices, the third, if the model tells types of edges apart, the type."
      })
  @Nullable String pairs;

  @Mixin ForceOptions existing = new ForceOptions();

  /// Returns where predictions go.
  ///
  /// @throws InvalidSettingException if flags do not fit it
  PredictionOutput output() {
    Optional<PredictionOutput.Table> table = PredictionOutput.table(out, passwordFile, existing);
    if (passwordFile != null
        && table.filter(each -> each.target() instanceof TableTarget.Database).isEmpty()) {
      throw new InvalidSettingException(
          "{passwordFile}: a flag of --out 'jdbc:ADDRESS TABLE'; add that or leave it out");
    }
    if (existing.force && table.isEmpty()) {
      throw new InvalidSettingException(
          "{force}: a flag of --out FILE.parquet, FILE.csv or 'jdbc:ADDRESS TABLE'; a folder of"
              + " predictions is replaced without it");
    }
    return table
        .<PredictionOutput>map(each -> each)
        .orElseGet(() -> new PredictionOutput.Folder(Path.of(out)));
  }

  /// Returns where the probabilities of pairs go, after a check that it can be written.
  ///
  /// @throws InvalidSettingException if flags do not fit them
  PredictionOutput.Table pairOutput() {
    if (probabilities || embeddings) {
      throw new InvalidSettingException(
          "{%s}: a flag of predictions of vertices; leave it or --pairs out"
              .formatted(probabilities ? "probabilities" : "embeddings"));
    }
    if (output() instanceof PredictionOutput.Table table) {
      table.requireWritable();
      return table;
    }
    throw new InvalidSettingException(
        "{out}: with --pairs expected FILE.parquet, FILE.csv, FILE.csv.gz or 'jdbc:ADDRESS TABLE', found "
            + out);
  }

  /// Refuses flags that a model of a task does not read.
  ///
  /// @throws InvalidSettingException if there is one
  void requireFits(Task task) {
    if (probabilities && task.predictsNumbers()) {
      throw new InvalidSettingException(
          "{probabilities}: only a model of classes or labels has them; leave it out");
    }
  }

  Predictions.Contents contents() {
    return embeddings ? Predictions.Contents.EMBEDDINGS : Predictions.Contents.PROBABILITIES;
  }

  Predictions.Columns columns() {
    return probabilities ? Predictions.Columns.ALL : Predictions.Columns.LIKELIEST;
  }
}
