package dev.gossamer.cli.endurance;

import dev.gossamer.cli.Folders;
import dev.gossamer.cli.SampleCluster;
import dev.gossamer.planner.calibration.Calibration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;

/// Folders of a fuzzed case: what may be written and what may not, and whether it was.
///
/// @param path of everything; the same for each run of a checkout, so that a case can be repeated
record Box(Path path) {
  /// Unharmed inputs, by subject.
  Path pristine() {
    return path.resolve("pristine");
  }

  /// Everything of the current case.
  Path scene() {
    return path.resolve("case");
  }

  /// The damaged input.
  Path in() {
    return scene().resolve("in");
  }

  /// Where commands are told to write.
  Path out() {
    return scene().resolve("out");
  }

  /// `GOSSAMER_CACHE` of the process.
  Path cache() {
    return scene().resolve("cache");
  }

  /// What this machine was measured to do, invented: measuring it takes longer than what is run,
  /// and plans would differ from run to run. To be copied into a cache.
  Path rates() {
    return path.resolve("rates");
  }

  /// Writes [#rates].
  void writeRates() throws IOException {
    SampleCluster.write(
        Files.createDirectories(rates()).resolve(Calibration.keptFile().getFileName()), 1, "16g");
  }

  /// Files that nobody has named to the program but as the target of a link or in a hostile name.
  Path bystanders() {
    return scene().resolve("bystanders");
  }

  /// Working, temporary and home folder of the process, where nothing is to appear.
  Path idle() {
    return path.resolve("idle");
  }

  /// Makes an empty scene.
  ///
  /// @param input copied to [#in]
  void set(Path input) {
    Folders.delete(scene());
    Folders.copy(input, in());
    try {
      Files.createDirectories(out());
      Path others = Files.createDirectories(bystanders().resolve("checkpoint"));
      for (String name :
          new String[] {"epoch-000001.safetensors", "mine.safetensors", "notes.txt"}) {
        Files.writeString(others.resolve(name), "not yours: " + name);
        Files.writeString(bystanders().resolve(name), "not yours: " + name);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Kind, size and content of each file below some folders, links not followed.
  static SortedMap<String, String> files(Path root, Path... below) {
    SortedMap<String, String> found = new TreeMap<>();
    for (Path start : below) {
      if (Files.exists(start, LinkOption.NOFOLLOW_LINKS)) {
        walk(root, start, found);
      }
    }
    return found;
  }

  private static void walk(Path root, Path start, SortedMap<String, String> found) {
    try {
      Files.walkFileTree(
          start,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
              found.put(root.relativize(folder) + "/", "folder");
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              found.put(root.relativize(file).toString(), what(file, attributes));
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String what(Path file, BasicFileAttributes attributes) throws IOException {
    if (attributes.isSymbolicLink()) {
      return "link to " + Files.readSymbolicLink(file);
    }
    if (!attributes.isRegularFile()) {
      return "special";
    }
    long size = attributes.size();
    int hash = size > 1 << 22 ? 0 : Arrays.hashCode(Files.readAllBytes(file));
    return "%d bytes %08x".formatted(size, hash);
  }

  /// POSIX `mkfifo`.
  static void pipe(Path path) {
    Linker linker = Linker.nativeLinker();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(path.toString());
      int failed =
          (int)
              linker
                  .downcallHandle(
                      linker.defaultLookup().findOrThrow("mkfifo"),
                      FunctionDescriptor.of(
                          ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT))
                  .invokeExact(name, 0600);
      if (failed != 0) {
        throw new IOException("mkfifo " + path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }
}
