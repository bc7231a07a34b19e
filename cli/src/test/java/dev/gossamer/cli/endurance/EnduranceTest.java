package dev.gossamer.cli.endurance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.gossamer.cli.Folders;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// What takes minutes, each in a virtual machine of its own and side by side: a mutant that brings
/// the machine down or a leak of another test would spoil the others' figures.
///
/// Without more words, a short and fixed part of each is run: the first mutants of seed 1, one
/// fault of each kind after a fixed number of lines, a few laps. `.ci/endurance` runs all of it.
/// System properties choose: `endurance.seed`, `endurance.first` and `endurance.mutants` (of the
/// [Fuzzer]; one mutant repeats that one), `endurance.moments` (of the [Faults]: a seed of random
/// ones) and `endurance.laps` (of the [Soak]).
@Tag("slow")
class EnduranceTest {
  private static final Path REPORTS = Path.of("target", "endurance").toAbsolutePath();

  private static final Path MEMORY = Path.of("/dev/shm");

  /// In memory where there is such a place: each file that a command writes is brought to the disk.
  /// The same in each run, as a mutant depends on the paths in its files.
  private static final Path BOXES =
      Files.isWritable(MEMORY)
          ? MEMORY.resolve("gossamer-endurance-%08x".formatted(REPORTS.hashCode()))
          : REPORTS;

  /// Each of them ends what hangs by itself; this is for the rest.
  private static final Duration LAST_RESORT = Duration.ofHours(1);

  private static final String SEED = System.getProperty("endurance.seed", "1");

  /// As the launcher has them, with less memory.
  private static final List<String> FLAGS = List.of("-Xmx2g", "-Xmn96m", "-XX:+UseParallelGC");

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void damagedInputIsRefusedInOneLine() throws IOException, InterruptedException {
    Path box = empty("fuzzer");
    String idle = Files.createDirectories(new Box(box).idle()).toString();
    List<String> flags = new ArrayList<>(FLAGS);
    flags.addAll(List.of("-XX:-UsePerfData", "-Djava.io.tmpdir=" + idle, "-Duser.home=" + idle));
    run(
        box.resolve("idle"),
        new Box(box).cache(),
        flags,
        Fuzzer.class,
        box.toString(),
        SEED,
        System.getProperty("endurance.first", "0"),
        System.getProperty("endurance.mutants", "300"));
    Folders.delete(box);
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void disturbedRunsResumeToTheSameBits() throws IOException, InterruptedException {
    Path box = empty("faults");
    Folders.copy(new Box(box).rates(), box.resolve("cache"));
    List<String> arguments = new ArrayList<>(List.of(box.toString()));
    Optional.ofNullable(System.getProperty("endurance.moments")).ifPresent(arguments::add);
    run(box, box.resolve("cache"), FLAGS, Faults.class, arguments.toArray(String[]::new));
    Folders.delete(box);
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void manyTrainingsTakeNoMoreThanTheFirst() throws IOException, InterruptedException {
    Path box = empty("soak");
    Folders.copy(new Box(box).rates(), box.resolve("cache"));
    List<String> flags = new ArrayList<>(FLAGS);
    flags.add("-XX:NativeMemoryTracking=summary");
    run(
        box,
        box.resolve("cache"),
        flags,
        Soak.class,
        box.toString(),
        System.getProperty("endurance.laps", "2"));
    Folders.delete(box);
  }

  private static Path empty(String name) throws IOException {
    Path box = BOXES.resolve(name);
    Folders.delete(box);
    Files.createDirectories(box);
    new Box(box).writeRates();
    return box;
  }

  /// Starts a program, waits for its end and prints what it printed. What it leaves in its box is
  /// kept if it found something.
  private static void run(
      Path folder, Path cache, List<String> flags, Class<?> program, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = Jvm.command(flags, program.getName());
    command.addAll(List.of(arguments));
    Path output = Files.createDirectories(REPORTS).resolve(program.getSimpleName() + ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(Redirect.to(output.toFile()));
    builder.environment().put("GOSSAMER_CACHE", cache.toString());
    Process process = builder.start();
    boolean ended = process.waitFor(LAST_RESORT.toMinutes(), TimeUnit.MINUTES);
    String said = Files.readString(output);
    System.out.println(said);
    if (!ended) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
      fail("no end after %s: %s".formatted(LAST_RESORT, program.getSimpleName()));
    }
    assertThat(process.exitValue()).as(said).isZero();
  }
}
