package dev.gossamer.spark.ranks;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.URI;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The process of a rank, as its task sees it.
///
/// It is a JVM of its own, so that the executor needs no flags for vectors and native access, its
/// garbage collector does not see what ranks keep, and a rank that runs out of memory does not take
/// the executor with it.
final class RankChild implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RankChild.class);
  private static final Duration TICK = Duration.ofMillis(200);

  /// Time for a checkpoint after it was asked to end.
  private static final Duration GRACE = Duration.ofSeconds(5);

  /// Lines of the command's output that are kept.
  private static final int MOST_LINES = 1000;

  /// How a message of failure begins.
  private static final String SAYS = "gossamer: ";

  /// A line of a stream; without text, its end.
  private record Line(boolean error, @Nullable String text) {}

  /// How a process ended.
  ///
  /// @param status of its end
  /// @param output lines of its standard output
  /// @param message what it said of a failure; empty if nothing
  record End(int status, List<String> output, String message) {
    /// {@return whether it ended without a word, as one that was killed does}
    boolean isSilent() {
      return status != 0 && message.isEmpty();
    }

    /// {@return what is wrong}
    String problem() {
      return isSilent() ? "the process of the rank ended with status " + status : message;
    }
  }

  private final Process process;
  private final Writer input;
  private final BlockingQueue<Line> lines = new LinkedBlockingQueue<>();
  private final Deque<String> output = new ArrayDeque<>();
  private String message = "";

  private RankChild(Process process) {
    this.process = process;
    input = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    follow(process.getInputStream(), false);
    follow(process.getErrorStream(), true);
  }

  /// Starts a process.
  ///
  /// @param command of `gossamer`, with its flags
  /// @param environment in addition to that of the executor
  /// @param folder in which it runs
  static RankChild start(List<String> command, Map<String, String> environment, Path folder) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(
        List.of(
            "--add-modules=jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseParallelGC",
            "-XX:MaxRAMPercentage=25",
            "-Dslf4j.provider=ch.qos.logback.classic.spi.LogbackServiceProvider",
            RankProcess.class.getName()));
    words.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(words).directory(folder.toFile());
    builder.environment().put("CLASSPATH", classPath());
    builder.environment().putAll(environment);
    try {
      return new RankChild(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + words.getFirst(), e);
    }
  }

  /// The class path of this library: what came with the job, or all that the executor has. The
  /// process runs in another folder.
  private static String classPath() {
    if (RankChild.class.getClassLoader() instanceof URLClassLoader loader
        && loader.getURLs().length > 0) {
      return Arrays.stream(loader.getURLs())
          .map(url -> Path.of(URI.create(url.toString())).toString())
          .collect(Collectors.joining(File.pathSeparator));
    }
    return absolute(System.getProperty("java.class.path"));
  }

  /// A class path with the same entries in whatever folder.
  static String absolute(String classPath) {
    return Arrays.stream(classPath.split(File.pathSeparator, -1))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private void follow(InputStream from, boolean error) {
    Thread reader =
        new Thread(
            () -> {
              try (BufferedReader in =
                  new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                  lines.add(new Line(error, line));
                }
              } catch (IOException e) {
                LOG.debug("rank process: its output ended", e);
              } finally {
                lines.add(new Line(error, null));
              }
            },
            "rank-process-" + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /// Waits until the process has ended, and answers it meanwhile.
  ///
  /// @param gathering of lines from all ranks
  /// @param interrupted whether the process is to end
  /// @param tick called several times a second
  /// @return how it ended
  End await(Gathers gathering, BooleanSupplier interrupted, Runnable tick)
      throws InterruptedException {
    int open = 2;
    while (open > 0) {
      if (interrupted.getAsBoolean()) {
        throw new InterruptedException("the task was cancelled");
      }
      tick.run();
      Line line = lines.poll(TICK.toMillis(), TimeUnit.MILLISECONDS);
      if (line == null) {
        continue;
      }
      String text = line.text();
      if (text == null) {
        open--;
      } else if (line.error()) {
        said(text);
      } else if (begins(text, RankProcess.GATHER)) {
        reply(gathering.allGather(text.substring(1)));
      } else if (begins(text, RankProcess.OUTPUT)) {
        output.add(text.substring(1));
        if (output.size() > MOST_LINES) {
          output.remove();
        }
      } else {
        // A JVM writes its warnings there.
        LOG.info("{}", text);
      }
    }
    int status = process.waitFor();
    return new End(status, List.copyOf(output), message);
  }

  private static boolean begins(String text, char mark) {
    return !text.isEmpty() && text.charAt(0) == mark;
  }

  private void said(String text) {
    LOG.info("{}", text);
    if (text.startsWith(SAYS)) {
      message = text.substring(SAYS.length());
    }
  }

  private void reply(String[] all) {
    try {
      for (String line : all) {
        input.write(line + "\n");
      }
      input.flush();
    } catch (IOException e) {
      // It has ended; what it said follows.
      LOG.debug("rank process: it reads no more", e);
    }
  }

  /// The lines of all tasks of a stage, as [org.apache.spark.BarrierTaskContext#allGather].
  @FunctionalInterface
  interface Gathers {
    /// {@return the lines of all tasks, in their order}
    ///
    /// @param own line of this task
    String[] allGather(String own);
  }

  /// Ends the process if it still runs: by a request, which leaves time for a checkpoint, then by
  /// force.
  @Override
  public void close() {
    if (!process.isAlive()) {
      return;
    }
    process.destroy();
    boolean ended = false;
    boolean interrupted = Thread.interrupted();
    try {
      ended = process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (!ended) {
      process.destroyForcibly();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
