package dev.gossamer.cli.endurance;

import dev.gossamer.base.Excerpt;
import dev.gossamer.cli.Cli;
import dev.gossamer.cli.Folders;
import dev.gossamer.cli.terminal.Failures;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/// Runs commands on damaged input and says what must not happen: anything but one line with status
/// 1 to 3 or success, a hang, memory far beyond the input, or a file that is nobody's business.
///
/// Mutant `n` of seed `s` is the same in each run: its subject is `n` modulo the number of
/// subjects, and what is done to it follows from `s` and `n`.
///
/// Arguments: the box, the seed, the first mutant, and how many.
public final class Fuzzer {
  /// What a command may take beyond the size of its input.
  private static final long MEMORY = 1L << 30;

  /// A command on a few kilobytes, on a machine that has other things to do: what takes longer
  /// hangs.
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /// Whatever a terminal would obey.
  private static final Pattern CONTROL =
      Pattern.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f\\x{80}-\\x{9f}]");

  private static final Pattern TRACE =
      Pattern.compile("(?m)^\\s+at [\\w.$/]+\\(|Exception in thread|internal error|Caused by: ");

  /// What the parser of flags may say below its line.
  private static final Pattern HINT =
      Pattern.compile("Try '.*|Did you mean.*|Possible solutions: .*|Unmatched argument.*");

  private static final Pattern TEMPORARY = Pattern.compile("(^|/)\\.[^/]+\\.(tmp|old)-[0-9a-f]{8}");

  private final Box box;
  private final long seed;
  private final PrintStream out = System.out;
  private final List<String> findings = new ArrayList<>();
  private final Map<String, Count> counts = new LinkedHashMap<>();
  private SortedMap<String, String> kept = new TreeMap<>();

  /// What the table says of a kind.
  private static final class Count {
    int mutants;
    final int[] byStatus = new int[Failures.DIVERGED + 1];
    double seconds;
    double slowest;
    long memory;
    int findings;
  }

  /// How a command ended.
  ///
  /// @param cli null if it did not end, or threw something
  /// @param how it ended if not as it should: where it hangs, or what it threw
  private record Ended(@Nullable Cli cli, double seconds, long memory, String how) {}

  private Fuzzer(Box box, long seed) {
    this.box = box;
    this.seed = seed;
  }

  /// Runs the mutants.
  ///
  /// @param arguments box, seed, first mutant, number of mutants
  public static void main(String[] arguments) throws IOException {
    Fuzzer fuzzer = new Fuzzer(new Box(Path.of(arguments[0])), Long.parseLong(arguments[1]));
    boolean sound = fuzzer.run(Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]));
    System.out.flush();
    // A command that hangs would keep the process.
    Runtime.getRuntime().halt(sound ? 0 : 1);
  }

  private boolean run(int first, int count) throws IOException {
    long start = System.nanoTime();
    List<Subject> subjects = Subjects.prepare(box);
    kept = Box.files(box.path(), box.pristine());
    unharmed(subjects);
    double prepared = (System.nanoTime() - start) / 1e9;
    for (int n = first; n < first + count; n++) {
      mutant(n, subjects.get(n % subjects.size()));
    }
    if (!Box.files(box.path(), box.pristine()).equals(kept)) {
      find(
          "unharmed input was changed: " + difference(kept, Box.files(box.path(), box.pristine())));
    }
    table(count, subjects.size(), prepared, (System.nanoTime() - start) / 1e9);
    return findings.isEmpty();
  }

  /// Each command succeeds on what is not damaged; otherwise nothing is learnt from its failure.
  private void unharmed(List<Subject> subjects) {
    for (Subject subject : subjects) {
      for (String command : subject.commands()) {
        set(subject);
        Ended ended = run(Subject.words(command, box));
        Cli cli = ended.cli();
        if (cli == null || cli.status() != 0 || !cli.err().isEmpty()) {
          find(
              "unharmed: %s: %s"
                  .formatted(command, cli == null ? ended.how() : cli.status() + " " + cli.err()));
        }
      }
    }
  }

  /// The scene of a subject. Where the cache is what is damaged, nothing else is in it.
  private void set(Subject subject) {
    box.set(box.pristine().resolve(subject.name()));
    if (!subject.cached()) {
      Folders.copy(box.rates(), box.cache());
    }
  }

  private void find(String what) {
    findings.add(what);
    out.println(what);
  }

  private void mutant(int n, Subject subject) throws IOException {
    SplittableRandom random = new SplittableRandom(seed * 0x9e3779b97f4a7c15L + n);
    set(subject);
    for (String command : subject.prepare()) {
      run(Subject.words(command, box));
    }
    List<String> damage =
        new Mutator(random, box).damage(subject.cached() ? box.cache() : box.in());
    String command = subject.commands().get(random.nextInt(subject.commands().size()));
    if (random.nextInt(2) == 0) {
      command += " --json";
    }
    String[] words = Subject.words(command, box);
    SortedMap<String, String> before = surroundings();
    Ended ended = run(words);
    Count count = counts.computeIfAbsent(subject.kind(), _ -> new Count());
    List<String> wrong = judged(subject, words, ended, before);
    count.mutants++;
    count.seconds += ended.seconds();
    count.slowest = Math.max(count.slowest, ended.seconds());
    count.memory = Math.max(count.memory, ended.memory());
    Cli cli = ended.cli();
    if (cli != null && cli.status() >= 0 && cli.status() <= Failures.DIVERGED) {
      count.byStatus[cli.status()]++;
    }
    if (!wrong.isEmpty()) {
      count.findings++;
      find(
          "mutant %d of seed %d (%s): gossamer %s%n    damage: %s%n    wrong: %s"
              .formatted(
                  n,
                  seed,
                  subject.name(),
                  String.join(" ", words).replace(box.path() + "/", ""),
                  String.join("; ", damage),
                  String.join("\n           ", wrong)));
    }
  }

  /// Everything but what the command may write.
  private SortedMap<String, String> surroundings() {
    return Box.files(box.path(), box.in(), box.bystanders(), box.idle());
  }

  private Ended run(String[] words) {
    AtomicReference<@Nullable Cli> result = new AtomicReference<>();
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    Thread thread =
        Thread.ofPlatform().daemon().name("mutant").unstarted(() -> result.set(Cli.run(words)));
    thread.setUncaughtExceptionHandler((_, e) -> thrown.set(e));
    Memory.mark();
    long resident = Memory.resident();
    long heap = Memory.heap();
    long start = System.nanoTime();
    thread.start();
    String how = "";
    try {
      if (!thread.join(PATIENCE)) {
        how = "no end after %d s, in %s".formatted(PATIENCE.toSeconds(), where(thread));
        release();
        thread.interrupt();
        thread.join(PATIENCE);
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    // A heap that grows touches new pages; one that has grown before does not.
    long memory = Math.max(Math.max(Memory.peakResident() - resident, Memory.peakHeap() - heap), 0);
    if (thrown.get() != null) {
      how = thrown.get() + " thrown";
    }
    return new Ended(how.isEmpty() ? result.get() : null, seconds, memory, how);
  }

  /// The innermost frame, and those of ours.
  private static String where(Thread thread) {
    StackTraceElement[] stack = thread.getStackTrace();
    return Stream.concat(
            Arrays.stream(stack).limit(1),
            Arrays.stream(stack).filter(e -> e.getClassName().startsWith("dev.gossamer.")).limit(4))
        .map(String::valueOf)
        .distinct()
        .collect(Collectors.joining(" < "));
  }

  /// Lets go who waits for the other end of a named pipe.
  private void release() {
    try (Stream<Path> all = Files.walk(box.scene())) {
      for (Path path : all.toList()) {
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
            && !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)
            && !Files.isSymbolicLink(path)) {
          Files.newByteChannel(path, StandardOpenOption.READ, StandardOpenOption.WRITE).close();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// What is wrong with how a command ended; nothing, mostly.
  private List<String> judged(
      Subject subject, String[] words, Ended ended, SortedMap<String, String> before)
      throws IOException {
    List<String> wrong = new ArrayList<>();
    if (ended.memory() > MEMORY + sizeOfInput()) {
      wrong.add("%,d MiB taken".formatted(ended.memory() >> 20));
    }
    Cli cli = ended.cli();
    if (cli == null) {
      wrong.add(ended.how());
      return wrong;
    }
    said(words, cli, wrong);
    SortedMap<String, String> after = surroundings();
    for (String change : difference(before, after)) {
      String path = change.substring(change.indexOf(' ') + 1);
      String inside = path.replaceFirst("^case/in/", "");
      boolean allowed = path.startsWith("case/in/") && subject.written().matcher(inside).matches();
      if (!allowed) {
        wrong.add("file " + rest(change));
      }
    }
    for (String path : Box.files(box.path(), box.scene()).keySet()) {
      if (TEMPORARY.matcher(path).find()) {
        wrong.add("temporary file left: " + rest(path));
      }
    }
    beside(box.path(), List.of("pristine", "case", "idle", "rates"), wrong);
    beside(box.scene(), List.of("in", "out", "cache", "bystanders"), wrong);
    return wrong;
  }

  /// What a `..` too many makes.
  private static void beside(Path folder, List<String> known, List<String> wrong)
      throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      all.map(path -> String.valueOf(path.getFileName()))
          .filter(name -> !known.contains(name))
          .forEach(name -> wrong.add("file made beside the folders: " + rest(name)));
    }
  }

  private long sizeOfInput() throws IOException {
    try (Stream<Path> all = Files.walk(box.scene())) {
      long size = 0;
      for (Path each : all.toList()) {
        if (Files.isRegularFile(each, LinkOption.NOFOLLOW_LINKS)) {
          size += Files.size(each); // its pages count as resident where it is mapped
        }
      }
      return size;
    }
  }

  private static void said(String[] words, Cli cli, List<String> wrong) {
    String err = cli.err();
    if (cli.status() < 0 || cli.status() > Failures.DIVERGED) {
      wrong.add("status " + cli.status());
    }
    if (TRACE.matcher(err).find() || TRACE.matcher(cli.out()).find()) {
      wrong.add("unexpected failure: " + rest(err));
    }
    List<String> lines = err.lines().toList();
    boolean oneLine =
        !lines.isEmpty()
            && lines.getFirst().startsWith("gossamer: ")
            && lines.stream().skip(1).allMatch(line -> HINT.matcher(line).matches());
    if (lines.stream().anyMatch(line -> line.length() > "gossamer: ".length() + Excerpt.LONGEST)) {
      wrong.add("a line of more than %d characters".formatted(Excerpt.LONGEST));
    }
    if (cli.status() == 0 ? !lines.isEmpty() : !oneLine) {
      wrong.add(
          "status %d with %d lines on standard error: %s"
              .formatted(cli.status(), lines.size(), rest(err)));
    }
    if (CONTROL.matcher(err).find() || CONTROL.matcher(cli.out()).find()) {
      wrong.add("control characters: " + rest(CONTROL.matcher(err).find() ? err : cli.out()));
    }
    if (List.of(words).contains("--json")) {
      try {
        if (cli.out().strip().lines().count() != 1
            || !new JsonMapper().readTree(cli.out()).isObject()) {
          wrong.add("--json without one object: " + rest(cli.out()));
        }
      } catch (JacksonException e) {
        wrong.add("--json without JSON: " + rest(cli.out()));
      }
    }
  }

  private static String rest(String text) {
    String printable =
        text.chars()
            .mapToObj(c -> c < ' ' || c > '~' ? "\\u%04x".formatted(c) : Character.toString(c))
            .collect(Collectors.joining());
    return printable.length() > 300 ? printable.substring(0, 300) + "..." : printable;
  }

  private static List<String> difference(
      SortedMap<String, String> before, SortedMap<String, String> after) {
    List<String> changes = new ArrayList<>();
    Stream.concat(before.keySet().stream(), after.keySet().stream())
        .distinct()
        .filter(path -> !Objects.equals(before.get(path), after.get(path)))
        .forEach(path -> {
          String what =
              !after.containsKey(path)
                  ? "deleted: "
                  : !before.containsKey(path) ? "made: " : "changed: ";
          changes.add(what + path);
        });
    return changes;
  }

  private void table(int mutants, int subjects, double prepared, double seconds) {
    out.printf(
        "%-18s %8s %9s %9s %9s %9s %9s %9s %9s %9s%n",
        "fuzzer",
        "mutants",
        "status 0",
        "status 1",
        "status 2",
        "status 3",
        "mean ms",
        "max ms",
        "max MiB",
        "findings");
    counts.forEach((kind, count) ->
        out.printf(
            "%-18s %8d %9d %9d %9d %9d %9.0f %9.0f %9d %9d%n",
            kind,
            count.mutants,
            count.byStatus[0],
            count.byStatus[1],
            count.byStatus[2],
            count.byStatus[3],
            1e3 * count.seconds / count.mutants,
            1e3 * count.slowest,
            count.memory >> 20,
            count.findings));
    double processor =
        ProcessHandle.current().info().totalCpuDuration().orElseThrow().toMillis() / 1e3;
    out.printf(
        "%d mutants of %d subjects, seed %d, in %.0f s (%.0f s of a processor; %.0f s until the first mutant); %d findings%n",
        mutants, subjects, seed, seconds, processor, prepared, findings.size());
  }
}
