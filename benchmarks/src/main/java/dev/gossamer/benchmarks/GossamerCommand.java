package dev.gossamer.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/// Whole commands, whose result is the JSON object that they print.
final class GossamerCommand {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private GossamerCommand() {}

  /// Runs a command to its end; its progress goes to standard error.
  ///
  /// @return the object that it prints
  /// @throws IOException if it fails
  static JsonNode run(List<String> command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("failed: " + String.join(" ", command));
    }
    return MAPPER.readTree(
        text.lines().filter(each -> each.startsWith("{")).findFirst().orElse("{}"));
  }
}
