package dev.gossamer.cli.machine;

import dev.gossamer.MachineSettings;
import dev.gossamer.base.InvalidInputException;
import dev.gossamer.matrix.dense.Matmul;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Flags of the machine: threads and memory.
public class MachineOptions extends ThreadsOptions {
  @Option(
      names = "--memory",
      paramLabel = "BYTES",
      description =
          "Memory of a run, as 8g or 500m; runs that would not fit are refused before they start (default: what is"
              + " available).")
  public @Nullable String memory;

  /// Returns the settings of the flags.
  public MachineSettings settings() {
    return new MachineSettings(
        threads == null ? OptionalInt.empty() : OptionalInt.of(threads),
        memory == null ? OptionalLong.empty() : OptionalLong.of(bytes("--memory", memory)),
        Matmul.java());
  }

  /// Parses a number of bytes: `8g`, `500m`, `100000`.
  ///
  /// @param flag named in the error
  public static long bytes(String flag, String given) {
    String text = given.toLowerCase(Locale.ROOT);
    int shift =
        switch (text.isEmpty() ? ' ' : text.charAt(text.length() - 1)) {
          case 'k' -> 10;
          case 'm' -> 20;
          case 'g' -> 30;
          case 't' -> 40;
          default -> 0;
        };
    String digits = shift == 0 ? text : text.substring(0, text.length() - 1);
    if (!digits.matches("[0-9]{1,18}") || Long.parseLong(digits) > Long.MAX_VALUE >> shift) {
      throw new InvalidInputException(
          "%s: expected a number of bytes such as 8g or 500m, found %s".formatted(flag, given));
    }
    return Long.parseLong(digits) << shift;
  }
}
