package dev.gossamer.cli.endurance;

import dev.gossamer.cli.Cli;
import dev.gossamer.cli.Folders;
import dev.gossamer.comm.MpiProgram;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Kills ranks, fills disks and lets processes run into each other; afterwards a run must resume to
/// the bits of one that nobody disturbed, and nothing half-written may be left.
///
/// Arguments: a folder, and a seed of the moments at which runs are ended. Without a seed there is
/// one fault of each kind, each after a fixed number of lines or bytes.
public final class Faults {
  /// Without a launcher, ranks are threads.
  private static final String THREADS = "";

  private static final List<String> LAUNCHERS =
      List.of(THREADS, MpiProgram.OPEN_MPI, MpiProgram.MPICH);

  /// A way to train.
  ///
  /// @param command without number of steps, runs folder and ranks
  /// @param steps flag of their number
  /// @param lines of `metrics.jsonl` at the end: that number
  /// @param ranks of the run
  /// @param launchers of its ranks
  private record Way(
      String name, String command, String steps, int lines, int ranks, List<String> launchers) {
    /// How each of its processes begins.
    String begin() {
      return "%s %s %d".formatted(command, steps, lines);
    }

    /// How it begins with its ranks as threads.
    String threads() {
      return "%s --ranks %d".formatted(begin(), ranks);
    }

    /// With fewer steps.
    Way shorter(int times) {
      return new Way(name, command, steps, lines / times, ranks, launchers);
    }

    /// With no more ranks than are needed for an exchange.
    Way onFewRanks() {
      return new Way(name, command, steps, lines, Math.min(ranks, 2), launchers);
    }

    /// How it goes on.
    String resume() {
      return command.substring(0, command.indexOf("train")) + "train --resume";
    }
  }

  /// What ends a run.
  private enum Kill {
    /// One process, with all its ranks if they are threads, at a random moment.
    ONE,
    /// The launcher and all ranks, while a file of the checkpoint is being written.
    WRITING,
    /// What Ctrl-C and an order of a batch system do, at a random moment.
    TERMINATE
  }

  private static List<Kill> kills(String launcher) {
    return switch (launcher) {
      case THREADS -> List.of(Kill.ONE, Kill.WRITING, Kill.TERMINATE);
      case MpiProgram.OPEN_MPI -> List.of(Kill.WRITING, Kill.ONE);
      default -> List.of(Kill.ONE, Kill.TERMINATE);
    };
  }

  /// One run that is ended, several times.
  private record Case(Way way, String launcher, List<Kill> kills) {
    String name() {
      return way.name()
          + ", "
          + (launcher.isEmpty() ? "threads" : launcher.replaceFirst("mpirun.", ""));
    }
  }

  private static Case fixed(String way, String launcher, Kill... kills) {
    return new Case(
        SHORT.stream().filter(each -> each.name().equals(way)).findFirst().orElseThrow(),
        launcher,
        List.of(kills));
  }

  private static final List<Way> WAYS =
      List.of(
          new Way(
              "whole graph",
              "train --hidden 8 --checkpoint-every 1 --dropout 0.5 --data DATA",
              "--epochs",
              80,
              3,
              LAUNCHERS),
          new Way(
              "minibatches",
              "train --mode minibatch --model sage --batch 60 --fanout 3,2 --checkpoint-every 1 --data DATA",
              "--epochs",
              30,
              2,
              LAUNCHERS),
          historical(
              "historical",
              "--model sage --layers 3 --fanout 3,2,2 --batch 50 --cache-life 9 --push-delay 2 --wire bf16",
              MpiProgram.OPEN_MPI),
          historical(
              "historical, ladies",
              "--model gcn --sampler ladies --layer-sizes 60 --batch 50 --cache-life 8 --on-miss fetch --replication 2",
              MpiProgram.MPICH),
          historical(
              "historical, one batch",
              "--model sage --fanout 3,2 --batch 500 --cache-life 9 --push-delay 3 --on-miss fetch --wire bf16"),
          new Way(
              "pruned",
              "prune train --data TEXT --model gpt-tiny --layers 2 --width 16 --heads 2 --length 8 --batch 4 --microbatch 1"
                  + " --checkpoint-every 2 --evaluate-samples 4 --prune one-shot --prune-at 10 --inter 2",
              "--iterations",
              40,
              2,
              LAUNCHERS));

  private static Way historical(String name, String flags, String... launchers) {
    return new Way(
        name,
        "train --mode minibatch --remote historical --placement random --hidden 8 --checkpoint-every 1 --data DATA "
            + flags,
        "--epochs",
        24,
        4,
        Stream.concat(Stream.of(THREADS), Stream.of(launchers)).toList());
  }

  /// One of each trainer: the files of all historical ways are the same.
  private static final List<Way> TRAINERS =
      WAYS.stream().filter(way -> !way.name().startsWith("historical, ")).toList();

  /// For fixed moments, which are met in any run.
  private static final List<Way> SHORT =
      TRAINERS.stream().map(way -> way.shorter(3).onFewRanks()).toList();

  /// Ranks of a run of which one is killed end by themselves within this time.
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private static final Pattern TEMPORARY = Pattern.compile("\\..+\\.(tmp|old)-[0-9a-f-]{8,}");
  private static final Pattern TRACE =
      Pattern.compile("(?m)^\\s+at [\\w.$/]+\\(|Exception in thread|internal error|SIGBUS");

  /// Each kind of a kill, each of another trainer; runs of whole graphs are killed by the tests of
  /// `--resume auto`.
  private static final List<Case> FIXED =
      List.of(
          fixed("minibatches", THREADS, Kill.WRITING),
          fixed("historical", MpiProgram.OPEN_MPI, Kill.ONE),
          fixed("pruned", THREADS, Kill.TERMINATE));

  private static final List<Case> ALL =
      WAYS.stream()
          .flatMap(way ->
              way.launchers().stream().map(launcher -> new Case(way, launcher, kills(launcher))))
          .toList();

  /// Starts of a run that ends each time before it can be killed.
  private static final int ATTEMPTS = 5;

  private final Path folder;

  /// Of moments; null for fixed ones.
  private final @Nullable SplittableRandom random;

  private final List<String> findings = new ArrayList<>();
  private final List<String> rows = new ArrayList<>();
  private int numbered;

  private Faults(Path folder, @Nullable SplittableRandom random) {
    this.folder = folder;
    this.random = random;
  }

  /// Runs all of them.
  ///
  /// @param arguments folder, and a seed or nothing
  public static void main(String[] arguments) throws IOException, InterruptedException {
    long start = System.nanoTime();
    boolean fixed = arguments.length == 1;
    Faults faults =
        new Faults(
            Path.of(arguments[0]),
            fixed ? null : new SplittableRandom(Long.parseLong(arguments[1])));
    faults.prepare();
    for (Case each : fixed ? FIXED : ALL) {
      faults.kills(each);
    }
    faults.fullDisk(fixed ? FEW_SPACES : SPACES);
    faults.atOnce();
    System.out.printf(
        "%-30s %6s %8s %8s  %s%n", "fault", "cases", "resumed", "max s", "what was done");
    faults.rows.forEach(System.out::println);
    System.out.printf(
        Locale.ROOT,
        "%s, %.0f s; %d findings%n",
        fixed ? "fixed moments" : "moments of seed " + arguments[1],
        (System.nanoTime() - start) / 1e9,
        faults.findings.size());
    System.exit(faults.findings.isEmpty() ? 0 : 1);
  }

  private List<Way> trainers() {
    return random == null ? SHORT : TRAINERS;
  }

  private void row(String name, int cases, int resumed, double seconds, String what) {
    rows.add("%-30s %6d %8d %8.1f  %s".formatted(name, cases, resumed, seconds, what));
  }

  private void prepare() throws IOException {
    Files.createDirectories(folder);
    Files.writeString(
        folder.resolve("words.txt"), "what survives is kept, and kept again\n".repeat(300));
    here(
        "dataset build grid -q --rows 20 --cols 20 --classes 4 --features 8 --split 40/30/30 --out DATA");
  }

  // Commands.

  private String[] words(String command) {
    return Arrays.stream(command.strip().split("\\s+"))
        .map(word ->
            word.replaceFirst("^DATA$", folder.resolve("data").toString())
                .replaceFirst("^TEXT$", folder.resolve("words.txt").toString()))
        .toArray(String[]::new);
  }

  /// In this process, where it must succeed.
  private void here(String command) {
    Cli cli = Cli.run(words(command));
    if (cli.status() != 0) {
      throw new IllegalStateException(command + ": " + cli.err());
    }
  }

  /// A started process and where it writes.
  private record Started(Process process, Path output) {
    String said() {
      try {
        return Files.readString(output);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /// Its processes that run the command, itself too if it does.
    List<ProcessHandle> ranks() {
      return Stream.concat(Stream.of(process.toHandle()), process.descendants())
          .filter(each -> each.info().command().map(name -> name.endsWith("/java")).orElse(false))
          .toList();
    }
  }

  /// In a process of its own, or several under a launcher.
  private Started start(String launcher, int ranks, String command) throws IOException {
    List<String> line = new ArrayList<>();
    if (!launcher.isEmpty()) {
      line.addAll(MpiProgram.launch(launcher, ranks));
    }
    List<String> flags = new ArrayList<>(MpiProgram.SHORT_LIVED);
    flags.add("-XX:-UsePerfData");
    line.addAll(Jvm.command(flags, "dev.gossamer.cli.Main"));
    line.addAll(List.of(words(command + " -q")));
    if (launcher.isEmpty() && ranks > 1) {
      line.addAll(List.of("--ranks", Integer.toString(ranks)));
    }
    Path output = folder.resolve("output-" + numbered++);
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("GOSSAMER_CACHE", folder.resolve("cache").toString());
    // Open MPI leaves these behind when it is killed.
    builder.environment().put("OMPI_MCA_btl_vader_backing_directory", folder.toString());
    return new Started(builder.start(), output);
  }

  private static boolean isInstalled(String launcher) {
    return launcher.isEmpty()
        || Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
            .anyMatch(place -> new File(place, launcher).canExecute());
  }

  // Kills.

  private Path undisturbedRuns(Way way) {
    return folder.resolve("undisturbed-" + way.name().replaceAll("\\W+", "-"));
  }

  /// The model, which is the same whether ranks are threads or processes.
  private byte[] undisturbed(Way way) throws IOException {
    Path runs = undisturbedRuns(way);
    if (run(runs).isEmpty()) {
      here(way.threads() + " -q --runs " + runs);
    }
    return Files.readAllBytes(run(runs).orElseThrow().resolve("model.safetensors"));
  }

  private static Optional<Path> run(Path runs) throws IOException {
    if (!Files.isDirectory(runs)) {
      return Optional.empty();
    }
    try (Stream<Path> all = Files.list(runs)) {
      return all.filter(path -> Files.isRegularFile(path.resolve("config.yaml"))).findFirst();
    }
  }

  private void kills(Case each) throws IOException, InterruptedException {
    if (!isInstalled(each.launcher())) {
      rows.add("%-30s skipped: %s is not installed".formatted(each.name(), each.launcher()));
      return;
    }
    byte[] model = undisturbed(each.way());
    for (int attempt = 1; !kills(each, model); attempt++) {
      if (attempt == ATTEMPTS) {
        String missed = "ended before it could be killed, %d times".formatted(ATTEMPTS);
        if (random == null) {
          find(each.name(), missed);
        }
        rows.add("%-30s %s".formatted(each.name(), missed));
        return;
      }
    }
  }

  /// Several kills of one run; then it is left alone.
  ///
  /// @return whether all kills have met it
  private boolean kills(Case of, byte[] model) throws IOException, InterruptedException {
    String name = of.name();
    Way way = of.way();
    Path runs = folder.resolve("runs-" + numbered);
    int resumed = 0;
    double slowest = 0;
    List<String> done = new ArrayList<>();
    boolean met = true;
    for (int i = 0; met && i <= of.kills().size(); i++) {
      Optional<Path> run = run(runs);
      resumed += run.isPresent() ? 1 : 0;
      Started started =
          start(
              of.launcher(),
              way.ranks(),
              "%s --run-folder %s --resume auto".formatted(way.begin(), runs.resolve("run")));
      boolean last = i == of.kills().size();
      met = last || kill(started, runs, moment(of, i), done);
      long start = System.nanoTime();
      boolean ended = started.process().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      slowest = Math.max(slowest, (System.nanoTime() - start) / 1e9);
      if (!ended) {
        find(name, "no end after " + PATIENCE + ": " + started.said());
        started.process().descendants().forEach(ProcessHandle::destroyForcibly);
        started.process().destroyForcibly().waitFor();
      }
      if (TRACE.matcher(started.said()).find()) {
        find(name, "unexpected failure: " + started.said());
      }
      if ((last || !met) && ended && started.process().exitValue() != 0) {
        find(
            name,
            "status %d after %s: %s"
                .formatted(started.process().exitValue(), done, started.said()));
      }
    }
    if (met) {
      row(name, of.kills().size(), resumed, slowest, String.join("; ", done));
    }
    Optional<Path> run = run(runs);
    if (run.isEmpty() || !Files.exists(run.get().resolve("model.safetensors"))) {
      find(name, "no model after " + done);
    } else {
      same(name + " after " + done, run.get(), model, way.lines());
    }
    return met;
  }

  /// When a run is ended.
  ///
  /// @param lines of `metrics.jsonl` that it has written by then; -1 for no line in particular
  /// @param nanos after that
  private record Moment(Kill kill, int lines, long nanos) {}

  private Moment moment(Case of, int number) {
    Kill kill = of.kills().get(number);
    int all = of.way().lines();
    if (random == null) {
      return new Moment(kill, all * (number + 1) / (of.kills().size() + 2), 0);
    }
    // Now and then any moment, mostly one while it trains.
    return kill == Kill.WRITING || random.nextInt(4) > 0
        ? new Moment(kill, random.nextInt(3 * all / 4), random.nextInt(15) * 1_000_000L)
        : new Moment(kill, -1, random.nextLong(3_000_000_000L));
  }

  /// Waits for a moment and ends a rank or everything.
  ///
  /// @param done receives what was ended when
  /// @return whether the run had not ended by itself
  private boolean kill(Started started, Path runs, Moment moment, List<String> done)
      throws IOException, InterruptedException {
    Process process = started.process();
    while (process.isAlive() && metrics(runs) < moment.lines()) {
      Thread.sleep(1);
    }
    if (moment.kill() == Kill.WRITING) {
      Set<String> before = unfinished(runs);
      while (process.isAlive() && before.containsAll(unfinished(runs))) {
        Thread.sleep(0, 200_000);
      }
    } else {
      process.waitFor(moment.nanos(), TimeUnit.NANOSECONDS);
    }
    String when = " at line " + metrics(runs);
    List<ProcessHandle> ranks = started.ranks();
    if (ranks.isEmpty() || !process.isAlive()) {
      return false;
    }
    switch (moment.kill()) {
      case ONE ->
          ranks
              .get(random == null ? ranks.size() - 1 : random.nextInt(ranks.size()))
              .destroyForcibly();
      case WRITING -> {
        List<ProcessHandle> tree = new ArrayList<>(process.descendants().toList());
        tree.add(process.toHandle());
        tree.forEach(ProcessHandle::destroyForcibly);
      }
      case TERMINATE -> process.destroy();
    }
    done.add(moment.kill().name().toLowerCase(Locale.ROOT) + when);
    return true;
  }

  /// Files of a checkpoint that are being written, or were when a run was killed.
  private static Set<String> unfinished(Path runs) throws IOException {
    Optional<Path> run = run(runs);
    Path checkpoint = run.isEmpty() ? null : run.get().resolve("checkpoint");
    if (checkpoint == null || !Files.isDirectory(checkpoint)) {
      return Set.of();
    }
    try (Stream<Path> files = Files.list(checkpoint)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> TEMPORARY.matcher(name).matches())
          .collect(Collectors.toSet());
    }
  }

  private static int metrics(Path runs) throws IOException {
    Optional<Path> run = run(runs);
    Path file = run.isEmpty() ? null : run.get().resolve("metrics.jsonl");
    if (file == null || !Files.exists(file)) {
      return 0;
    }
    try (Stream<String> lines = Files.lines(file)) {
      return (int) lines.count();
    }
  }

  private void same(String what, Path run, byte[] model, int lines) throws IOException {
    if (!Files.exists(run.resolve("model.safetensors"))) {
      find(what, "no model in " + run);
      return;
    }
    if (!Arrays.equals(Files.readAllBytes(run.resolve("model.safetensors")), model)) {
      find(what, "another model than that of an undisturbed run");
    }
    List<String> metrics = Files.readAllLines(run.resolve("metrics.jsonl"));
    if (metrics.size() != lines) {
      find(what, "%d lines in metrics.jsonl, expected %d".formatted(metrics.size(), lines));
    }
  }

  private void find(String where, String what) {
    String finding = "%s: %s".formatted(where, what.strip());
    findings.add(finding);
    System.out.println(finding);
  }

  // Full disks.

  /// Lets commands run out of space after ever more bytes, then gives them space.
  private void fullDisk(long[] spaces) throws IOException, InterruptedException {
    Path disk = Files.createDirectories(folder.resolve("disk"));
    int megabytes = 4;
    if (status("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "none", disk.toString())
        != 0) {
      rows.add("%-30s skipped: no right to mount a small disk".formatted("full disk"));
      return;
    }
    try {
      for (Way way : trainers()) {
        fullDisk(disk, way, spaces);
      }
      outputs(disk, spaces);
    } finally {
      // The model of the last run is mapped from its file until the collector has come by.
      int left = status("umount", "--lazy", disk.toString());
      if (left != 0) {
        find("full disk", "umount ends with status " + left);
      }
    }
  }

  private static int status(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }

  /// Leaves so much of the disk.
  private static void leave(Path disk, long bytes) throws IOException {
    Path ballast = disk.resolve("ballast");
    Files.deleteIfExists(ballast);
    long size = disk.toFile().getUsableSpace() - bytes;
    try (RandomAccessFile file = new RandomAccessFile(ballast.toFile(), "rw")) {
      byte[] page = new byte[4096];
      for (long written = 0; written + page.length <= size; written += page.length) {
        file.write(page);
      }
    }
  }

  private static final long[] SPACES = {
    0, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10
  };

  /// Not even the first file fits; some of them do.
  private static final long[] FEW_SPACES = {0, 32 << 10};

  private void fullDisk(Path disk, Way way, long[] spaces) throws IOException {
    byte[] model = undisturbed(way);
    int refused = 0;
    int resumed = 0;
    double slowest = 0;
    for (long space : spaces) {
      String what = "full disk, %s, %d bytes".formatted(way.name(), space);
      leave(disk, space);
      Path runs = disk.resolve("runs");
      long start = System.nanoTime();
      Cli cli = Cli.run(words(way.threads() + " -q --runs " + runs));
      slowest = Math.max(slowest, (System.nanoTime() - start) / 1e9);
      refused += judged(what, cli, disk) ? 1 : 0;
      Files.delete(disk.resolve("ballast"));
      Optional<Path> run = run(runs);
      if (run.isPresent() && cli.status() != 0) {
        Cli again = Cli.run(words(way.resume() + " " + run.get() + " -q"));
        if (again.status() != 0) {
          find(what, "cannot be resumed: " + again.err());
        } else {
          resumed++;
          same(what, run.get(), model, way.lines());
        }
      }
      Folders.delete(runs);
    }
    row("full disk, " + way.name(), spaces.length, resumed, slowest, refused + " refused");
  }

  /// @return whether the command was refused
  private boolean judged(String what, Cli cli, Path disk) throws IOException {
    if (TRACE.matcher(cli.err()).find()
        || (cli.status() != 0 && cli.err().lines().count() != 1)
        || cli.status() > 2) {
      find(what, "status %d: %s".formatted(cli.status(), cli.err()));
    }
    try (Stream<Path> all = Files.walk(disk)) {
      all.filter(path -> TEMPORARY.matcher(path.getFileName().toString()).matches())
          .forEach(path -> find(what, "left behind: " + path));
    }
    return cli.status() != 0;
  }

  private void outputs(Path disk, long[] spaces) throws IOException {
    Path model =
        run(folder.resolve("undisturbed-whole-graph")).orElseThrow().resolve("model.safetensors");
    Path pruned = run(folder.resolve("undisturbed-pruned")).orElseThrow();
    Path out = disk.resolve("out");
    Path table = disk.resolve("out.parquet");
    List<String> commands =
        List.of(
            "dataset convert -q --data DATA --out " + out,
            "dataset build grid -q --rows 40 --cols 40 --classes 4 --features 8 --out " + out,
            "predict %s --data DATA -q --embeddings --out %s".formatted(model, out),
            "predict %s --data DATA -q --embeddings --out %s".formatted(model, table),
            "partition -q --data DATA --parts 4 --out " + out,
            "prune export %s --out %s".formatted(pruned, out));
    int refused = 0;
    double slowest = 0;
    for (String command : commands) {
      for (long space : spaces) {
        leave(disk, space);
        long start = System.nanoTime();
        Cli cli = Cli.run(words(command));
        slowest = Math.max(slowest, (System.nanoTime() - start) / 1e9);
        if (judged("full disk, %d bytes: %s".formatted(space, command), cli, disk)) {
          refused++;
          if (Files.exists(out) || Files.exists(table)) {
            find("full disk, %d bytes".formatted(space), "left half-written by " + command);
          }
        }
        Files.delete(disk.resolve("ballast"));
        Folders.delete(out);
        Files.deleteIfExists(table);
        Files.deleteIfExists(disk.resolve("out.npy"));
      }
    }
    row("full disk, outputs", commands.size() * spaces.length, 0, slowest, refused + " refused");
  }

  // Several at once.

  private void atOnce() throws IOException {
    List<Repeater> processes = new ArrayList<>();
    try {
      for (int i = 0; i < (random == null ? 2 : 3); i++) {
        processes.add(new Repeater());
      }
      atOnce(trainers().getFirst(), processes);
    } finally {
      processes.forEach(Repeater::close);
    }
  }

  private void atOnce(Way way, List<Repeater> processes) throws IOException {
    byte[] model = undisturbed(way);

    Path runs = folder.resolve("shared-runs");
    together("runs in a folder", processes, way.threads() + " --runs " + runs);
    List<Path> made = runs(runs);
    if (made.size() != processes.size()) {
      find("runs in a folder", "%d runs of %d".formatted(made.size(), processes.size()));
    }
    for (Path run : made) {
      same("runs in a folder", run, model, way.lines());
    }

    Path converted = folder.resolve("converted");
    together(
        "conversions to a folder", processes, "dataset convert --data DATA --out " + converted);
    sameFiles("conversions to a folder", converted, folder.resolve("data"));

    Path raw = folder.resolve("edges.csv");
    Files.writeString(raw, edges());
    together("conversions in the cache", processes, "dataset info --data " + raw);
    here("dataset info -q --data " + raw);

    Path killed = folder.resolve("resumed-twice");
    here(way.shorter(4).threads() + " -q --runs " + killed);
    Path run = run(killed).orElseThrow();
    Files.delete(run.resolve("model.safetensors"));
    String resume = "%s %s %s %d".formatted(way.resume(), run, way.steps(), way.lines());
    together("resumes of a run", processes.subList(0, 2), resume);
    if (!Files.exists(run.resolve("model.safetensors"))) {
      here(resume + " -q");
    }
    same("resumes of a run", run, model, way.lines());
  }

  private static String edges() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 20_000; i++) {
      text.append(i).append(',').append((7 * i + 1) % 20_000).append('\n');
    }
    return text.toString();
  }

  private static List<Path> runs(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(Files::isDirectory).sorted().toList();
    }
  }

  /// Runs a command in several processes at once; each must succeed or say one line.
  private void together(String name, List<Repeater> processes, String command) throws IOException {
    long start = System.nanoTime();
    for (Repeater each : processes) {
      each.begin(words(command + " -q"));
    }
    Map<Integer, Integer> statuses = new LinkedHashMap<>();
    for (Repeater each : processes) {
      Repeater.Ended ended = each.ended();
      statuses.merge(ended.status(), 1, Integer::sum);
      String said = ended.said();
      boolean oneLine = said.startsWith("gossamer: ") && said.lines().count() == 1;
      boolean refused = (ended.status() == 1 || ended.status() == 2) && oneLine;
      if ((ended.status() != 0 && !refused) || TRACE.matcher(said).find()) {
        find(name, "status %d: %s".formatted(ended.status(), said));
      }
    }
    if (!statuses.containsKey(0)) {
      find(name, "none of them succeeds");
    }
    row(
        name,
        processes.size(),
        0,
        (System.nanoTime() - start) / 1e9,
        "ended with status=number " + statuses);
  }

  private void sameFiles(String what, Path one, Path other) throws IOException {
    TreeSet<String> names = new TreeSet<>();
    for (Path folder : List.of(one, other)) {
      try (Stream<Path> all = Files.list(folder)) {
        all.forEach(path -> names.add(path.getFileName().toString()));
      }
    }
    for (String name : names) {
      if (name.endsWith(".npy")
          && (!Files.exists(one.resolve(name))
              || Files.mismatch(one.resolve(name), other.resolve(name)) >= 0)) {
        find(what, "another " + name);
      }
    }
  }
}
