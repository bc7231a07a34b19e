package dev.gossamer.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Sample outputs in the documents have the lines that the program prints today.
///
/// A sample is a fenced block behind a comment `<!-- output: COMMAND -->`. The command is run on
/// small data, which `DATA`, `TEXT`, `RUN`, `RUN2` (of two classes), `TABLES`, `LISTS` and `OUT`
/// stand for; its lines are those of the sample, numbers and names apart. A line `...` in a sample
/// stands for any lines.
class DocumentedOutputTest {
  private static final Pattern SAMPLE =
      Pattern.compile(
          "<!-- output:(.*?)-->\\s*```\\R(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE);

  @TempDir static Path folder;

  static String data;
  static String text;
  static String run;
  static String runOfTwoClasses;
  static String tables;
  static String lists;

  @BeforeAll
  static void makeSmallData() throws IOException {
    data = built("small", 4);
    text = folder.resolve("words.txt").toString();
    Files.writeString(Path.of(text), "pruned networks keep what survives\n".repeat(500));
    tables = folder.resolve("tables").toString();
    SmallTables.write(Path.of(tables));
    lists = folder.resolve("lists").toString();
    SmallLists.write(Path.of(lists));
    run = trained(data, 2);
    runOfTwoClasses = trained(built("two", 2), 20);
  }

  private static String built(String name, int classes) {
    String out = folder.resolve(name).toString();
    String build = "dataset build sbm --vertices 150 --degree 8 --features 4 --classes ";
    assertThat(Cli.run((build + classes + " --out " + out).split(" ")).status()).isZero();
    return out;
  }

  private static String trained(String on, int epochs) {
    String train = "train --json -q --data " + on + " --runs " + folder + " --epochs " + epochs;
    return Cli.run(train.split(" ")).json().get("run_folder").asString();
  }

  static Stream<Arguments> samples() throws IOException {
    Path root = Path.of("..");
    try (Stream<Path> pages = Files.list(root.resolve("docs"))) {
      return Stream.concat(Stream.of(root.resolve("README.md")), pages.sorted())
          .filter(page -> page.toString().endsWith(".md"))
          .flatMap(DocumentedOutputTest::samplesOf)
          .toList()
          .stream();
    }
  }

  private static Stream<Arguments> samplesOf(Path page) {
    try {
      return SAMPLE
          .matcher(Files.readString(page))
          .results()
          .map(m -> {
            String command = m.group(1).strip().replaceAll("\\s+", " ");
            return argumentSet(page.getFileName() + ": " + command, command, m.group(2));
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("samples")
  void printsTheLinesOfTheSample(String command, String sample) {
    String[] arguments =
        Arrays.stream(command.split(" "))
            .map(word ->
                word.replaceFirst("^DATA$", Matcher.quoteReplacement(data))
                    .replaceFirst("^TEXT$", Matcher.quoteReplacement(text))
                    .replaceFirst("^RUN$", Matcher.quoteReplacement(run))
                    .replaceFirst("^RUN2$", Matcher.quoteReplacement(runOfTwoClasses))
                    .replaceFirst("^TABLES\\b", Matcher.quoteReplacement(tables))
                    .replaceFirst("^LISTS$", Matcher.quoteReplacement(lists))
                    .replaceFirst("^OUT\\b", Matcher.quoteReplacement(folder + "/out")))
            .toArray(String[]::new);
    Cli cli = Cli.run(arguments);
    assertThat(cli.status()).as(cli.err()).isZero();
    List<String> printed = shapes(cli.out());
    List<List<String>> parts = parts(shapes(sample));
    if (parts.size() == 1) {
      assertThat(printed).containsExactlyElementsOf(parts.getFirst());
    }
    parts.stream()
        .filter(part -> !part.isEmpty())
        .forEach(part -> assertThat(printed).containsSequence(part));
  }

  /// The lines without what differs from run to run: numbers and whether they are negative, paths,
  /// units of bytes, widths of columns, and what is said about the data. That a number has a sign
  /// remains.
  private static List<String> shapes(String output) {
    return output
        .replaceAll("(?m)^data {2,}.*(\\R {9}.*)*", "data")
        .lines()
        .map(line ->
            line.strip()
                .replaceAll("[0-9]{8}-[0-9]{6}-\\S+", "RUN")
                .replaceAll("[^\\s,]*/", "")
                .replaceAll("[0-9][0-9,.]*(?<![,.])", "#")
                // A loss that is nearly as large as another: which is larger, rounding decides.
                .replaceAll("(?<![^ (])[+-]#", "±#")
                .replaceAll("\\b[KMG]iB", "iB")
                .replaceAll("\\s+", " "))
        .toList();
  }

  /// The lines between the lines `...`.
  private static List<List<String>> parts(List<String> lines) {
    List<List<String>> parts = new ArrayList<>(List.of(new ArrayList<>()));
    for (String line : lines) {
      if (line.equals("...")) {
        parts.add(new ArrayList<>());
      } else {
        parts.getLast().add(line);
      }
    }
    return parts;
  }
}
