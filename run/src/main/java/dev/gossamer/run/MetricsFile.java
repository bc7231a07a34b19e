package dev.gossamer.run;

import dev.gossamer.matrix.io.InvalidInputException;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// `metrics.jsonl`: one JSON object a line for each epoch or iteration, appended as the run goes
/// on.
public final class MetricsFile implements AutoCloseable {
  private static final JsonMapper JSON = new JsonMapper();

  private final Path file;
  private final Writer out;

  private MetricsFile(Path file, Writer out) {
    this.file = file;
    this.out = out;
  }

  /// Opens the file for appending behind its first `epochs` lines; later lines, of epochs that a
  /// resumed run does again, are dropped.
  ///
  /// @param file to write
  /// @param epochs whose lines stay
  /// @return the open file
  public static MetricsFile open(Path file, int epochs) {
    try {
      List<String> kept =
          Files.exists(file) ? Files.readAllLines(file).stream().limit(epochs).toList() : List.of();
      Files.write(file, kept);
      return new MetricsFile(file, Files.newBufferedWriter(file, StandardOpenOption.APPEND));
    } catch (IOException e) {
      throw InvalidInputException.unwritable(file, e);
    }
  }

  void append(EpochRecord record) {
    ObjectNode line = JSON.createObjectNode();
    line.put("epoch", record.epoch());
    line.put("loss", record.loss());
    line.put("learning_rate", record.learningRate());
    line.put("seconds", record.seconds());
    ObjectNode phases = line.putObject("phase_seconds");
    record.phases().forEach((phase, seconds) -> phases.put(phase.label(), seconds));
    if (record.evaluation() != null) {
      putScores(line.putObject("train"), record.evaluation().train());
      putScores(line.putObject("validation"), record.evaluation().validation());
      putScores(line.putObject("test"), record.evaluation().test());
    }
    append(line);
  }

  /// Appends a line.
  ///
  /// @param line one JSON object
  public void append(ObjectNode line) {
    try {
      out.write(JSON.writeValueAsString(line));
      out.write('\n');
      out.flush();
    } catch (IOException e) {
      throw InvalidInputException.unwritable(file, e);
    }
  }

  private static void putScores(ObjectNode node, Evaluation.Scores scores) {
    node.put("loss", scores.loss());
    node.put("accuracy", scores.accuracy());
    node.put("micro_f1", scores.microF1());
    node.put("macro_f1", scores.macroF1());
    scores.rocAuc().ifPresent(area -> node.put("roc_auc", area));
  }

  @Override
  public void close() {
    try {
      out.close();
    } catch (IOException e) {
      throw InvalidInputException.unwritable(file, e);
    }
  }
}
