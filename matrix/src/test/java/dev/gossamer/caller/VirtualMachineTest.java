package dev.gossamer.caller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.Workers;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The first use of the library says which flags are missing, on the class path and on the module
/// path.
class VirtualMachineTest {
  private static final String MAIN = location(Workers.class) + ":" + Path.of("target", "classes");
  private static final String TEST = Path.of("target", "test-classes").toString();
  private static final List<String> CLASS_PATH = List.of("-cp", String.join(":", MAIN, TEST));
  private static final List<String> MODULE_PATH =
      List.of("-p", MAIN, "--add-modules", "dev.gossamer.matrix", "-cp", TEST);
  private static final String NATIVE_MODULES =
      "--enable-native-access=dev.gossamer.base,dev.gossamer.matrix,dev.gossamer.comm,dev.gossamer.partition";

  /// Folder or archive of a class of another module.
  private static String location(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation().getPath();
  }

  /// Exit status of a program, and what it wrote.
  private record Run(int status, String text) {
    static Run of(List<String> path, String... flags) throws IOException, InterruptedException {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(path);
      command.addAll(List.of(flags));
      command.add(FirstUse.class.getName());
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().remove("JDK_JAVA_OPTIONS");
      Process process = builder.start();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Run(process.waitFor(), text);
    }
  }

  @Test
  void theFlagsOfTheClassPathAreEnough() throws IOException, InterruptedException {
    Run run =
        Run.of(
            CLASS_PATH,
            "--add-modules",
            "jdk.incubator.vector",
            "--enable-native-access=ALL-UNNAMED",
            "--illegal-native-access=deny");
    assertThat(run.text).endsWith("6\n");
    assertThat(run.status).isZero();
  }

  @Test
  void theFlagOfTheModulePathIsEnough() throws IOException, InterruptedException {
    Run run = Run.of(MODULE_PATH, NATIVE_MODULES, "--illegal-native-access=deny");
    assertThat(run.text).endsWith("6\n");
    assertThat(run.status).isZero();
  }

  @Test
  void withoutTheVectorModuleTheFirstUseNamesTheFlags() throws IOException, InterruptedException {
    Run run = Run.of(CLASS_PATH, "--enable-native-access=ALL-UNNAMED");
    assertThat(run.text)
        .startsWith(
            "Exception in thread \"main\" java.lang.LinkageError: Gossamer cannot run: the module jdk.incubator.vector is missing;"
                + " start java with --add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED\n");
    assertThat(run.status).isEqualTo(1);
  }

  @Test
  void withoutNativeAccessTheFirstUseNamesTheFlags() throws IOException, InterruptedException {
    Run run =
        Run.of(CLASS_PATH, "--add-modules", "jdk.incubator.vector", "--illegal-native-access=deny");
    assertThat(run.text)
        .contains(
            "java.lang.LinkageError: Gossamer cannot run: native access is denied; start java with --add-modules jdk.incubator.vector --enable-native-access=ALL-UNNAMED\n");
    assertThat(run.status).isEqualTo(1);
  }

  @Test
  void withoutNativeAccessTheFirstUseNamesTheModules() throws IOException, InterruptedException {
    Run run = Run.of(MODULE_PATH, "--illegal-native-access=deny");
    assertThat(run.text)
        .contains(
            "java.lang.LinkageError: Gossamer cannot run: native access is denied; start java with "
                + NATIVE_MODULES
                + "\n");
    assertThat(run.status).isEqualTo(1);
  }
}
