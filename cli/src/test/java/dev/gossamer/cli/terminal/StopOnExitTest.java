package dev.gossamer.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.gossamer.cli.Child;
import dev.gossamer.cli.Cli;
import dev.gossamer.cli.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/// In a process of its own, which is told to end.
@EnabledOnOs(
    value = {OS.LINUX, OS.MAC},
    disabledReason = "there is no SIGTERM")
class StopOnExitTest {
  /// 128 and the number of SIGTERM.
  private static final int TERMINATED = 143;

  private static final int INTERRUPTED = 130;

  /// A training that says what becomes of it, and ends as commands do: with an exit status.
  static final class Training {
    private Training() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      CountDownLatch asked = new CountDownLatch(1);
      BooleanSupplier stop =
          () -> {
            System.out.println("asked to stop");
            if (arguments[0].equals("early")) {
              return false;
            }
            asked.countDown();
            return true;
          };
      try (StopOnExit onExit = new StopOnExit(stop)) {
        if (!arguments[0].equals("deaf")) {
          onExit.listen();
          onExit.listen();
        }
        System.out.println("training");
        if (!arguments[0].equals("short")) {
          asked.await();
          System.out.println("told " + in.readLine());
          System.out.println("written");
        }
      }
      System.exit(3);
    }
  }

  /// The command `train`, whose checkpoint cannot be written: from the first line of its progress
  /// on, a file has the name of the folder. Says what it reports, if it is still there.
  static final class Failing {
    private Failing() {}

    public static void main(String[] arguments) {
      Path run = Path.of(arguments[arguments.length - 1]);
      OutputStream said =
          new OutputStream() {
            private boolean training;

            @Override
            public void write(int b) {
              throw new AssertionError("text comes in pieces");
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
              String text = new String(bytes, offset, length, StandardCharsets.UTF_8);
              if (!training && text.contains(" epochs (")) {
                training = true;
                Files.createFile(run.resolve("checkpoint"));
                System.out.println("training");
              } else if (text.startsWith("gossamer: ") && isHeld()) {
                System.out.print(text);
                System.out.flush();
              }
            }
          };
      System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
      // Where there is a terminal, progress begins at once.
      System.setProperty("gossamer.terminal", "true");
      Main.main(arguments);
    }

    /// Whether the end of the process waits for the training.
    private static boolean isHeld() {
      Optional<Thread> hook =
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> thread.getName().equals("stop"))
              .findFirst();
      while (hook.map(Thread::isAlive).orElse(false)
          && hook.orElseThrow().getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
      return hook.map(Thread::isAlive).orElse(false);
    }
  }

  @Tag("slow")
  @Test
  void aFailureOfItsLastWorkIsReported(@TempDir Path folder)
      throws IOException, InterruptedException {
    Path data = folder.resolve("grid");
    String build = "dataset build grid -q --rows 8 --cols 8 --patch 2 --classes 2 --features 4";
    assertThat(Cli.run((build + " --out " + data).split(" ")).status()).isZero();
    String train =
        "train --epochs 100000000 --checkpoint-every 0 --hidden 4 --memory 4g --data %s --run-folder %s"
            .formatted(data, folder.resolve("run"));
    List<String> java =
        Child.java(
            List.of("-Xmx256m", "--add-modules=jdk.incubator.vector"),
            Failing.class,
            train.split(" "));
    try (Child training = new Child(java)) {
      assertThat(training.hear()).isEqualTo("training");
      training.terminate();
      assertThat(training.hear())
          .startsWith("gossamer: " + folder.resolve("run/checkpoint"))
          .contains("cannot write");
      assertThat(training.status()).isEqualTo(TERMINATED);
    }
  }

  private static Child training(String how) throws IOException {
    return new Child(Child.java(List.of(), Training.class, how));
  }

  /// Of a training that waits for being told.
  private static void assertWritesAndEnds(Child training) throws IOException, InterruptedException {
    training.tell("to write");
    assertThat(training.hear()).isEqualTo("told to write");
    assertThat(training.hear()).isEqualTo("written");
    assertThat(training.hear()).isEqualTo("end");
    assertThat(training.status()).isEqualTo(TERMINATED);
  }

  @Test
  void aProcessThatIsToEndLivesUntilAllIsWritten() throws IOException, InterruptedException {
    try (Child training = training("long")) {
      assertThat(training.hear()).isEqualTo("training");
      training.terminate();
      assertThat(training.hear()).isEqualTo("asked to stop");
      assertWritesAndEnds(training);
    }
  }

  @Test
  void moreSignalsNeitherEndItNorAskAgain() throws IOException, InterruptedException {
    try (Child training = training("long")) {
      assertThat(training.hear()).isEqualTo("training");
      training.terminate();
      assertThat(training.hear()).isEqualTo("asked to stop");
      training.terminate();
      training.terminate();
      assertWritesAndEnds(training);
    }
  }

  @Test
  void aTrainingThatHasNothingToWriteIsNotWaitedFor() throws IOException, InterruptedException {
    try (Child training = training("early")) {
      assertThat(training.hear()).isEqualTo("training");
      training.terminate();
      assertThat(training.hear()).isEqualTo("asked to stop");
      assertThat(training.hear()).isEqualTo("end");
      assertThat(training.status()).isEqualTo(TERMINATED);
    }
  }

  @Test
  void aSecondInterruptEndsAtOnce() throws IOException, InterruptedException {
    assumeTrue(hearsInterrupts(), "processes of this one ignore Ctrl-C, as it does");
    try (Child training = training("long")) {
      assertThat(training.hear()).isEqualTo("training");
      training.interrupt();
      assertThat(training.hear()).isEqualTo("asked to stop");
      training.interrupt();
      assertThat(training.hear()).isEqualTo("end");
      assertThat(training.status()).isEqualTo(INTERRUPTED);
    }
  }

  /// What a shell starts in the background ignores Ctrl-C, and so do its children.
  private static boolean hearsInterrupts() throws IOException {
    Path status = Path.of("/proc/self/status");
    return Files.exists(status)
        && Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .noneMatch(line -> (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 2) != 0);
  }

  @Test
  void aTrainingThatEndsByItselfIsNotAskedToStop() throws IOException, InterruptedException {
    try (Child training = training("short")) {
      assertThat(training.hear()).isEqualTo("training");
      assertThat(training.hear()).isEqualTo("end");
      assertThat(training.status()).isEqualTo(3);
    }
  }

  @Test
  void withoutListeningItEndsAtOnce() throws IOException, InterruptedException {
    try (Child training = training("deaf")) {
      assertThat(training.hear()).isEqualTo("training");
      training.terminate();
      assertThat(training.hear()).isEqualTo("end");
      assertThat(training.status()).isEqualTo(TERMINATED);
    }
  }

  @Test
  void closingTwiceOrWithoutListeningIsNoMistake() {
    StopOnExit onExit =
        new StopOnExit(() -> {
          throw new AssertionError("nothing was to end");
        });
    onExit.close();
    onExit.listen();
    onExit.close();
    onExit.close();
  }
}
