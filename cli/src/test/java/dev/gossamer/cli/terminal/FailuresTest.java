package dev.gossamer.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.Excerpt;
import dev.gossamer.base.TrainingFailedException;
import dev.gossamer.cli.Cli;
import dev.gossamer.comm.RankFailedException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import tools.jackson.databind.JsonNode;

class FailuresTest {
  private static String line(Throwable failure, String... arguments) {
    return line(Failures.FAILED, failure, arguments);
  }

  private static String line(int expected, Throwable failure, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status =
        Failures.of(arguments)
            .report(new PrintWriter(out, true), new PrintWriter(err, true), failure);
    assertThat(status).isEqualTo(expected);
    assertThat(out.toString()).isEmpty();
    return err.toString();
  }

  @Test
  void aMemoryThatDoesNotSufficeIsOneLineThatSaysWhatWasDone() {
    String heap =
        "; the Java heap is [0-9.]+ [KMGT]iB: GOSSAMER_JAVA_OPTIONS=-Xmx[.]{3} makes it larger\n";
    OutOfMemoryError full = new OutOfMemoryError("Java heap space");
    assertThat(line(full, "dataset", "info", "--data", "x"))
        .matches(
            "gossamer: out of memory while running gossamer dataset info: Java heap space" + heap);
    assertThat(line(new OutOfMemoryError("while reading x.npz: Java heap space"), "train"))
        .matches("gossamer: out of memory while reading x.npz: Java heap space" + heap);
    assertThat(line(new RankFailedException(2, 4, full), "train"))
        .matches(
            "gossamer: rank 2: out of memory while running gossamer train: Java heap space" + heap);
  }

  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aMessageOfAnyLengthIsAShortLine() {
    assertThat(line(new IllegalStateException("a \n\n \t b\r\n c"), "train"))
        .isEqualTo(
            "gossamer: internal error: IllegalStateException: a b c; --stacktrace shows where\n");
    String wide = "x" + " ".repeat(2_000_000) + "y";
    for (String found :
        List.of(wide, "x" + "\u202e".repeat(5_000) + "y", "x" + "\n".repeat(2_000_000) + "y")) {
      String beginning = "gossamer: internal error: IllegalStateException: x";
      String end = "y; --stacktrace shows where\n";
      assertThat(line(new IllegalStateException(found), "train"))
          .startsWith(beginning)
          .endsWith(end)
          .hasSizeLessThanOrEqualTo("gossamer: \n".length() + Excerpt.LONGEST);
      assertThat(line(new OutOfMemoryError("while reading " + found), "train"))
          .startsWith("gossamer: out of memory while reading x")
          .hasSizeLessThanOrEqualTo("gossamer: \n".length() + Excerpt.LONGEST);
    }
    String kept = "x".repeat(1000);
    assertThat(line(new IllegalStateException(kept), "train")).contains(kept);
  }

  /// The parser hands on exceptions alone.
  @Test
  void errorsOfCommandsAreReportedByThem() throws Exception {
    StringWriter err = new StringWriter();
    CommandLine line =
        new CommandLine(CommandSpec.create())
            .setErr(new PrintWriter(err, true))
            .setExecutionExceptionHandler(Failures.of("train"));
    Error full = new OutOfMemoryError("Java heap space");
    assertThat(Failures.reported(line.getCommandSpec(), full)).isEqualTo(Failures.FAILED);
    assertThat(err.toString()).startsWith("gossamer: out of memory while running gossamer train");
    CommandSpec alone = new CommandLine(CommandSpec.create()).getCommandSpec();
    assertThatThrownBy(() -> Failures.reported(alone, full)).isSameAs(full);
  }

  /// No repetition helps, which is what callers ask the status for.
  @Test
  void aTrainingThatDivergesHasAStatusOfItsOwn() {
    TrainingFailedException failure = new TrainingFailedException("epoch 2: the loss is NaN");
    assertThat(line(Failures.DIVERGED, failure, "train"))
        .isEqualTo("gossamer: epoch 2: the loss is NaN\n");
  }

  /// As the parser takes them.
  @Test
  void flagsOfTheOutputMayHaveAValue() {
    assertThat(Failures.of("train", "--json=true").json()).isTrue();
    assertThat(Failures.of("train", "--json", "--json=false").json()).isFalse();
    assertThat(Failures.of("train", "--stacktrace=TRUE").stacktrace()).isTrue();
    assertThat(Failures.of("train", "--json-lines", "--out=--json").json()).isFalse();
    JsonNode failed = Cli.run("train", "--layers", "0", "--json=true").json();
    assertThat(failed.get("exit_status").asInt()).isEqualTo(Failures.USAGE);
  }

  @Test
  void otherErrorsAreOneLineToo() {
    assertThat(line(new StackOverflowError(), "train"))
        .isEqualTo(
            "gossamer: internal error: StackOverflowError: null; --stacktrace shows where\n");
  }
}
