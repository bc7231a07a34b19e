package dev.gossamer.run;

import dev.gossamer.matrix.io.AtomicOutput;
import dev.gossamer.matrix.io.InvalidInputException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// `metrics.jsonl`: one JSON object a line for each epoch or iteration, appended as the run goes
/// on.
public final class MetricsFile implements AutoCloseable {
  /// Phases and scores of an epoch take less than a thousandth of this.
  private static final int LONGEST_LINE = 1 << 20;

  private static final JsonMapper JSON = new JsonMapper();

  private final Path file;
  private final Writer out;

  private MetricsFile(Path file, Writer out) {
    this.file = file;
    this.out = out;
  }

  /// Opens the file for appending behind its first `epochs` lines; later lines, of epochs that a
  /// resumed run does again, are dropped. The lines that stay are copied: another name of the
  /// earlier file, in a copy of the run, does not change with this run.
  ///
  /// @param file to write
  /// @param epochs whose lines stay
  /// @return the open file
  /// @throws InvalidInputException if it cannot be written, or has a line that is none of these
  public static MetricsFile open(Path file, int epochs) {
    AtomicOutput.file(file, temporary -> copyLines(file, epochs, temporary));
    try {
      FileChannel channel =
          FileChannel.open(file, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);
      return new MetricsFile(
          file, new BufferedWriter(Channels.newWriter(channel, StandardCharsets.UTF_8)));
    } catch (IOException e) {
      throw InvalidInputException.unwritable(file, e);
    }
  }

  private static void copyLines(Path file, int count, Path to) throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(to))) {
      if (count == 0 || !Files.exists(file)) {
        return;
      }
      try (InputStream in =
          new BufferedInputStream(Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS))) {
        int line = 1;
        while (line <= count && copyLine(file, line, in, out)) {
          line++;
        }
      }
    }
  }

  /// @return whether there was one
  private static boolean copyLine(Path file, int line, InputStream in, OutputStream out)
      throws IOException {
    int next = in.read();
    if (next < 0) {
      return false;
    }
    for (int length = 1; next >= 0 && next != '\n'; length++) {
      if (length > LONGEST_LINE) {
        throw new InvalidInputException(
            "%s: line %d: expected at most %d bytes, found more"
                .formatted(file, line, LONGEST_LINE));
      }
      out.write(next);
      next = in.read();
    }
    out.write('\n');
    return true;
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
