package dev.gossamer.benchmarks;

import dev.gossamer.pruned.layers.DenseArchitecture;
import dev.gossamer.pruned.layers.GptSettings;
import dev.gossamer.pruned.layers.VggSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/// Iterations of one of our networks in PyTorch: forward, backward and AdamW on one batch, in a
/// process of its own, by `iterations.py`.
final class TorchIterations implements AutoCloseable {
  private static final ObjectMapper JSON = new JsonMapper();

  private final Process process;
  private final BufferedReader answers;
  private final Writer requests;
  private final long parameters;

  /// Seconds of an iteration.
  ///
  /// @param clock that pass
  /// @param processor of all threads
  record Seconds(double clock, double processor) {}

  /// How it computes.
  ///
  /// @param python with PyTorch
  /// @param threads of its team
  /// @param bfloat16 whether products are taken in 16 bits
  record Setting(String python, int threads, boolean bfloat16) {}

  /// Starts the process and builds the network.
  ///
  /// @param batch samples of an iteration
  /// @throws IllegalStateException if the program ends, as it does without PyTorch
  TorchIterations(DenseArchitecture architecture, int batch, Setting setting) throws IOException {
    ObjectNode wanted = JSON.createObjectNode();
    describe(architecture, wanted);
    wanted.put("batch", batch);
    wanted.put("threads", setting.threads());
    wanted.put("bfloat16", setting.bfloat16());
    ProcessBuilder builder =
        new ProcessBuilder(setting.python(), "-c", script(), JSON.writeValueAsString(wanted))
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    for (String library : new String[] {"OMP", "OPENBLAS", "MKL"}) {
      builder.environment().put(library + "_NUM_THREADS", Integer.toString(setting.threads()));
    }
    process = builder.start();
    answers = process.inputReader(StandardCharsets.UTF_8);
    requests = process.outputWriter(StandardCharsets.UTF_8);
    parameters = Long.parseLong(answer());
  }

  private static String script() throws IOException {
    try (@Nullable InputStream in = TorchIterations.class.getResourceAsStream("iterations.py")) {
      if (in == null) {
        throw new IllegalStateException("iterations.py is not among the resources");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static void describe(DenseArchitecture architecture, ObjectNode wanted) {
    switch (architecture) {
      case DenseArchitecture.Text text -> {
        GptSettings sizes = text.sizes();
        wanted
            .putObject("gpt")
            .put("vocabulary", sizes.vocabulary())
            .put("length", sizes.length())
            .put("layers", sizes.layers())
            .put("heads", sizes.heads())
            .put("width", sizes.width());
      }
      case DenseArchitecture.Images images -> {
        VggSettings sizes = VggSettings.named(images.name()).on(images.input(), images.classes());
        ObjectNode node = wanted.putObject("vgg");
        node.put("channels", sizes.input().channels());
        node.put("height", sizes.input().height());
        node.put("width", sizes.input().width());
        sizes.plan().forEach(node.putArray("plan")::add);
        sizes.hidden().forEach(node.putArray("hidden")::add);
        node.put("normalised", sizes.normalised());
        node.put("classes", sizes.classes());
      }
    }
  }

  /// {@return parameters of the network, which ours must have, too}
  long parameters() {
    return parameters;
  }

  /// Trains on the batch once more.
  Seconds iterate() {
    try {
      requests.write('\n');
      requests.flush();
      String[] seconds = answer().split(" ", 2);
      return new Seconds(Double.parseDouble(seconds[0]), Double.parseDouble(seconds[1]));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String answer() throws IOException {
    String line = answers.readLine();
    if (line == null) {
      throw new IllegalStateException(
          "PyTorch has ended; its message stands above. --torch none leaves it out");
    }
    return line;
  }

  @Override
  public void close() {
    try {
      requests.close();
      process.waitFor(1, TimeUnit.MINUTES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      process.destroyForcibly();
    }
  }
}
