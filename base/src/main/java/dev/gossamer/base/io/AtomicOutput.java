package dev.gossamer.base.io;

import dev.gossamer.base.InvalidInputException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Phaser;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Atomic output of files and folders, which are written under a temporary name next to the target,
/// flushed to disk (`fsync` of files and folders), and renamed at the end. If anything fails, no
/// temporary file remains and an earlier target is unchanged.
///
/// A process that receives a request to terminate removes its unfinished output, unless it is
/// [#finishing]. A process that is killed leaves at most a hidden sibling `.NAME.tmp-*`, never a
/// half-written target; the next output to the same target on that machine removes it.
public final class AtomicOutput {
  /// How often a target that another process replaces at the same time is tried.
  private static final int ATTEMPTS = 8;

  /// With the process that writes it; earlier versions did not say that.
  private static final Pattern TEMPORARY =
      Pattern.compile(
          "\\.(?<target>.+)\\.tmp-(?<machine>[0-9a-f]{8})(-(?<process>[0-9a-f]{1,8})-[0-9a-f]{8})?");

  private static final String MACHINE = "%08x".formatted(machine().hashCode());

  /// What is being written, and whether its writer or the end of the process has taken it: who does
  /// so first decides what becomes of it.
  private static final Map<Path, AtomicBoolean> WRITING = new ConcurrentHashMap<>();

  /// The end of the process waits for all parties but itself.
  private static final Phaser FINISHING = new Phaser(1);

  static {
    try {
      Runtime.getRuntime()
          .addShutdownHook(Thread.ofPlatform().name("outputs").unstarted(AtomicOutput::discard));
    } catch (IllegalStateException e) {
      // The process is ending already: this output is what it ends with.
    }
  }

  /// While open, lets outputs finish before the process ends.
  @FunctionalInterface
  public interface Finishing extends AutoCloseable {
    @Override
    void close();
  }

  /// Writes the content.
  @FunctionalInterface
  public interface Content {
    /// Writes to a temporary path.
    ///
    /// @param temporary the file to create, or the folder (which exists, empty) to fill
    /// @throws IOException if it cannot be written
    void writeTo(Path temporary) throws IOException;
  }

  private AtomicOutput() {}

  /// Lets all outputs finish before the process ends, if it receives a request to terminate.
  ///
  /// @return a handle to close once
  public static Finishing finishing() {
    FINISHING.register();
    return FINISHING::arriveAndDeregister;
  }

  /// Removes what is being written, as the process ends.
  private static void discard() {
    FINISHING.arriveAndAwaitAdvance();
    WRITING.forEach((temporary, taken) -> {
      if (!taken.getAndSet(true)) {
        discard(temporary);
      }
    });
  }

  /// Removes what another thread may still be writing to, or removing, if that is possible.
  private static void discard(Path temporary) {
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        delete(temporary);
        return;
      } catch (IOException | UncheckedIOException e) {
        // Something came or went meanwhile.
      }
    }
  }

  /// Where processes have numbers of their own, and are seen by each other.
  private static String machine() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname"))
          + Files.readSymbolicLink(Path.of("/proc/self/ns/pid"));
    } catch (IOException e) {
      return "";
    }
  }

  /// Writes a file. Creates missing parent folders, even if several threads or processes do so at
  /// the same time. Replaces an existing file.
  ///
  /// @param target the file
  /// @param content writes it
  /// @throws InvalidInputException if it cannot be written (disk full, no permission)
  public static void file(Path target, Content content) {
    write(target, null, content);
  }

  /// Writes a folder of files, and in it their list, [Checksums#FILE]. Creates missing parent
  /// folders. Replaces an existing folder only if [#requireReplaceable] allows it.
  ///
  /// Replacing takes two renames; a crash between them leaves the earlier folder under a hidden
  /// name `.NAME.old-*`.
  ///
  /// @param target the folder
  /// @param names of all files that an output of this kind may have
  /// @param content writes any of these files
  /// @throws InvalidInputException if it cannot be written, or the target must not be replaced
  public static void folder(Path target, Set<String> names, Content content) {
    write(target, Set.copyOf(names), content);
  }

  /// Checks that [#folder] may write a folder: it must not exist, be empty, or have only files that
  /// its [Checksums#FILE] lists and an output of this kind may have. This protects files that a
  /// user has added. Cheap, so that it can be called before a long computation.
  ///
  /// @param target the folder
  /// @param names of all files that an output of this kind may have
  /// @throws InvalidInputException naming the file that prevents it
  public static void requireReplaceable(Path target, Set<String> names) {
    try {
      requireFree(target, names);
    } catch (IOException e) {
      throw InvalidInputException.unwritable(target, e);
    }
  }

  /// Checks that [#file] can write a file, by creating and removing a temporary one. Reports errors
  /// before a long computation instead of after it.
  ///
  /// @param target the file
  /// @throws InvalidInputException if it cannot be written
  public static void requireWritable(Path target) {
    List<Path> made = new ArrayList<>();
    try {
      Path temporary = sibling(prepared(target, null, made), "tmp");
      Files.createFile(temporary);
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      throw InvalidInputException.unwritable(target, e);
    } finally {
      removeEmpty(made);
    }
  }

  /// Checks that a target may be replaced, and makes its folder.
  ///
  /// @param made gets the folders that were made
  /// @return the target that links lead to
  private static Path prepared(Path target, @Nullable Set<String> names, List<Path> made)
      throws IOException {
    Path real = realPath(target);
    Path parent = real.getParent();
    if (parent == null) {
      throw new InvalidInputException("%s: cannot write: not a file or folder".formatted(target));
    }
    requireFree(target, names);
    makeFolders(parent, made);
    return real;
  }

  private static void write(Path target, @Nullable Set<String> names, Content content) {
    List<Path> made = new ArrayList<>();
    boolean done = false;
    try {
      Path real = prepared(target, names, made);
      discardLeftOf(real);
      Path temporary = sibling(real, "tmp");
      AtomicBoolean taken = new AtomicBoolean();
      WRITING.put(temporary, taken);
      boolean ours = false;
      try {
        if (names == null) {
          content.writeTo(temporary);
        } else {
          Files.createDirectory(temporary);
          content.writeTo(temporary);
          Checksums.write(temporary);
          assert names.containsAll(Checksums.read(temporary).names());
        }
        force(temporary);
        // What was put there while this was written is not lost, either.
        requireFree(target, names);
        ours = take(temporary, taken);
        rename(temporary, real);
        done = true;
      } finally {
        if (!done && (ours || take(temporary, taken))) {
          delete(temporary);
        }
        WRITING.remove(temporary);
      }
      forceFolder(Objects.requireNonNull(real.getParent()));
      for (Path folder : made) {
        forceFolder(Objects.requireNonNull(folder.getParent()));
      }
    } catch (IOException e) {
      throw InvalidInputException.unwritable(target, e);
    } catch (UncheckedIOException e) {
      throw InvalidInputException.unwritable(target, Objects.requireNonNull(e.getCause()));
    } finally {
      if (!done) {
        removeEmpty(made);
      }
    }
  }

  /// Takes a temporary for its writer. If the end of the process has taken it, nothing is left to
  /// do or to say, and this does not return.
  ///
  /// @return true
  private static boolean take(Path temporary, AtomicBoolean taken) {
    if (taken.getAndSet(true)) {
      discard(temporary);
      while (true) {
        LockSupport.park();
      }
    }
    return true;
  }

  /// Removes what processes left that wrote to a target and were killed.
  private static void discardLeftOf(Path target) {
    try (DirectoryStream<Path> left =
        Files.newDirectoryStream(target.resolveSibling(""), sibling -> isLeftOf(target, sibling))) {
      left.forEach(AtomicOutput::discard);
    } catch (IOException | DirectoryIteratorException e) {
      // Permission to write to a folder does not imply permission to list it.
    }
  }

  private static boolean isLeftOf(Path target, Path sibling) {
    Matcher matcher = TEMPORARY.matcher(String.valueOf(sibling.getFileName()));
    if (!matcher.matches()
        || !matcher.group("target").equals(String.valueOf(target.getFileName()))
        || !matcher.group("machine").equals(MACHINE)
        || matcher.group("process") == null) {
      return false;
    }
    long process = Long.parseLong(matcher.group("process"), 16);
    return process == ProcessHandle.current().pid()
        ? !WRITING.containsKey(sibling)
        : ProcessHandle.of(process).isEmpty();
  }

  private static Path realPath(Path target) throws IOException {
    try {
      return target.toRealPath();
    } catch (FileSystemException e) {
      return target.toAbsolutePath().normalize();
    }
  }

  /// {@return what is there; null if nothing is, or nothing can be seen: writing then says why}
  private static @Nullable BasicFileAttributes attributes(Path target) throws IOException {
    try {
      return Files.readAttributes(target, BasicFileAttributes.class);
    } catch (FileSystemException e) {
      return null;
    }
  }

  /// Looks at the target once: another writer may replace it between two looks.
  private static void requireFree(Path target, @Nullable Set<String> names) throws IOException {
    BasicFileAttributes found = attributes(target);
    if (found == null) {
      return;
    }
    if (found.isOther()) {
      // A rename would put a file in the place of /dev/null.
      throw new InvalidInputException(
          "%s: expected a file or folder to write, found a pipe, socket or device"
              .formatted(target));
    }
    if (names == null) {
      if (found.isDirectory()) {
        throw new InvalidInputException(
            "%s: expected a file to write, found a folder".formatted(target));
      }
      return;
    }
    if (!found.isDirectory()) {
      throw new InvalidInputException(
          "%s: expected a folder to write, found a file".formatted(target));
    }
    String other = other(target, names);
    if (other != null && isStill(target, found)) {
      throw new InvalidInputException(
          "%s: expected a new folder, or one that contains only files listed in its %s, found %s; choose another name"
              .formatted(target, Checksums.FILE, other));
    }
  }

  /// {@return the name of something in a folder that is not of an earlier output; null if all is}
  private static @Nullable String other(Path folder, Set<String> names) throws IOException {
    Set<String> ours = listed(folder, names);
    try {
      for (Path entry : Checksums.entries(folder)) {
        String name = String.valueOf(entry.getFileName());
        if (!ours.contains(name)) {
          return name;
        }
        if (!Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)) {
          return name + ", which is no file";
        }
      }
      return null;
    } catch (NoSuchFileException | NotDirectoryException e) {
      return null;
    }
  }

  /// What an earlier output lists, and its list. One that cannot be read lists nothing.
  private static Set<String> listed(Path folder, Set<String> names) {
    try {
      Set<String> listed = new HashSet<>(Checksums.read(folder).names());
      listed.retainAll(names);
      listed.add(Checksums.FILE);
      return listed;
    } catch (InvalidInputException e) {
      return Set.of();
    }
  }

  /// {@return whether no other writer has replaced the target since} An earlier output is moved
  /// away before it is deleted, so that what is still there was whole all the time.
  private static boolean isStill(Path target, BasicFileAttributes found) throws IOException {
    BasicFileAttributes now = attributes(target);
    return now != null && Objects.equals(now.fileKey(), found.fileKey());
  }

  private static void makeFolders(Path folder, List<Path> made) throws IOException {
    if (!Files.isDirectory(folder)) {
      Path parent = folder.getParent();
      if (parent != null) {
        makeFolders(parent, made);
      }
      try {
        Files.createDirectory(folder);
        made.add(folder);
      } catch (FileAlreadyExistsException e) {
        if (!Files.isDirectory(folder)) {
          throw e;
        }
        // Another rank that writes to the same folder was faster.
      }
    }
  }

  private static Path sibling(Path target, String kind) {
    return target.resolveSibling(
        ".%s.%s-%s-%x-%08x"
            .formatted(
                target.getFileName(),
                kind,
                MACHINE,
                ProcessHandle.current().pid(),
                ThreadLocalRandom.current().nextInt()));
  }

  /// {@return the name of the target of a temporary sibling; empty for other files}
  ///
  /// @param name of a file
  public static Optional<String> targetOf(String name) {
    Matcher matcher = TEMPORARY.matcher(name);
    return matcher.matches() ? Optional.of(matcher.group("target")) : Optional.empty();
  }

  /// Removes a file or folder atomically, without following links.
  ///
  /// @param target the file or folder
  /// @throws InvalidInputException if it cannot be removed
  public static void remove(Path target) {
    try {
      Path old = sibling(target.toAbsolutePath().normalize(), "old");
      Files.move(target, old, StandardCopyOption.ATOMIC_MOVE);
      delete(old);
    } catch (NoSuchFileException e) {
      // Another process was faster.
    } catch (IOException e) {
      throw InvalidInputException.unwritable(target, e);
    }
  }

  /// Other processes may write the same target at the same time: the last one counts.
  private static void rename(Path temporary, Path target) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        renameOnce(temporary, target);
        return;
      } catch (FileSystemException e) {
        if (attempt == ATTEMPTS || !Files.exists(temporary)) {
          throw e;
        }
      }
    }
  }

  private static void renameOnce(Path temporary, Path target) throws IOException {
    if (!Files.isDirectory(target)) {
      Files.move(
          temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      return;
    }
    Path old = sibling(target, "old");
    Files.move(target, old, StandardCopyOption.ATOMIC_MOVE);
    try {
      Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      restore(old, target);
      throw e;
    }
    // The new output is there, whether or not the old one can be removed.
    discard(old);
  }

  /// Puts an earlier output back, unless another writer's is in its place.
  private static void restore(Path old, Path target) throws IOException {
    try {
      Files.move(old, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      if (!Files.exists(target)) {
        throw e;
      }
      discard(old);
    }
  }

  private static void force(Path written) throws IOException {
    try (Stream<Path> all = Files.walk(written)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        if (Files.isDirectory(path)) {
          forceFolder(path);
        } else {
          try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.force(true);
          }
        }
      }
    }
  }

  private static void forceFolder(Path folder) throws IOException {
    // A folder can be opened, and so forced, on POSIX systems only.
    if (File.separatorChar == '/') {
      try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }

  private static void delete(Path path) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  /// Takes back the parent folders made for an output that failed, innermost first, so far as they
  /// are empty.
  private static void removeEmpty(List<Path> made) {
    for (Path folder : made.reversed()) {
      if (!folder.toFile().delete()) {
        return;
      }
    }
  }
}
