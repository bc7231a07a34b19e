package dev.gossamer.pruned.corpus;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.Resources;
import dev.gossamer.base.io.InputFile;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/// Opens texts and images in all supported formats (see `docs/formats.md`). Every error in a file
/// is an [InvalidInputException] of one line.
public final class Corpora {
  /// The name of the built-in text on the command line.
  public static final String JDK_TEXT = JdkText.NAME;

  /// Memory that creating the built-in text takes in a process in addition to the corpus: pages of
  /// the JDK's classes, compiled code, and garbage on the heap. Measured: 100 to 135 MiB, even if
  /// created twice.
  public static final long JDK_TEXT_BYTES = 150L << 20;

  private static final String TEXT_NAME = ".*\\.(txt|text|tokens|raw)|[^.]*(train|valid|test)[^.]*";
  private static final String TRAIN_NAME = "(?i).*train.*";
  private static final int HEAD = 512;

  private Corpora() {}

  /// Opens a file or folder. The format is recognised by its content.
  ///
  /// @param path file or folder
  /// @param tokens of a text; ignored for images
  /// @param length tokens per window, at least 1; ignored for images
  /// @param progress notified of the bytes of text that have been tokenised
  /// @return the corpus, which the caller closes
  /// @throws InvalidInputException if there is nothing usable
  public static Corpus open(Path path, Tokens tokens, int length, ReadingProgress progress) {
    return InputFile.reading(path, () -> opened(path, tokens, length, progress));
  }

  private static Corpus opened(Path path, Tokens tokens, int length, ReadingProgress progress) {
    if (Files.isDirectory(path)) {
      Folder folder = Folder.of(path);
      if (folder.files().stream().anyMatch(file -> IdxFiles.isName(Folder.name(file)))) {
        return idx(folder);
      }
      if (folder.files().stream().anyMatch(file -> CifarFiles.isName(Folder.name(file)))) {
        return cifar(folder);
      }
      return texts(folder, tokens, length, progress);
    }
    if (!Files.exists(path)) {
      throw new InvalidInputException(
          "%s: expected a text, or a folder of texts or images, found nothing; check the name"
              .formatted(path));
    }
    refuse(path);
    try (Arena temporary = Arena.ofShared()) {
      TextSlice slice = slice(temporary, path);
      Map<Part, List<TextSlice>> parts = new WholeText(List.of(slice)).split();
      return TextCorpus.of(path.toString(), name(path), parts, tokens, length, progress);
    }
  }

  /// Returns the built-in text: the declarations of the module `java.base` of the running JDK, one
  /// class, field or method per line, sorted, split like a file.
  ///
  /// @param tokens of the text
  /// @param length tokens per window, at least 1
  /// @param progress notified of the bytes of text that have been tokenised
  /// @return the corpus, which the caller closes
  public static TextCorpus jdkText(Tokens tokens, int length, ReadingProgress progress) {
    Map<Part, List<TextSlice>> parts = new WholeText(List.of(JdkText.slice())).split();
    return TextCorpus.of(JDK_TEXT, JDK_TEXT, parts, tokens, length, progress);
  }

  private static ImageCorpus idx(Folder folder) {
    return Resources.handedOver(
        Arena.ofShared(),
        arena -> {
          boolean t10k = folder.matching("test-images.*").isEmpty();
          ImageSet train = IdxFiles.read(arena, folder, "train");
          ImageSet test = IdxFiles.read(arena, folder, t10k ? "t10k" : "test");
          return images(folder, arena, train, test, train.classes(), 0);
        });
  }

  private static ImageCorpus cifar(Folder folder) {
    return Resources.handedOver(
        Arena.ofShared(),
        arena -> {
          ImageSet train = CifarFiles.train(arena, folder);
          ImageSet test = CifarFiles.test(arena, folder);
          return images(folder, arena, train, test, CifarFiles.CLASSES, train.bytes());
        });
  }

  /// @param temporary bytes that are gone once the images are there
  private static ImageCorpus images(
      Folder folder, Arena arena, ImageSet train, ImageSet test, int classes, long temporary) {
    return new ImageCorpus(
        folder.path().toString(), name(folder.path()), arena, train, test, classes, temporary);
  }

  private static TextCorpus texts(
      Folder folder, Tokens tokens, int length, ReadingProgress progress) {
    List<Path> all = folder.matching(TEXT_NAME);
    if (all.isEmpty()) {
      throw new InvalidInputException(
          "%s: expected texts (NAME.txt, NAME.tokens, NAME.raw), IDX images (train-images-idx3-ubyte) or CIFAR-10 batches (data_batch_1.bin), found %d other files"
              .formatted(folder.path(), folder.files().size()));
    }
    try (Arena temporary = Arena.ofShared()) {
      Map<Part, List<TextSlice>> parts =
          namesParts(all) ? named(temporary, folder, all) : whole(temporary, all).split();
      return TextCorpus.of(
          folder.path().toString(), name(folder.path()), parts, tokens, length, progress);
    }
  }

  /// Whether the names of several files say which part each is.
  private static boolean namesParts(List<Path> files) {
    return files.size() > 1
        && files.stream().anyMatch(file -> Folder.name(file).matches(TRAIN_NAME));
  }

  private static Map<Part, List<TextSlice>> named(Arena arena, Folder folder, List<Path> files) {
    Map<Part, List<Path>> byPart = new EnumMap<>(Part.class);
    for (Path file : files) {
      byPart.computeIfAbsent(part(folder, file), _ -> new ArrayList<>()).add(file);
    }
    if (!byPart.containsKey(Part.VALIDATION)) {
      throw new InvalidInputException(
          "%s: expected a text to validate with, found none with 'valid' in its name; add one, or give the one file to have it split"
              .formatted(folder.path()));
    }
    Map<Part, List<TextSlice>> parts = new EnumMap<>(Part.class);
    byPart.forEach((part, some) -> parts.put(part, whole(arena, some).slices()));
    return parts;
  }

  /// The part that a file's name tells; a file of none or two would be lost, or learnt from and
  /// tested with.
  private static Part part(Folder folder, Path file) {
    String name = Folder.name(file).toLowerCase(Locale.ROOT);
    List<Part> told = Stream.of(Part.values()).filter(part -> name.contains(part.word())).toList();
    if (told.size() != 1) {
      throw new InvalidInputException(
          "%s: expected one of train, valid and test in the name of each text, as one has train, found %s; rename it or move it away"
              .formatted(folder.path(), file.getFileName()));
    }
    return told.getFirst();
  }

  private static WholeText whole(Arena arena, List<Path> files) {
    return new WholeText(files.stream().map(file -> slice(arena, file)).toList());
  }

  private static TextSlice slice(Arena arena, Path file) {
    TextSlice slice = new TextSlice(file.toString(), 0, InputBytes.of(arena, file));
    if (slice.bytes().byteSize() == 0) {
      throw new InvalidInputException("%s: expected text, found an empty file".formatted(file));
    }
    return slice;
  }

  /// Says what is the matter with what people give by mistake.
  private static void refuse(Path file) {
    byte[] head = InputBytes.head(file, HEAD);
    String name = Folder.name(file);
    String found = null;
    if (head.length > 3 && head[0] == 0 && head[1] == 0 && head[2] == 8) {
      found = "an IDX file, one of four; give their folder";
    } else if (CifarFiles.isName(name)) {
      found = "one batch of CIFAR-10; give the folder";
    } else if (head.length > 3 && head[0] == 'P' && head[1] == 'K' && head[2] < ' ') {
      found = "a zip archive; unpack it";
    }
    if (found != null) {
      throw new InvalidInputException("%s: expected a text, found %s".formatted(file, found));
    }
  }

  private static String name(Path path) {
    Path normal = path.toAbsolutePath().normalize();
    return normal.getFileName() == null ? normal.toString() : Folder.name(normal);
  }
}
