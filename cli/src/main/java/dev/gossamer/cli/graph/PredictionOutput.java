package dev.gossamer.cli.graph;

import dev.gossamer.Predictions;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.cli.terminal.ForceOptions;
import dev.gossamer.tables.TableTarget;
import dev.gossamer.tables.Tables;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/// Where predictions go.
sealed interface PredictionOutput {
  /// Checks, before anything is computed, that it can be written.
  void requireWritable();

  /// Memory that writing takes, in bytes.
  ///
  /// @param numbers of a vertex: probabilities and, if they are written, its embedding
  long bytes(long numbers);

  void write(Predictions predictions, Predictions.Contents contents, Predictions.Columns columns);

  /// Its name in the message of the command.
  String text();

  /// Adds its fields to the object of the command.
  void put(ObjectNode node);

  /// A folder of a table and arrays.
  record Folder(Path folder) implements PredictionOutput {
    @Override
    public void requireWritable() {
      Predictions.requireReplaceable(folder);
    }

    @Override
    public long bytes(long numbers) {
      return 0;
    }

    @Override
    public void write(
        Predictions predictions, Predictions.Contents contents, Predictions.Columns columns) {
      predictions.write(folder, contents, columns);
    }

    @Override
    public String text() {
      return folder.resolve(Predictions.CSV).toString();
    }

    @Override
    public void put(ObjectNode node) {
      node.put("folder", folder.toString());
    }
  }

  /// Returns the table that a text describes; empty if it is a folder.
  ///
  /// @param text of --out
  /// @param passwordFile its first line is the password of a database; null for none
  static Optional<Table> table(String text, @Nullable Path passwordFile, ForceOptions existing) {
    if (text.isEmpty()) {
      throw new InvalidInputException("--out: expected a path, found none");
    }
    return TableTarget.parse(
            text,
            passwordFile,
            existing.force ? TableTarget.Existing.REPLACE : TableTarget.Existing.REFUSE)
        .map(target -> new Table(target, existing));
  }

  /// A table in a file or a database.
  record Table(TableTarget target, ForceOptions existing) implements PredictionOutput {
    @Override
    public void requireWritable() {
      switch (target) {
        case TableTarget.File(Path file) -> existing.requireNew(file);
        case TableTarget.Database _ -> Tables.requireWritable(target);
      }
    }

    @Override
    public long bytes(long numbers) {
      return target.bytes(numbers);
    }

    @Override
    public void write(
        Predictions predictions, Predictions.Contents contents, Predictions.Columns columns) {
      Tables.write(PredictionTable.of(predictions, contents, columns), target);
    }

    @Override
    public String text() {
      return target.text();
    }

    @Override
    public void put(ObjectNode node) {
      switch (target) {
        case TableTarget.File(Path file) -> node.put("file", file.toString());
        case TableTarget.Database database -> {
          node.put("database", database.address());
          node.put("table", database.table());
        }
      }
    }
  }
}
