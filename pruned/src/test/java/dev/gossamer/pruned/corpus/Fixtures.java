package dev.gossamer.pruned.corpus;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

/// Small files of each format.
public final class Fixtures {
  private Fixtures() {}

  static Path write(Path folder, String name, byte[] content) {
    try {
      return Files.write(folder.resolve(name), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Path write(Path folder, String name, String text) {
    return write(folder, name, text.getBytes(StandardCharsets.UTF_8));
  }

  static byte[] gzip(byte[] content) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return packed.toByteArray();
  }

  /// Lines of ten bytes: `line 0007` and a line feed.
  static String lines(int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append("line %04d%n".formatted(i).replace(System.lineSeparator(), "\n"));
    }
    return text.toString();
  }

  /// An IDX file whose bytes are `(7 i + seed) % modulus`.
  static byte[] idx(int magic, int modulus, int seed, int... sizes) {
    int bytes = 1;
    for (int size : sizes) {
      bytes *= size;
    }
    ByteBuffer file = ByteBuffer.allocate(4 + 4 * sizes.length + bytes).putInt(magic);
    for (int size : sizes) {
      file.putInt(size);
    }
    for (int i = 0; i < bytes; i++) {
      file.put((byte) ((7 * i + seed) % modulus));
    }
    return file.array();
  }

  /// The four files of `count` images of 3 x 2, and 4 to test.
  public static void mnistLike(Path folder, int count) {
    mnistLike(folder, count, 3, 2);
  }

  /// The four files of `count` images of a size, and 4 to test.
  public static void mnistLike(Path folder, int count, int height, int width) {
    write(
        folder,
        "train-images-idx3-ubyte.gz",
        gzip(idx(IdxFiles.IMAGES, 251, 0, count, height, width)));
    write(folder, "train-labels-idx1-ubyte", idx(IdxFiles.LABELS, 5, 0, count));
    write(folder, "t10k-images-idx3-ubyte", idx(IdxFiles.IMAGES, 251, 3, 4, height, width));
    write(folder, "t10k-labels-idx1-ubyte.gz", gzip(idx(IdxFiles.LABELS, 5, 1, 4)));
  }

  /// CIFAR-10 records: label `record % 10`, byte `i` of the planes `(record + 31 i) % 256`.
  static byte[] cifar(int records) {
    ByteBuffer file = ByteBuffer.allocate(records * 3073);
    for (int record = 0; record < records; record++) {
      file.put((byte) (record % 10));
      for (int i = 0; i < 3072; i++) {
        file.put((byte) (record + 31 * i));
      }
    }
    return file.array();
  }

  static void cifarFolder(Path folder) {
    for (int batch = 1; batch <= 5; batch++) {
      write(folder, "data_batch_%d.bin".formatted(batch), cifar(4 + batch));
    }
    write(folder, "test_batch.bin", cifar(3));
  }
}
