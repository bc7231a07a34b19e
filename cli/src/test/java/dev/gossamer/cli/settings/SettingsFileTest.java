package dev.gossamer.cli.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.gossamer.cli.Cli;
import dev.gossamer.cli.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import tools.jackson.databind.JsonNode;

/// What a file of settings may say: that of `--config`, and that of a run which is resumed.
class SettingsFileTest {
  @TempDir static Path shared;
  private static Path grid = Path.of("");

  @TempDir Path folder;

  @BeforeAll
  static void buildAGrid() {
    grid = shared.resolve("grid");
    Cli built =
        Cli.run(
            ("dataset build grid --rows 8 --cols 8 --patch 2 --classes 2 --features 4 -q --out "
                    + grid)
                .split(" "));
    assertThat(built.status()).as(built.err()).isZero();
  }

  private Path config(String settings) throws IOException {
    return Files.writeString(folder.resolve("c.yaml"), settings);
  }

  private Cli train(Path config, String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of("train", "--data", grid.toString(), "--epochs", "2", "--hidden", "4", "-q"));
    arguments.addAll(List.of("--runs", folder.resolve("runs").toString()));
    arguments.addAll(List.of("--json", "--config", config.toString()));
    arguments.addAll(List.of(more));
    return Cli.run(arguments.toArray(String[]::new));
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("dev.gossamer.cli.settings.PublishedSettings#files")
  void publishedSettingsAreTaken(Path file) {
    String command =
        "train --epochs 1 -q --json --data %s --runs %s --config %s"
            .formatted(grid, folder.resolve("runs"), file);
    Cli run = Cli.run(command.split(" "));
    assertThat(run.err()).isEmpty();
    assertThat(run.json().get("epochs").asInt()).isEqualTo(1);
  }

  private static void assertRefused(Cli refused, String message) {
    assertThat(refused.err()).contains(message).hasLineCount(1);
    assertThat(refused.status()).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "matmul|onednn:/tmp/libother.so",
        "matmul|onednn:../libother.so",
        "matmul|onednn:C:other.dll",
        "matmul|onednn:folder\\other.dll",
        "matmul|onednn:${sys:file.separator}tmp${sys:file.separator}libother.so",
        "matmul|[onednn:/tmp/a, b]",
        "mpi-library|/tmp/libother.so",
        "mpi-library|./libother.so",
        "mpi-library|..",
      })
  void aPathToCodeIsNotTakenFromAFile(String flag, String path) throws IOException {
    Path config =
        config("%s: %s%n".formatted(flag, path.startsWith("[") ? path : "'" + path + "'"));
    String message = "c.yaml: %s: expected the name of a library, found ".formatted(flag);
    assertRefused(train(config), message);
    assertRefused(
        Cli.run("prune", "train", "--dry-run", "--config", config.toString()),
        flag.equals("matmul") ? "c.yaml: matmul: expected a flag of" : message);
    Files.copy(config, Files.createDirectory(folder.resolve("run")).resolve("config.yaml"));
    assertRefused(
        Cli.run("train", "--resume", folder.resolve("run").toString()),
        "give --%s there if you trust it".formatted(flag));
  }

  /// A run that was begun with a path is resumed if the command line says it again, and is used as
  /// any other.
  @Test
  void aPathToCodeIsTakenFromTheCommandLine() throws IOException {
    Path config = config("mpi-library: /tmp/libother.so\n");
    Cli run = train(config, "--mpi-library", "/tmp/libmine.so");
    assertThat(run.status()).as(run.err()).isZero();
    String left = run.json().get("run_folder").asString();
    assertThat(Path.of(left, "config.yaml")).content().contains("/tmp/libmine.so");
    assertRefused(
        Cli.run("train", "--resume", left, "--json"),
        "config.yaml: mpi-library: expected the name of a library, found /tmp/libmine.so;");
    Cli resumed = Cli.run("train", "--resume", left, "--mpi-library=/tmp/libmine.so", "-q");
    assertThat(resumed.status()).as(resumed.err()).isZero();
    Cli evaluated = Cli.run("evaluate", left, "-q", "--json");
    assertThat(evaluated.status()).as(evaluated.err()).isZero();
  }

  /// A name is looked for where the system has its libraries, not in the working folder.
  @Test
  void aNameOfCodeIsTakenFromAFile() throws IOException {
    assertThat(train(config("matmul: java\nmpi-library: libmpi.so.40\n")).status()).isZero();
    assertRefused(
        train(config("matmul: onednn:libabsent.so.9\n")),
        "--matmul: oneDNN: libabsent.so.9 cannot be loaded");
  }

  @Test
  void everyFlagThatNamesALibraryIsKnownToLoadCode() {
    List<CommandLine> commands = new ArrayList<>(List.of(Commands.all()));
    for (int i = 0; i < commands.size(); i++) {
      commands.addAll(commands.get(i).getSubcommands().values());
      for (OptionSpec option : commands.get(i).getCommandSpec().options()) {
        String help = option.paramLabel() + " " + String.join(" ", option.description());
        assertThat(ConfigFile.loadsCode(option))
            .as(option.longestName() + ": " + help)
            .isEqualTo(help.matches("(?is).*(library|plug-?in|driver|\\bclass ?path).*"));
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "null|expected 'flag: value' lines, found none",
        "# nothing but this|c.yaml: expected 'flag: value' lines, found none",
        "''|c.yaml: expected 'flag: value' lines, found none",
        "{}|expected 'flag: value' lines, found none",
        "[1, 2]|line 1: expected 'flag: value' lines, found something else",
        "3|line 1: expected 'flag: value' lines, found something else",
        "seed:|c.yaml: seed: expected a value, found none",
        "hidden: [3, null]|c.yaml: hidden: expected a value, found none",
        "hidden: {a: 3}|c.yaml: hidden: expected a value or a list of values, found a structure",
        "hidden: [[3]]|c.yaml: hidden: expected a value or a list of values, found a structure",
        "data: \"a\\0b\"|c.yaml: data: expected one line, found control characters",
        "data: \"a\\eb\"|c.yaml: data: expected one line, found control characters",
        "resume: elsewhere|c.yaml: resume: expected a flag of 'gossamer train'",
        "layers: 1000000|c.yaml: --layers: expected at most 1000, found 1000000",
        "layers: 2147483647|c.yaml: --layers: expected at most 1000, found 2147483647",
        "threads: 1000000|c.yaml: --threads: expected at most 4096, found 1000000",
        "seed: many|c.yaml: Invalid value for option '--seed'",
        "graph: torn|c.yaml: Invalid value for option '--graph'",
        "layers: -2147483648|c.yaml: --layers: expected at least 1, found -2147483648",
      })
  void whatIsNoSettingIsRefused(String settings, String message) throws IOException {
    assertRefused(train(config(settings)), message);
    assertThat(folder.resolve("runs")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "seed: 1/lr: 2/seed: 3|line 3: expected 'flag: value' lines, found seed twice",
        "lr: &a 0.1/seed: *a|line 2: expected 'flag: value' lines, found the alias *a",
        "lr: &a 0.1/hidden: [8, *a]|line 2: expected 'flag: value' lines, found the alias *a",
      })
  void whatWouldBeReadAsSomethingElseIsRefused(String lines, String message) throws IOException {
    assertRefused(train(config(lines.replace('/', '\n'))), "c.yaml: " + message);
  }

  @Tag("slow")
  @Test
  void theFileOfARunIsNamedAndAFlagIsNot() throws IOException {
    Path config = config("split-index: many\n");
    Cli given = train(config, "--split-index", "few");
    assertThat(given.err()).startsWith("gossamer: Invalid value for option '--split-index'");
    Path run = Files.createDirectory(folder.resolve("run"));
    Files.copy(config, run.resolve("config.yaml"));
    Path model = Path.of(train(config("epochs: 1\n")).json().get("run_folder").asString());
    Files.copy(model.resolve("model.safetensors"), run.resolve("model.safetensors"));
    for (String command : List.of("evaluate " + run, "train --resume " + run)) {
      Cli refused = Cli.run(command.split(" "));
      assertRefused(refused, run + "/config.yaml: Invalid value for option '--split-index'");
    }
  }

  /// As of any flag that is given twice.
  @Test
  void theLastFileIsTaken() throws IOException {
    Path first = config("seed: 3\nlr: 0.5\n");
    Path last = Files.writeString(folder.resolve("last.yaml"), "seed: 4\n");
    JsonNode settings = train(first, "--config=" + last).json().get("settings");
    assertThat(settings.get("seed").asInt()).isEqualTo(4);
    assertThat(settings.get("lr").asDouble()).isNotEqualTo(0.5);
  }

  @Test
  void aFileThatIsTooLongIsRefused() throws IOException {
    Path config = config("data: " + "x".repeat(5_000_000));
    assertRefused(train(config), "c.yaml: expected at most 262144 bytes, found ");
  }

  @Test
  void bytesThatAreNoTextAreRefused() throws IOException {
    Path config = Files.write(folder.resolve("c.yaml"), new byte[] {'a', ':', ' ', (byte) 0xc3});
    assertRefused(train(config), "c.yaml: cannot read: expected UTF-8 text, found other bytes");
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(strings = {"/dev/zero", "/dev/stdin", "/"})
  @EnabledOnOs(OS.LINUX)
  void whatIsNoRegularFileIsRefused(String config) {
    assumeThat(Path.of(config))
        .as("standard input is a regular file here")
        .matches(file -> !Files.isRegularFile(file));
    assertRefused(train(Path.of(config)), "expected a regular file, found ");
  }

  /// What a file says is what a flag has, letter by letter.
  @Test
  void nothingIsPutInForVariables() throws IOException {
    Cli cli = Cli.run("train", "--config", config("data: '${sys:user.home}/x'\n").toString());
    assertRefused(cli, "found ${sys:user.home}/x");
  }

  @Test
  void moreLayersThanCanBeAreRefusedBeforeTheyTakeMemory() throws IOException {
    Path config = config("layers: 1000000\nmodel: gpt-tiny\n");
    assertRefused(
        Cli.run("prune", "train", "--dry-run", "--config", config.toString()),
        "--layers: expected at most 1000, found 1000000");
  }
}
