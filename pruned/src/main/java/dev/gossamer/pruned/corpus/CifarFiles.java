package dev.gossamer.pruned.corpus;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.pruned.layers.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The binary files of CIFAR-10 (A. Krizhevsky, *Learning multiple layers of features from tiny
/// images*, 2009): records of a label and three planes, red, green and blue, of 32 x 32 bytes.
final class CifarFiles {
  static final Shape SHAPE = new Shape(32, 32, 3);
  static final int CLASSES = 10;

  private static final int BATCHES = 5;
  private static final int PLANE = 32 * 32;
  private static final int RECORD = 1 + 3 * PLANE;

  private CifarFiles() {}

  static boolean isName(String name) {
    return name.matches("(data_batch_[1-5]|test_batch)\\.bin.*");
  }

  /// @param arena owner of the memory
  static ImageSet train(Arena arena, Folder folder) {
    List<Path> files = new ArrayList<>();
    for (int i = 1; i <= BATCHES; i++) {
      files.add(file(folder, "data_batch_" + i));
    }
    return read(arena, files);
  }

  /// @param arena owner of the memory
  static ImageSet test(Arena arena, Folder folder) {
    return read(arena, List.of(file(folder, "test_batch")));
  }

  private static Path file(Folder folder, String name) {
    return folder.the(name + "\\.bin", name + ".bin");
  }

  private static ImageSet read(Arena arena, List<Path> files) {
    try (Arena temporary = Arena.ofConfined()) {
      List<MemorySegment> contents = new ArrayList<>();
      long count = 0;
      for (Path file : files) {
        MemorySegment content = InputBytes.of(temporary, file);
        requireRecords(file, content);
        contents.add(content);
        count += content.byteSize() / RECORD;
      }
      MemorySegment pixels = arena.allocate(count * SHAPE.elements());
      MemorySegment labels = arena.allocate(count);
      long at = 0;
      for (MemorySegment content : contents) {
        for (long from = 0; from < content.byteSize(); from += RECORD) {
          labels.set(ValueLayout.JAVA_BYTE, at, content.get(ValueLayout.JAVA_BYTE, from));
          interleave(content, from + 1, pixels, at * SHAPE.elements());
          at++;
        }
      }
      return new ImageSet(SHAPE, pixels, labels);
    }
  }

  private static void requireRecords(Path file, MemorySegment content) {
    long bytes = content.byteSize();
    if (bytes == 0 || bytes % RECORD != 0) {
      throw new InvalidInputException(
          "%s: expected records of %d bytes, found %d bytes; download the file again"
              .formatted(file, RECORD, bytes));
    }
    for (long record = 0; record < bytes / RECORD; record++) {
      int label = content.get(ValueLayout.JAVA_BYTE, record * RECORD) & 0xff;
      if (label >= CLASSES) {
        throw new InvalidInputException(
            "%s: record %d: expected a class in 0..%d, found %d"
                .formatted(file, record, CLASSES - 1, label));
      }
    }
  }

  private static void interleave(MemorySegment planes, long from, MemorySegment to, long at) {
    for (int pixel = 0; pixel < PLANE; pixel++) {
      for (int channel = 0; channel < 3; channel++) {
        to.set(
            ValueLayout.JAVA_BYTE,
            at + 3L * pixel + channel,
            planes.get(ValueLayout.JAVA_BYTE, from + (long) channel * PLANE + pixel));
      }
    }
  }
}
