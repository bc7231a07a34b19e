package dev.gossamer.pruned.corpus;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.pruned.layers.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.regex.Pattern;

/// Images and labels in the IDX files of MNIST: big-endian int32 sizes behind a magic number, then
/// unsigned bytes.
final class IdxFiles {
  static final int IMAGES = 0x803;
  static final int LABELS = 0x801;

  private static final ValueLayout.OfInt SIZE =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final Pattern IMAGE_NAME = Pattern.compile("(train|t10k|test)-images[-.]idx3.*");

  private IdxFiles() {}

  static boolean isName(String name) {
    return IMAGE_NAME.matcher(name).matches();
  }

  /// @param arena owner of the memory
  /// @param kind `train`, `t10k` or `test`: the prefix of the two file names
  static ImageSet read(Arena arena, Folder folder, String kind) {
    Path images = folder.the(kind + "-images[-.]idx3.*", kind + "-images-idx3-ubyte");
    Path labels = folder.the(kind + "-labels[-.]idx1.*", kind + "-labels-idx1-ubyte");
    MemorySegment pixels = InputBytes.of(arena, images);
    MemorySegment classes = InputBytes.of(arena, labels);
    int[] imageSizes = header(images, pixels, IMAGES, 3);
    int[] labelSizes = header(labels, classes, LABELS, 1);
    if (imageSizes[0] != labelSizes[0]) {
      throw new InvalidInputException(
          "%s: expected a label for each of the %d images of %s, found %d; use the two files of one data set"
              .formatted(labels, imageSizes[0], images.getFileName(), labelSizes[0]));
    }
    return new ImageSet(
        new Shape(imageSizes[1], imageSizes[2], 1), data(pixels, 3), data(classes, 1));
  }

  private static int[] header(Path file, MemorySegment bytes, int magic, int dimensions) {
    long head = headerBytes(dimensions);
    if (bytes.byteSize() < head) {
      throw new InvalidInputException(
          "%s: expected an IDX file with a header of %d bytes, found %d bytes"
              .formatted(file, head, bytes.byteSize()));
    }
    if (bytes.get(SIZE, 0) != magic) {
      throw new InvalidInputException(
          "%s: byte 0: expected the magic number %d of %s, found %d"
              .formatted(
                  file,
                  magic,
                  magic == IMAGES ? "images of unsigned bytes" : "labels of unsigned bytes",
                  bytes.get(SIZE, 0)));
    }
    int[] sizes = new int[dimensions];
    double product = 1;
    for (int i = 0; i < dimensions; i++) {
      sizes[i] = bytes.get(SIZE, (i + 1L) * Integer.BYTES);
      if (sizes[i] < 1) {
        throw new InvalidInputException(
            "%s: size %d: expected at least 1, found %d".formatted(file, i, sizes[i]));
      }
      product *= sizes[i];
    }
    double found = bytes.byteSize() - head;
    if (product != found) {
      throw new InvalidInputException(
          "%s: expected %.0f bytes behind the header, as it says, found %.0f; download the file again"
              .formatted(file, product, found));
    }
    return sizes;
  }

  private static MemorySegment data(MemorySegment bytes, int dimensions) {
    return bytes.asSlice(headerBytes(dimensions));
  }

  private static long headerBytes(int dimensions) {
    return (1L + dimensions) * Integer.BYTES;
  }
}
