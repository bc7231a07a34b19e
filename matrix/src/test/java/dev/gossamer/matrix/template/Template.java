package dev.gossamer.matrix.template;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Java in which what repeats is written once: what an unrolled loop is generated from. In
/// `src/templates` of the module each template lies as its class does in `src/main/java`.
///
/// - `#for n in 8 4 2` to `#end`: the lines between, for each value of `n`; `#for m,n in 4,3 8,2`
///   goes through pairs of values, and `#for i < n` through `0..n-1`. Loops nest.
/// - `${n}`: the value.
/// - `${+ i * x}`: `i` times `x` as the next term of a sum, written as one would: nothing if `i` is
///   0, ` + x` if it is 1, else ` + 2 * x`; `${+ i}`: the same without a factor.
///
/// To generate anew what has been changed:
///
/// ```
/// java matrix/src/test/java/dev/gossamer/matrix/template/Template.java matrix
/// mvn spotless:apply -pl matrix
/// ```
final class Template {
  private static final Pattern LOOP = Pattern.compile("#for ([\\w,]+) (in|<) (.+)");
  private static final String END = "#end";
  private static final Pattern PLACE = Pattern.compile("\\$\\{(\\+ )?(\\w+)(?: \\* (\\w+))?}");

  private final List<String> lines;

  Template(List<String> lines) {
    this.lines = lines;
  }

  /// Generates all classes of a module.
  ///
  /// @param arguments the module's folder
  public static void main(String[] arguments) throws IOException {
    Path module = Path.of(arguments[0]);
    for (Path file : all(module)) {
      Files.writeString(target(module, file), generate(module, file));
    }
  }

  /// The templates of a module.
  static List<Path> all(Path module) throws IOException {
    try (Stream<Path> files = Files.walk(module.resolve("src/templates"))) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  /// Where the class that a template gives lies.
  static Path target(Path module, Path file) {
    Path place = module.resolve("src/templates").relativize(file);
    String name = place.getFileName().toString().replace(".template", ".java");
    return module.resolve("src/main/java").resolve(place).resolveSibling(name);
  }

  /// The class that a template gives, not yet formatted.
  static String generate(Path module, Path file) throws IOException {
    String header = "// Generated from %s; do not edit.%n".formatted(module.relativize(file));
    return header + new Template(Files.readAllLines(file)).expand();
  }

  String expand() {
    StringBuilder text = new StringBuilder();
    int end = expand(0, Map.of(), text);
    if (end != lines.size()) {
      throw new IllegalArgumentException("line %d: #end without #for".formatted(end + 1));
    }
    return text.toString();
  }

  /// Writes the lines from `begin` to the end of the loop that they are in; returns the place of
  /// that end.
  private int expand(int begin, Map<String, Integer> values, StringBuilder text) {
    int i = begin;
    for (; i < lines.size() && !lines.get(i).equals(END); i++) {
      Matcher loop = LOOP.matcher(lines.get(i));
      if (loop.matches()) {
        int body = i + 1;
        for (Map<String, Integer> round : rounds(loop.toMatchResult(), values)) {
          i = expand(body, round, text);
        }
        if (i == lines.size()) {
          throw new IllegalArgumentException("line %d: #for without #end".formatted(body));
        }
      } else {
        text.append(PLACE.matcher(lines.get(i)).replaceAll(place -> fill(place, values)))
            .append('\n');
      }
    }
    return i;
  }

  private static List<Map<String, Integer>> rounds(MatchResult loop, Map<String, Integer> values) {
    String[] names = loop.group(1).split(",", -1);
    List<String> tuples =
        loop.group(2).equals("in")
            ? List.of(loop.group(3).split(" ", -1))
            : IntStream.range(0, value(loop.group(3), values)).mapToObj(String::valueOf).toList();
    if (tuples.isEmpty()) {
      throw new IllegalArgumentException("a loop without rounds: " + loop.group());
    }
    List<Map<String, Integer>> rounds = new ArrayList<>();
    for (String tuple : tuples) {
      String[] numbers = tuple.split(",", -1);
      Map<String, Integer> round = new HashMap<>(values);
      for (int i = 0; i < names.length; i++) {
        round.put(names[i], Integer.valueOf(numbers[i]));
      }
      rounds.add(round);
    }
    return rounds;
  }

  private static String fill(MatchResult place, Map<String, Integer> values) {
    int value = value(place.group(2), values);
    if (place.group(1) == null) {
      return String.valueOf(value);
    }
    if (value == 0) {
      return "";
    }
    if (place.group(3) == null) {
      return " + " + value;
    }
    return value == 1 ? " + " + place.group(3) : " + %d * %s".formatted(value, place.group(3));
  }

  private static int value(String name, Map<String, Integer> values) {
    Integer value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("no #for gives " + name);
    }
    return value;
  }
}
