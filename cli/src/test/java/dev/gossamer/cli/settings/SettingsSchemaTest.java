package dev.gossamer.cli.settings;

import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.gossamer.cli.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The published schemas are those of the program, and files of settings keep to them.
class SettingsSchemaTest {
  private static final Path PUBLISHED = Path.of("../docs/schema");

  @TempDir Path folder;

  private static Schema schema(String name) throws IOException {
    return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
        .getSchema(Files.readString(PUBLISHED.resolve(name)));
  }

  private static List<Error> errors(String yaml) throws IOException {
    return schema("train.json").validate(yaml, InputFormat.YAML);
  }

  @ParameterizedTest
  @CsvSource({"train,train.json", "prune train,prune-train.json"})
  void thePublishedSchemaIsTheProgrammes(String command, String name) throws IOException {
    Cli cli = Cli.run(("schema " + command).split(" "));
    assertThat(cli.status()).as(cli.err()).isZero();
    assertThat(PUBLISHED.resolve(name)).content().isEqualTo(cli.out());
  }

  @ParameterizedTest
  @MethodSource("dev.gossamer.cli.settings.PublishedSettings#files")
  void publishedSettingsKeepToIt(Path file) throws IOException {
    assertThat(errors(Files.readString(file))).isEmpty();
  }

  @Test
  void whatARunLeavesKeepsToIt() throws IOException {
    Schema schema = schema("train.json");
    Path file = folder.resolve("config.yaml");
    for (int seed = 0; seed < 200; seed++) {
      ConfigFile.write(file, FlagValues.of(new RandomRuns(seed).run()), List.of());
      assertThat(schema.validate(Files.readString(file), InputFormat.YAML))
          .as("seed %d", seed)
          .isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"colour: red", "epochs: many", "self-loops: 3", "model: cnn", "fanout: [a, b]"})
  void whatIsNoSettingDoesNot(String yaml) throws IOException {
    assertThat(errors(yaml)).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "schema nothing|COMMAND: expected one of train,",
        "schema evaluate|COMMAND: expected one with --config, found gossamer evaluate",
      })
  void otherCommandsHaveNone(String command, String message) {
    Cli cli = Cli.run(command.split(" "));
    assertThat(cli.status()).isEqualTo(2);
    assertThat(cli.err()).contains(message);
  }
}
