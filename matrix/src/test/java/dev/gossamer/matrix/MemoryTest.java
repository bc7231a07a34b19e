package dev.gossamer.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.matrix.dense.RowEpilogue;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryTest {
  static Stream<String> kernels() {
    return AddressKernels.all().keySet().stream();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 12, 13, 30})
  void whatIsHeldIsNotClosed(int arenas) {
    List<Arena> shared = new ArrayList<>();
    MemorySegment[] operands = new MemorySegment[arenas];
    for (int i = 0; i < arenas; i++) {
      shared.add(Arena.ofShared());
      operands[i] = shared.get(i).allocate(8);
    }
    int[] calls = new int[1];
    Memory.hold(
        () -> {
          calls[0]++;
          for (Arena arena : shared) {
            assertThatThrownBy(arena::close).isInstanceOf(IllegalStateException.class);
          }
        },
        operands);
    shared.forEach(Arena::close);
    assertThat(calls[0]).isEqualTo(1);
  }

  @Test
  void whatIsClosedIsNotHeldAndTheKernelNotCalled() {
    Arena arena = Arena.ofShared();
    MemorySegment segment = arena.allocate(8);
    arena.close();
    int[] calls = new int[1];
    assertThatThrownBy(() -> Memory.hold(() -> calls[0]++, null, segment))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThat(calls[0]).isZero();
  }

  @Test
  void whatAKernelThrowsComesOutAndNothingStaysHeld() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment segment = arena.allocate(8);
      for (Throwable thrown :
          List.of(new IllegalArgumentException("bad"), new StackOverflowError("deep"))) {
        assertThatThrownBy(() ->
                Memory.hold(
                    () -> {
                      Memory.hold(() -> {}, segment);
                      throw MemoryTest.<RuntimeException>sneaked(thrown);
                    },
                    segment))
            .isSameAs(thrown);
      }
      Memory.hold(() -> {}, segment);
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> T sneaked(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @Test
  void memoryOfAnotherThreadIsRefused() throws InterruptedException {
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment segment = confined.allocate(8);
      Memory.hold(() -> {}, segment);
      Throwable[] thrown = new Throwable[1];
      Thread other = new Thread(() -> Memory.hold(() -> {}, segment));
      other.setUncaughtExceptionHandler((thread, e) -> thrown[0] = e);
      other.start();
      other.join();
      assertThat(thrown[0]).isInstanceOf(WrongThreadException.class);
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void aKernelRefusesEachOperandThatIsClosed(String name) {
    AddressKernels.Kernel kernel = Objects.requireNonNull(AddressKernels.all().get(name));
    try (Workers workers = new Workers(1)) {
      int count = 1;
      for (int i = 0; i < count; i++) {
        AddressKernels.Operands operands = new AddressKernels.Operands(i);
        Runnable call = kernel.on(operands, 64, workers);
        count = operands.count();
        call.run();
        operands.closable().close();
        assertThatThrownBy(call::run)
            .as("operand %d of %d", i, count)
            .isInstanceOf(IllegalStateException.class);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void aRunningProductKeepsOperandsAndWorkers(int threads) {
    Workers workers = new Workers(threads);
    Arena arena = Arena.ofShared();
    DenseMatrix a = DenseMatrix.allocate(arena, 100, 10);
    DenseMatrix b = DenseMatrix.allocate(arena, 10, 10);
    DenseMatrix c = DenseMatrix.allocate(arena, 100, 10);
    RowEpilogue closing =
        (y, begin, end) -> {
          assertThatThrownBy(arena::close).hasMessageContaining("acquired");
          assertThatThrownBy(workers::close).isInstanceOf(IllegalStateException.class);
        };
    Matmul.java().multiply(a, b, c, workers, closing);
    workers.close();
    assertThatThrownBy(() -> Matmul.java().multiply(a, b, c, workers, RowEpilogue.NONE))
        .isInstanceOf(IllegalStateException.class);
    arena.close();
  }

  /// Another virtual machine, as it would be the one to crash.
  @Test
  @Tag("endurance")
  void arenasClosedAtRandomMomentsDoNoHarm() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-cp",
            System.getProperty("java.class.path") + ":" + Path.of("target", "classes"),
            "--add-modules",
            "jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "-XX:-CreateCoredumpOnCrash",
            "-XX:ErrorFile="
                + Path.of(System.getProperty("java.io.tmpdir"), "closing-arenas-%p.log"),
            ClosingArenas.class.getName()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(text).isZero();
    Matcher counts =
        Pattern.compile(
                "(?s).*?(\\d+) operands, (\\d+) closed, (\\d+) refused to run, \\d+ refused to close\\R")
            .matcher(text);
    assertThat(counts.matches()).as(text).isTrue();
    int operands = Integer.parseInt(counts.group(1));
    assertThat(operands).isGreaterThan(2 * AddressKernels.all().size());
    assertThat(Integer.parseInt(counts.group(2))).isEqualTo(ClosingArenas.ROUNDS * operands);
    assertThat(counts.group(3)).as("each is refused once it is closed").isEqualTo(counts.group(2));
  }
}
