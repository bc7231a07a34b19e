import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/// Reads what Maven's tests have left in `target/surefire-reports` and says what a person asks
/// next.
///
/// - `java .ci/Report.java times`: modules and test classes, slowest first
/// - `java .ci/Report.java skipped`: reasons of skipped tests with their number; status 1 if one is
///   that something is not installed
/// - `java .ci/Report.java failed`: at most nine lines: test, place, message, and a command that
///   repeats it
/// - `java .ci/Report.java left-out TAGS`: the tests with one of these tags, which Maven was told
///   to leave out, those with a share of their cases, and what runs them
///
/// Run in the project's folder.
final class Report {
  /// What a test said in the end.
  ///
  /// @param module folder of its module
  /// @param name of its class
  /// @param skipped why it was not run; empty if it was
  /// @param text of a failure: a message with a stack; empty if there is none
  private record Case(
      String module,
      String name,
      String method,
      double seconds,
      boolean failed,
      String skipped,
      String text) {
    String simpleName() {
      return name.substring(name.lastIndexOf('.') + 1);
    }

    /// Where in the class it failed: the innermost frame of the test.
    String place() {
      Matcher frame =
          Pattern.compile("\\((" + simpleName().replaceFirst("\\$.*", "") + "\\.java:\\d+)\\)")
              .matcher(text);
      return frame.find() ? frame.group(1) : simpleName() + ".java";
    }

    String message() {
      String all =
          text.lines()
              .takeWhile(line -> !line.startsWith("\tat "))
              .map(String::strip)
              .filter(line -> !line.isEmpty())
              .collect(Collectors.joining(" "));
      return all.length() > 300 ? all.substring(0, 300) + "..." : all;
    }
  }

  private Report() {}

  public static void main(String[] arguments) throws Exception {
    switch (arguments.length == 0 ? "" : arguments[0]) {
      case "times" -> times(cases());
      case "skipped" -> System.exit(skipped(cases()) ? 1 : 0);
      case "failed" -> failed(cases());
      case "left-out" -> leftOut(List.of(arguments).subList(1, arguments.length));
      default -> {
        System.err.println("usage: java .ci/Report.java times|skipped|failed|left-out TAG...");
        System.exit(2);
      }
    }
  }

  private static List<Path> find(Path folder, String glob) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(file -> folder.getFileSystem().getPathMatcher("glob:" + glob).matches(file))
          .sorted()
          .toList();
    }
  }

  private static List<Path> modules() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("."))) {
      return all.filter(folder -> Files.isRegularFile(folder.resolve("pom.xml")))
          .map(Path::normalize)
          .sorted()
          .toList();
    }
  }

  private static List<Case> cases() throws Exception {
    List<Case> cases = new ArrayList<>();
    for (Path module : modules()) {
      Path reports = module.resolve("target").resolve("surefire-reports");
      if (!Files.isDirectory(reports)) {
        continue;
      }
      for (Path file : find(reports, "**/TEST-*.xml")) {
        NodeList all =
            DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(file.toFile())
                .getElementsByTagName("testcase");
        for (int i = 0; i < all.getLength(); i++) {
          cases.add(read(module.toString(), (Element) all.item(i)));
        }
      }
    }
    return cases;
  }

  private static Case read(String module, Element test) {
    Element skipped = child(test, "skipped");
    Element failure =
        child(test, "failure") == null ? child(test, "error") : child(test, "failure");
    return new Case(
        module,
        test.getAttribute("classname"),
        test.getAttribute("name").replaceFirst("[^\\w$].*", ""),
        Double.parseDouble(test.getAttribute("time").replace(",", "")),
        failure != null,
        skipped == null ? "" : skipped.getAttribute("message") + skipped.getTextContent(),
        failure == null ? "" : failure.getTextContent());
  }

  private static Element child(Element of, String name) {
    return (Element) of.getElementsByTagName(name).item(0);
  }

  private static void times(List<Case> cases) {
    System.out.println("seconds of tests by module, slowest first");
    print(cases, 20, test -> test.module());
    System.out.println("and by class");
    print(cases, 12, test -> test.module() + " " + test.simpleName());
  }

  private static void print(List<Case> cases, int most, Function<Case, String> key) {
    cases.stream()
        .collect(Collectors.groupingBy(key, Collectors.summarizingDouble(Case::seconds)))
        .entrySet()
        .stream()
        .sorted(Comparator.comparingDouble(each -> -each.getValue().getSum()))
        .limit(most)
        .forEach(each ->
            System.out.printf(
                Locale.ROOT,
                "%8.1f  %s (%d tests)%n",
                each.getValue().getSum(),
                each.getKey(),
                each.getValue().getCount()));
  }

  /// {@return whether a test was skipped for want of a program or a library}
  private static boolean skipped(List<Case> cases) {
    Map<String, List<Case>> byReason =
        cases.stream()
            .filter(test -> !test.skipped().isEmpty())
            .collect(
                Collectors.groupingBy(
                    test -> reason(test.skipped()), TreeMap::new, Collectors.toList()));
    byReason.forEach((reason, tests) ->
        System.out.printf(
            "%s: %d tests skipped (%s)%n",
            reason,
            tests.size(),
            tests.stream().map(Case::simpleName).distinct().collect(Collectors.joining(", "))));
    return byReason.keySet().stream().anyMatch(reason -> reason.contains("is not installed"));
  }

  private static String reason(String message) {
    return message
        .replaceFirst("^.*TestAbortedException: ", "")
        .replaceFirst("^Assumption failed: ", "")
        .replaceFirst("(?s)\\R.*", "")
        .strip();
  }

  private static void failed(List<Case> cases) {
    List<Case> failed = cases.stream().filter(Case::failed).toList();
    for (Case test : failed.stream().limit(failed.size() > 3 ? 2 : 3).toList()) {
      System.out.printf(
          "failed: %s %s.%s (%s): %s%n",
          test.module(), test.simpleName(), test.method(), test.place(), test.message());
      System.out.printf(
          "repeat: mvn%s -Dquick -DexcludedGroups= test -pl %s -am -Dtest='%s#%s'"
              + " -Dsurefire.failIfNoSpecifiedTests=false%n",
          test.module().equals("spark") ? " -Pspark" : "",
          test.module(),
          test.simpleName(),
          test.method());
    }
    if (failed.size() > 3) {
      System.out.printf(
          "and %d more: %s%n",
          failed.size() - 2,
          failed.stream()
              .skip(2)
              .limit(8)
              .map(test -> test.simpleName() + "." + test.method())
              .distinct()
              .collect(Collectors.joining(", ")));
    }
  }

  /// Test sources tell it: tests that are left out leave no report.
  private static void leftOut(List<String> tags) throws IOException {
    Map<String, Pattern> kinds = new LinkedHashMap<>();
    if (tags.stream().anyMatch(tag -> tag.contains("slow"))) {
      kinds.put(
          "left out, tagged slow (mvn verify -DexcludedGroups=endurance runs them)",
          marked("@Tag\\(\"slow\"\\)"));
    }
    if (tags.stream().anyMatch(tag -> tag.contains("endurance"))) {
      kinds.put(
          "left out, tagged endurance (.ci/endurance runs them)",
          marked("@Tag\\(\"endurance\"\\)"));
    }
    kinds.put(
        "a quarter of their cases were run (.ci/endurance runs all)", marked("@ShareOf\\("));
    for (Map.Entry<String, Pattern> kind : kinds.entrySet()) {
      Map<String, String> left = methods(kind.getValue());
      if (!left.isEmpty()) {
        System.out.printf("%n%s:%n", kind.getKey());
        left.forEach((test, methods) -> System.out.printf("  %s: %s%n", test, methods));
      }
    }
  }

  /// What begins with an annotation: a class, or a method, whose name is the group.
  private static Pattern marked(String annotation) {
    return Pattern.compile(annotation + ".*?(?:class \\w+|void (\\w+)\\()", Pattern.DOTALL);
  }

  /// Of each test class, after the name of its module, the methods that a pattern finds, or `all`.
  private static Map<String, String> methods(Pattern pattern) throws IOException {
    Map<String, String> found = new TreeMap<>();
    for (Path module : modules()) {
      Path tests = module.resolve("src").resolve("test").resolve("java");
      if (!Files.isDirectory(tests)) {
        continue;
      }
      for (Path file : find(tests, "**Test.java")) {
        String methods =
            pattern
                .matcher(Files.readString(file))
                .results()
                .map(each -> each.group(1) == null ? "all" : each.group(1))
                .collect(Collectors.joining(", "));
        if (!methods.isEmpty()) {
          found.put(module + " " + file.getFileName().toString().replace(".java", ""), methods);
        }
      }
    }
    return found;
  }
}
