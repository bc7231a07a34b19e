package dev.gossamer.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Each floor imports only floors below it (see ARCHITECTURE.md), and no package depends on itself
/// through another.
class FloorsTest {
  private static final JavaClasses GOSSAMER =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("dev.gossamer");

  /// A floor, and all floors that it may import.
  record Floor(String name, List<String> below) {
    static Floor of(String name, String... below) {
      return new Floor(name, List.of(below));
    }

    @Override
    public String toString() {
      return name;
    }
  }

  static List<Floor> floors() {
    return List.of(
        Floor.of("base"),
        Floor.of("matrix", "base"),
        Floor.of("comm", "base"),
        Floor.of("graph", "matrix", "base"),
        Floor.of("matlab", "graph", "matrix", "base"),
        Floor.of("tables", "graph", "matrix", "base"),
        Floor.of("nn", "matrix", "base"),
        Floor.of("partition", "graph", "matrix", "base"),
        Floor.of("run", "nn", "comm", "matrix", "base"),
        Floor.of("exchange", "run", "partition", "nn", "comm", "graph", "matrix", "base"),
        Floor.of("gnn", "exchange", "run", "partition", "nn", "comm", "graph", "matrix", "base"),
        Floor.of(
            "planner",
            "gnn",
            "exchange",
            "run",
            "partition",
            "nn",
            "comm",
            "graph",
            "matrix",
            "base"),
        Floor.of("pruned", "run", "nn", "comm", "matrix", "base"));
  }

  /// What is written of models is above the front door, and of both families.
  @Test
  void onlyTheCommandLineImportsTheExportOfModels() {
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.gossamer.onnx..", "dev.gossamer.cli..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.gossamer.onnx..")
        .check(GOSSAMER);
    noClasses()
        .that()
        .resideInAPackage("dev.gossamer.onnx..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.gossamer.cli..")
        .check(GOSSAMER);
  }

  /// The front door is the package `dev.gossamer` itself, above all floors but the command line.
  @Test
  void noFloorImportsTheFrontDoor() {
    noClasses()
        .that()
        .resideInAnyPackage(
            floors().stream()
                .map(floor -> "dev.gossamer.%s..".formatted(floor.name()))
                .toArray(String[]::new))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.gossamer", "dev.gossamer.cli..")
        .check(GOSSAMER);
  }

  @ParameterizedTest
  @MethodSource("floors")
  void aFloorImportsOnlyFloorsBelow(Floor floor) {
    requireOnlyBelow(floor, floors(), "dev.gossamer", "dev.gossamer.cli..");
  }

  static List<Floor> rooms() {
    return List.of(
        Floor.of("terminal"),
        Floor.of("page"),
        Floor.of("export", "terminal"),
        Floor.of("settings", "terminal"),
        Floor.of("machine", "settings", "terminal"),
        Floor.of("data", "page", "settings", "terminal"),
        Floor.of("report", "data", "page", "settings", "terminal"),
        Floor.of("tensorboard", "machine", "settings", "terminal"),
        Floor.of("graph", "tensorboard", "report", "data", "machine", "settings", "terminal"),
        Floor.of("pruned", "tensorboard", "report", "data", "machine", "settings", "terminal"));
  }

  /// The two families of runs share what is below them and know nothing of each other.
  @ParameterizedTest
  @MethodSource("rooms")
  void aRoomOfTheCommandLineImportsOnlyThoseBelow(Floor room) {
    requireOnlyBelow(room, rooms(), "dev.gossamer.cli", "dev.gossamer.cli");
  }

  /// @param parent package of all floors
  /// @param top packages that are above all of them
  private static void requireOnlyBelow(Floor floor, List<Floor> all, String parent, String top) {
    Stream<String> above =
        all.stream()
            .map(Floor::name)
            .filter(name -> !name.equals(floor.name()) && !floor.below().contains(name))
            .map(name -> "%s.%s..".formatted(parent, name));
    noClasses()
        .that()
        .resideInAPackage("%s.%s..".formatted(parent, floor.name()))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(Stream.concat(above, Stream.of(top)).toArray(String[]::new))
        .check(GOSSAMER);
  }

  @Test
  void noPackageDependsOnItselfThroughAnother() {
    slices().matching("dev.gossamer.(**)").should().beFreeOfCycles().check(GOSSAMER);
  }

  @Test
  void onlyTheMatrixFloorUsesTheVectorModule() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.gossamer.matrix..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("jdk.incubator.vector..")
        .check(GOSSAMER);
  }
}
