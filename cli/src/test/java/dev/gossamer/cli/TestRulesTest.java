package dev.gossamer.cli;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// No verdict of a test depends on the clock: in the test classes of all modules nothing sleeps and
/// nothing asks for the time. Events are put in order by messages, latches and states. A wait for
/// what must come may end after two minutes, as a last resort.
class TestRulesTest {
  /// Classes that may, and why.
  private static final Map<String, String> ALLOWED =
      Map.of(
          "dev.gossamer.cli.TestRulesTest",
          "has samples of what the rules are to find",
          "dev.gossamer.cli.endurance.Faults",
          "looks at a file of another process until it has some lines, and prints seconds",
          "dev.gossamer.cli.endurance.Fuzzer",
          "prints seconds",
          "dev.gossamer.cli.endurance.Soak",
          "prints seconds");

  /// What a loaded machine does not need for anything that a test waits for.
  private static final Duration LAST_RESORT = Duration.ofMinutes(2);

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");

  private static JavaClasses tests = new ClassFileImporter().importClasses();

  @BeforeAll
  static void importTheTestsOfAllModules() throws IOException {
    List<Path> compiled = new ArrayList<>();
    for (String module : modules()) {
      if (hasFiles(ROOT.resolve(module).resolve("src/test/java"), ".java")) {
        Path classes = ROOT.resolve(module).resolve("target/test-classes");
        assertThat(hasFiles(classes, ".class"))
            .as(
                "%s: expected the compiled tests of %s; build the whole project, or this module with -am",
                classes, module)
            .isTrue();
        compiled.add(classes);
      }
    }
    tests = new ClassFileImporter().importPaths(compiled);
  }

  /// Those of profiles are built later, if at all.
  private static List<String> modules() throws IOException {
    String pom = Files.readString(ROOT.resolve("pom.xml"));
    return MODULE
        .matcher(pom.substring(0, pom.indexOf("<profiles>")))
        .results()
        .map(found -> found.group(1))
        .distinct()
        .toList();
  }

  private static boolean hasFiles(Path folder, String ending) throws IOException {
    if (!Files.isDirectory(folder)) {
      return false;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.anyMatch(file -> file.toString().endsWith(ending));
    }
  }

  @Test
  void nothingSleepsOrAsksForTheTime() {
    assertThat(tests.stream().flatMap(TestRulesTest::clockAccesses).filter(Offence::isForbidden))
        .map(Offence::text)
        .isEmpty();
  }

  @Test
  void noTimeoutIsUnderTwoMinutes() {
    assertThat(tests.stream().flatMap(TestRulesTest::shortTimeouts).filter(Offence::isForbidden))
        .map(Offence::text)
        .isEmpty();
  }

  @Test
  void everyExceptionIsNeeded() {
    Set<String> offenders =
        tests.stream()
            .flatMap(each -> Stream.concat(clockAccesses(each), shortTimeouts(each)))
            .map(Offence::topLevel)
            .collect(toCollection(TreeSet::new));
    assertThat(offenders).containsAll(ALLOWED.keySet());
    assertThat(ALLOWED.values()).allSatisfy(reason -> assertThat(reason).isNotBlank());
  }

  @Test
  void theRulesFindTheSamples() {
    JavaClass calls = tests.get(Samples.class);
    assertThat(clockAccesses(calls).map(Offence::what))
        .containsExactlyInAnyOrder(
            "Thread.sleep",
            "Thread.sleep",
            "TimeUnit.sleep",
            "System.nanoTime",
            "System.currentTimeMillis",
            "Instant.now",
            "Clock.systemUTC",
            "LocalDate.now",
            "Assertions.assertTimeout");
    assertThat(shortTimeouts(calls).map(Offence::what))
        .containsExactlyInAnyOrder(
            "@Timeout(1 MINUTES)", "@Timeout(119 SECONDS)", "@Timeout(119999 MILLISECONDS)");
  }

  /// A place that breaks a rule.
  ///
  /// @param topLevel name of the class that has it
  /// @param what it does
  /// @param place for the message
  private record Offence(String topLevel, String what, String place) {
    static Offence of(JavaClass in, String what, String place) {
      return new Offence(in.getName().replaceFirst("\\$.*", ""), what, place);
    }

    boolean isForbidden() {
      return !ALLOWED.containsKey(topLevel);
    }

    String text() {
      return "%s in %s".formatted(what, place);
    }
  }

  /// Calls and references, as `System::nanoTime`.
  private static Stream<Offence> clockAccesses(JavaClass from) {
    return from.getAccessesFromSelf().stream()
        .filter(access -> isOfTheClock(access))
        .map(access ->
            Offence.of(
                from,
                "%s.%s".formatted(access.getTargetOwner().getSimpleName(), access.getName()),
                access.getDescription()));
  }

  private static boolean isOfTheClock(JavaAccess<?> access) {
    String owner = access.getTargetOwner().getName();
    String name = access.getName();
    return switch (owner) {
      case "java.lang.Thread", "java.util.concurrent.TimeUnit" -> name.equals("sleep");
      case "java.lang.System" -> name.equals("nanoTime") || name.equals("currentTimeMillis");
      case "java.time.Clock" -> name.startsWith("system") || name.startsWith("tick");
      case "org.junit.jupiter.api.Assertions" -> name.startsWith("assertTimeout");
      default -> owner.startsWith("java.time.") && name.equals("now");
    };
  }

  private static Stream<Offence> shortTimeouts(JavaClass from) {
    return Stream.concat(
            from
                .tryGetAnnotationOfType(Timeout.class)
                .map(timeout -> new Limit(timeout, from.getName()))
                .stream(),
            from.getMethods().stream()
                .flatMap(method ->
                    method
                        .tryGetAnnotationOfType(Timeout.class)
                        .map(timeout -> new Limit(timeout, method.getFullName()))
                        .stream()))
        .filter(Limit::isShort)
        .map(limit -> Offence.of(from, limit.text(), limit.place()));
  }

  /// @param place that is annotated
  private record Limit(Timeout timeout, String place) {
    boolean isShort() {
      return Duration.of(timeout.value(), timeout.unit().toChronoUnit()).compareTo(LAST_RESORT) < 0;
    }

    String text() {
      return "@Timeout(%d %s)".formatted(timeout.value(), timeout.unit());
    }
  }

  /// What the rules are to find, and beside it what they are not. Nothing runs it.
  @SuppressWarnings("unused")
  @Timeout(value = 1, unit = TimeUnit.MINUTES)
  private static final class Samples {
    private Samples() {}

    @Timeout(119)
    void sleeps() throws InterruptedException {
      Thread.sleep(1);
      Thread.sleep(Duration.ofMillis(1));
      TimeUnit.SECONDS.sleep(1);
    }

    @Timeout(value = 119_999, unit = TimeUnit.MILLISECONDS)
    List<Object> asks() {
      LongSupplier reference = System::nanoTime;
      return List.of(
          reference,
          System.currentTimeMillis(),
          Instant.now(),
          Clock.systemUTC(),
          LocalDate.now(ZoneOffset.UTC),
          Instant.EPOCH,
          TimeUnit.SECONDS.toMillis(1));
    }

    @Timeout(120)
    void limits() {
      Assertions.assertTimeout(Duration.ofHours(1), () -> {});
    }

    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void waitsForLong() {}
  }
}
