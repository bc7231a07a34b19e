package dev.gossamer.graph.generate;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.InputFile;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.ProviderNotFoundException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;

/// Finds and reads class files. Module descriptors and the version folders of multi-release jars
/// are ignored. The result does not depend on the number of threads.
final class ClassFiles {
  private static final URI RUNTIME = URI.create("jrt:/");

  /// Compilers write far less; a jar can make a few bytes into gigabytes.
  private static final int LONGEST_CLASS = 64 << 20;

  private static final int LONGEST_RELEASE = 1 << 20;

  private ClassFiles() {}

  /// The classes of the JDK that runs this program, by name; origin = module.
  static Collection<ClassFacts> ofRunningJdk() {
    return distinct(ofImage("jrt:/", FileSystems.getFileSystem(RUNTIME)));
  }

  /// The classes of another JDK, by name; origin = module.
  ///
  /// @throws InvalidInputException if the folder is not the home of a JDK
  static Collection<ClassFacts> ofJdk(Path home) {
    try (FileSystem image =
        FileSystems.newFileSystem(RUNTIME, Map.of("java.home", home.toString()))) {
      return distinct(ofImage(home.toString(), image));
    } catch (IOException | ProviderNotFoundException e) {
      throw notJdk(home, e);
    }
  }

  /// The runtime version that a JDK states in its `release` file.
  ///
  /// @throws InvalidInputException if there is none
  static String runtimeVersion(Path home) {
    Properties release = new Properties();
    try {
      release.load(new StringReader(InputFile.of(home.resolve("release")).text(LONGEST_RELEASE)));
    } catch (IOException | IllegalArgumentException | InvalidInputException e) {
      throw notJdk(home, e);
    }
    return release.getProperty("JAVA_RUNTIME_VERSION", "unknown").replace("\"", "");
  }

  /// The classes of a class path, by name; of a name that occurs twice, the first counts. Origin =
  /// file name of the jar or folder, or its whole path if another element has the same file name.
  ///
  /// @throws InvalidInputException naming the jar or folder, and the entry, that is not readable
  static Collection<ClassFacts> ofClassPath(List<Path> elements) {
    List<ClassFacts> found = new ArrayList<>();
    for (Path element : elements) {
      found.addAll(ofElement(element, origin(element, elements)));
    }
    return distinct(found);
  }

  private static String origin(Path element, List<Path> elements) {
    Path name = element.toAbsolutePath().normalize().getFileName();
    long same =
        elements.stream()
            .map(other -> other.toAbsolutePath().normalize())
            .distinct()
            .filter(other -> name != null && name.equals(other.getFileName()))
            .count();
    return name == null || same > 1 ? element.toString() : name.toString();
  }

  private static List<ClassFacts> ofElement(Path element, String origin) {
    if (Files.isDirectory(element)) {
      return read(element.toString() + "/", element, _ -> origin);
    }
    if (!Files.exists(element)) {
      throw new InvalidInputException(
          "%s: expected a jar or a folder of classes, found nothing; check the class path"
              .formatted(element));
    }
    try (FileSystem jar = FileSystems.newFileSystem(InputFile.of(element).path())) {
      return read(element + "!", jar.getPath("/"), _ -> origin);
    } catch (IOException | ProviderNotFoundException e) {
      throw new InvalidInputException(
          "%s: expected a jar or a folder of classes, found: %s".formatted(element, e.getMessage()),
          e);
    }
  }

  private static List<ClassFacts> ofImage(String place, FileSystem image) {
    return read(place, image.getPath("/modules"), path -> path.getName(1).toString());
  }

  /// Where a class file belongs.
  private interface OriginOf {
    String of(Path file);
  }

  private static List<ClassFacts> read(String place, Path root, OriginOf origin) {
    try (Stream<Path> walk = Files.walk(root)) {
      List<Path> files =
          walk.filter(file -> isClass(root.relativize(file).toString())).sorted().toList();
      return files.parallelStream()
          .map(file -> read(place + root.relativize(file), origin.of(file), file))
          .toList();
    } catch (IOException | UncheckedIOException e) {
      throw new InvalidInputException(
          "%s: expected readable class files, found: %s".formatted(place, e.getMessage()), e);
    }
  }

  private static boolean isClass(String name) {
    return name.endsWith(".class")
        && !name.endsWith("module-info.class")
        && !name.startsWith("META-INF");
  }

  private static ClassFacts read(String place, String origin, Path file) {
    try {
      return ClassFacts.of(origin, InputFile.of(file).bytes(LONGEST_CLASS));
    } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new InvalidInputException(
          "%s: expected a class file of Java %d or older, found: %s; leave it out or build it again"
              .formatted(place, Runtime.version().feature(), e.getMessage()),
          e);
    }
  }

  private static Collection<ClassFacts> distinct(List<ClassFacts> found) {
    TreeMap<String, ClassFacts> byName = new TreeMap<>();
    found.forEach(facts -> byName.putIfAbsent(facts.name(), facts));
    return byName.values();
  }

  private static InvalidInputException notJdk(Path home, Exception cause) {
    return new InvalidInputException(
        "%s: expected the home of a JDK, with lib/modules, lib/jrt-fs.jar and release, found: %s"
            .formatted(home, cause.getMessage()),
        cause);
  }
}
