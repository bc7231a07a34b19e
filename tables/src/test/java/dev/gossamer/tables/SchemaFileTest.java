package dev.gossamer.tables;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.Task;
import dev.gossamer.graph.format.Splits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchemaFileTest {
  private static final String SMALL =
      """
      vertices:
      - source: a.csv
        id: id
      edges:
      - source: b.csv
        from: s
        to: t
      """;

  @TempDir Path folder = Path.of("");

  /// What was written is read as the same value.
  @RepeatedTest(50)
  void readsWhatItWrites(RepetitionInfo repetition) {
    RandomGenerator random = new SplittableRandom(repetition.getCurrentRepetition());
    GraphSchema schema = random(random);
    Path file = folder.resolve("graph.yaml");
    Path base = random.nextBoolean() ? folder : folder.resolve("data/here");
    SchemaFile written = new SchemaFile(schema, base);
    written.write(file);
    assertThat(SchemaFile.read(file)).isEqualTo(new SchemaFile(schema, base.toAbsolutePath()));
    assertThat(SchemaFile.parse("text", SchemaFile.json(schema)))
        .as("as it travels")
        .isEqualTo(schema.withoutSources());
  }

  private static GraphSchema random(RandomGenerator random) {
    List<String> names = List.of("a", "yes", "12", "with space", "true", "x: y", "#1", "null", "é");
    Map<String, Encoding> features = new LinkedHashMap<>();
    for (String name : names) {
      Encoding encoding =
          switch (random.nextInt(13)) {
            case 0 -> new Encoding.Numeric(one(random, Encoding.Scale.values()));
            case 1 -> new Encoding.Categorical(1 + random.nextInt(100));
            case 2 -> new Encoding.Text(random.nextBoolean() ? 64 : 7);
            case 3 -> new Encoding.Dates();
            case 4 -> new Encoding.Numbers();
            case 5 ->
                new FittedEncoding.Linear(
                    Encoding.Scale.STANDARD,
                    random.nextGaussian(),
                    1 / (random.nextDouble() + 1e-3),
                    random.nextBoolean());
            case 6 -> new FittedEncoding.Linear(Encoding.Scale.NONE, 0, 1, random.nextBoolean());
            case 7 ->
                new FittedEncoding.Ranks(
                    random.doubles(random.nextInt(5)).sorted().boxed().toList(),
                    random.nextBoolean());
            case 8 -> new FittedEncoding.OneHot(names, random.nextBoolean());
            case 9 -> new FittedEncoding.Hashed(1 + random.nextInt(99), random.nextBoolean());
            case 10 ->
                new FittedEncoding.Times(
                    1e9 * random.nextDouble(), 3600, random.nextBoolean(), random.nextBoolean());
            case 11 -> new FittedEncoding.Elements(random.nextInt(9), random.nextBoolean());
            default -> new Encoding.Categorical(Encoding.Categorical.USUAL);
          };
      features.put(name, encoding);
    }
    TableSource source =
        switch (random.nextInt(4)) {
          case 3 -> new TableSource.Open();
          case 0 -> new TableSource.Files("data/*.csv");
          case 1 -> new TableSource.Query("select 'it''s' from \"x: y\" -- end");
          default ->
              new TableSource.Database(
                  "jdbc:postgresql://db/shop",
                  "select 1",
                  random.nextBoolean() ? "ann" : null,
                  null);
        };
    String name = names.get(random.nextInt(names.size()));
    SplitRule.By by = one(random, SplitRule.By.values());
    return new GraphSchema(
        name,
        List.of(
            new VertexTable(
                "v",
                source,
                name,
                random.nextBoolean() ? "label" : null,
                random.nextBoolean() ? "part" : null,
                "time",
                features)),
        List.of(
            new EdgeTable(
                "e",
                source,
                name,
                "to",
                random.nextBoolean() ? "w" : null,
                random.nextBoolean() ? "at" : null,
                "kind",
                random.nextBoolean() ? List.of() : names,
                random.nextBoolean() ? Map.of() : features)),
        random.nextBoolean(),
        new Handling(
            one(random, Handling.Dangling.values()),
            one(random, Handling.Duplicates.values()),
            one(random, Handling.Missing.values())),
        new SplitRule(
            by,
            Splits.Fractions.parse(random.nextBoolean() ? "60/20/20" : "33.3/33.3/33.4"),
            random.nextLong()),
        random.nextBoolean() ? List.of() : names,
        by == SplitRule.By.CLASS ? Task.CLASSIFICATION : one(random, Task.values()));
  }

  private static <T> T one(RandomGenerator random, T[] values) {
    return values[random.nextInt(values.length)];
  }

  @Test
  void whatIsLeftOutIsTheUsual() throws IOException {
    Path file = folder.resolve("small.yaml");
    Files.writeString(file, SMALL);
    GraphSchema schema = SchemaFile.read(file).schema();
    assertThat(schema.name()).isEqualTo("small");
    assertThat(schema.vertices().getFirst().name()).isEqualTo("vertices");
    assertThat(schema.handling()).isEqualTo(Handling.REFUSE);
    assertThat(schema.split()).isEqualTo(SplitRule.DEFAULT);
    assertThat(schema.directed()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`edges:` | `edge:` | expected one of name, folder, vertices, edges,",
        "`id: id` | `ids: id` | `vertices: entry 1: expected one of name, source,`",
        "`source: a.csv` | `jdbc: jdbc:x` | `vertices: entry 1: expected source, or sql, or jdbc and sql, found jdbc`",
        "`from: s` | `from: [s]` | `edges: entry 1: from: expected the name of a column, found a list`",
        "`id: id` | `features: {x: number}` | `features: x: expected numeric, categorical, text, date or list, found number`",
        "`id: id` | `features: {x: {as: text, buckets: 0}}` | `buckets: expected a whole number of at least 1, found 0`",
        "`id: id` | `features: {x: {as: list, limit: 4}}` | `features: x: expected one of as, fitted, found the key limit`",
        "`id: id` | `features: {x: {as: numeric, fitted: {mean: 1, deviation: 0, missing: false}}}` | `deviation: expected a positive number, found 0.0`",
        "`id: id` | `features: {x: {as: numeric, fitted: {mean: .nan, deviation: 1, missing: false}}}` | `mean: expected a finite number`",
        "`id: id` | `features: {x: {as: numeric, fitted: {mean: 1, missing: false}}}` | `fitted: deviation: expected a value, found none`",
        "`id: id` | `features: {x: {as: categorical, fitted: {values: [a, 1], missing: false}}}` | `values: expected texts in quotes, found 1`",
        "`id: id` | `features: {x: {as: categorical, fitted: {values: [a, a], missing: false}}}` | `values: expected at most 65536 different values`",
        "`id: id` | `features: {x: {as: list, fitted: {length: 99999999999, missing: false}}}` | `length: expected 0 to 65536, found 65537`",
        "`id: id` | `features: {x: {as: text, fitted: {missing: false}}}` | `expected one of as, buckets, found the key fitted`",
        "`edges:` | `on-dangling: ignore\nedges:` | `on-dangling: expected one of refuse, drop, add, found ignore`",
        "`edges:` | `split: 1/2/3\nedges:` | `split: expected train/validation/test in percent`",
        "`edges:` | `split-by: time\nedges:` | `split-by: expected a column 'time'`",
        "`to: t` | `to: t\n  to: u` | `expected 'key: value' lines with no key twice, found to twice`",
      })
  void whatIsWrongIsNamed(String found, String wrong, String message) throws IOException {
    Path file = folder.resolve("bad.yaml");
    assertThat(SMALL).contains(found);
    Files.writeString(
        file,
        SMALL.replaceFirst(
            Pattern.quote(found), Matcher.quoteReplacement(wrong.replace("\\n", "\n"))));
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> SchemaFile.read(file))
        .withMessageStartingWith(file.toString())
        .withMessageContaining(message)
        .withMessageNotContaining("\n");
  }

  @Test
  void nothingOfAnotherFileIsShown() throws IOException {
    Path file = folder.resolve("other.yaml");
    Files.writeString(file, "password: secret\n");
    assertThatExceptionOfType(InvalidInputException.class)
        .isThrownBy(() -> SchemaFile.read(file))
        .withMessageContaining("expected a schema of tables")
        .withMessageNotContaining("secret");
  }
}
