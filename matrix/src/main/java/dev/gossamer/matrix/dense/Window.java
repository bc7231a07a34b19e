package dev.gossamer.matrix.dense;

import dev.gossamer.base.Workers;
import dev.gossamer.base.memory.Memory;
import dev.gossamer.matrix.DenseMatrix;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/// A window that moves over images, for convolutions and poolings.
///
/// A batch of images is a matrix with a row for each position, line by line, one image after the
/// other, and a column for each channel. The window at output position `(i, j)` covers the input
/// positions `(i stride - padding + a, j stride - padding + b)` for `a < down`, `b < across`;
/// positions outside the image are zero, or are left out by the maximum.
///
/// @param height of an image, in positions
/// @param width of an image, in positions
/// @param channels of a position
/// @param down positions that the window covers vertically
/// @param across positions that it covers horizontally
/// @param stride positions from one window to the next
/// @param padding positions around an image that windows may cover
public record Window(
    int height, int width, int channels, int down, int across, int stride, int padding) {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;
  private static final int LANES = SPECIES.length();
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  /// Checks the sizes.
  ///
  /// @throws IllegalArgumentException if a size is less than 1, the padding is negative or as large
  ///   as the window, the window is larger than the padded image, or that has 2^31 values
  public Window {
    boolean positive =
        height > 0 && width > 0 && channels > 0 && down > 0 && across > 0 && stride > 0;
    if (!positive || padding < 0 || padding >= Math.min(down, across)) {
      throw new IllegalArgumentException(
          "window: expected positive sizes and a padding below the window's, found %d x %d over "
                  .formatted(down, across)
              + "%d x %d x %d, stride %d, padding %d"
                  .formatted(height, width, channels, stride, padding));
    }
    if ((height + 2.0 * padding) * (width + 2.0 * padding) * channels >= 0x1p31) {
      throw new IllegalArgumentException(
          "window: expected fewer than 2^31 values of an image with its padding, found %d x %d x %d and padding %d"
              .formatted(height, width, channels, padding));
    }
    if (height + 2 * padding < down || width + 2 * padding < across) {
      throw new IllegalArgumentException(
          "window: %d x %d does not fit an image of %d x %d with padding %d"
              .formatted(down, across, height, width, padding));
    }
  }

  /// {@return the number of lines of the output}
  public int outHeight() {
    return (height + 2 * padding - down) / stride + 1;
  }

  /// {@return the number of positions of a line of the output}
  public int outWidth() {
    return (width + 2 * padding - across) / stride + 1;
  }

  /// {@return the number of elements that a window covers}
  public int covered() {
    return Math.multiplyExact(Math.multiplyExact(down, across), channels);
  }

  /// Copies the elements that the windows of given output lines cover: a row for each window, its
  /// positions line by line.
  ///
  /// @param x images
  /// @param first line of the output of the whole batch
  /// @param lines number of output lines
  /// @param columns `lines outWidth x covered`, overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public void gather(DenseMatrix x, long first, int lines, DenseMatrix columns, Workers w) {
    checkColumns(x, first, lines, columns);
    long from = Memory.address(x.data(), 0, x.offset(x.rows()));
    long to = Memory.address(columns.data(), 0, columns.offset(columns.rows()));
    w.run(
        lines,
        (line, worker) -> {
          long image = from + imageBytes() * ((first + line) / outHeight());
          int top = (int) ((first + line) % outHeight()) * stride - padding;
          long target = to + columns.offset((long) line * outWidth());
          for (int i = 0; i < outWidth(); i++) {
            for (int a = 0; a < down; a++) {
              copyLine(image, top + a, i * stride - padding, target);
              target += bytes(across * channels);
            }
          }
        },
        x.data(),
        columns.data());
  }

  /// What a window covers of one line of an image, zeros outside.
  private void copyLine(long image, int line, int left, long to) {
    if (line < 0 || line >= height) {
      zero(to, across * channels);
      return;
    }
    int begin = Math.max(0, -left);
    int end = Math.min(across, width - left);
    zero(to, begin * channels);
    copy(
        image + bytes((line * width + left + begin) * channels),
        to + bytes(begin * channels),
        (end - begin) * channels);
    zero(to + bytes(end * channels), (across - end) * channels);
  }

  /// Computes the transpose of [#gather]: adds each row to the positions that its window covers.
  /// Sums have a fixed order.
  ///
  /// @param columns `lines outWidth x covered`
  /// @param first line of the output of the whole batch
  /// @param lines number of output lines
  /// @param g images, added to
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public void scatter(DenseMatrix columns, long first, int lines, DenseMatrix g, Workers w) {
    checkColumns(g, first, lines, columns);
    if (lines == 0) {
      return;
    }
    long from = Memory.address(columns.data(), 0, columns.offset(columns.rows()));
    long to = Memory.address(g.data(), 0, g.offset(g.rows()));
    long image = first / outHeight();
    long images = (first + lines - 1) / outHeight() - image + 1;
    w.run(
        Math.toIntExact(images * height),
        (task, worker) -> {
          long own = image + task / height;
          int line = task % height;
          long target = to + own * imageBytes() + bytes(line * width * channels);
          for (int a = 0; a < down; a++) {
            int above = line + padding - a;
            long out = own * outHeight() + above / stride - first;
            boolean inside = above >= 0 && above % stride == 0 && above / stride < outHeight();
            if (inside && out >= 0 && out < lines) {
              addLine(
                  from + columns.offset(out * outWidth()) + bytes(a * across * channels), target);
            }
          }
        },
        columns.data(),
        g.data());
  }

  /// Adds one line of each window of a line of the output to a line of an image.
  private void addLine(long columns, long g) {
    for (int i = 0; i < outWidth(); i++) {
      int left = i * stride - padding;
      int begin = Math.max(0, -left);
      int end = Math.min(across, width - left);
      long at = g + bytes((left + begin) * channels);
      long part = columns + (long) i * covered() * Float.BYTES + bytes(begin * channels);
      Elementwise.add(at, part, at, (end - begin) * channels);
    }
  }

  /// Computes the maximum of each channel over each window. NaN if any element is NaN.
  ///
  /// @param x images
  /// @param y a row for each window, overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public void max(DenseMatrix x, DenseMatrix y, Workers w) {
    int images = checkPooling(x, y);
    long from = Memory.address(x.data(), 0, x.offset(x.rows()));
    long to = Memory.address(y.data(), 0, y.offset(y.rows()));
    w.run(
        Math.multiplyExact(images, outHeight()),
        (task, worker) -> {
          long image = from + imageBytes() * (task / outHeight());
          for (int i = 0; i < outWidth(); i++) {
            long target = to + y.offset((long) task * outWidth() + i);
            for (int j = 0; j < channels; j += LANES) {
              highest(image, task % outHeight(), i, j, target + bytes(j));
            }
          }
        },
        x.data(),
        y.data());
  }

  private void highest(long image, int line, int place, int channel, long to) {
    VectorMask<Float> lanes = SPECIES.indexInRange(channel, channels);
    int left = place * stride - padding;
    FloatVector highest = FloatVector.broadcast(SPECIES, Float.NEGATIVE_INFINITY);
    for (int a = firstLine(line); a < lastLine(line); a++) {
      for (int b = Math.max(0, left); b < Math.min(width, left + across); b++) {
        highest = highest.max(load(image + bytes((a * width + b) * channels + channel), lanes));
      }
    }
    highest.intoMemorySegment(Memory.ALL, Memory.at(to), ORDER, lanes);
  }

  /// The first line of an image that a line of windows covers.
  private int firstLine(int line) {
    return Math.max(0, line * stride - padding);
  }

  /// The line of an image after the last that a line of windows covers.
  private int lastLine(int line) {
    return Math.min(height, line * stride - padding + down);
  }

  /// Computes the gradient of [#max]: the gradient of a window goes to the first position that has
  /// the maximum.
  ///
  /// @param x input of [#max]
  /// @param y output of [#max]
  /// @param t gradient of `y`
  /// @param g gradient of `x`, overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public void maxGradient(DenseMatrix x, DenseMatrix y, DenseMatrix t, DenseMatrix g, Workers w) {
    int images = checkPooling(x, y);
    checkPooling(g, t);
    long from = Memory.address(x.data(), 0, x.offset(x.rows()));
    long highest = Memory.address(y.data(), 0, y.offset(y.rows()));
    long above = Memory.address(t.data(), 0, t.offset(t.rows()));
    long to = Memory.address(g.data(), 0, g.offset(g.rows()));
    w.run(
        images,
        (image, worker) -> {
          long at = image * imageBytes();
          zero(to + at, height * width * channels);
          for (int i = 0; i < outHeight() * outWidth(); i++) {
            long row = y.offset((long) image * outHeight() * outWidth() + i);
            for (int j = 0; j < channels; j += LANES) {
              long shift = row + bytes(j);
              toHighest(from + at, i, j, highest + shift, above + shift, to + at);
            }
          }
        },
        x.data(),
        y.data(),
        t.data(),
        g.data());
  }

  private void toHighest(long x, int place, int channel, long y, long t, long g) {
    VectorMask<Float> open = SPECIES.indexInRange(channel, channels);
    FloatVector highest = load(y, open);
    FloatVector above = load(t, open);
    int line = place / outWidth();
    int left = place % outWidth() * stride - padding;
    for (int a = firstLine(line); a < lastLine(line); a++) {
      for (int b = Math.max(0, left); b < Math.min(width, left + across); b++) {
        long shift = bytes((a * width + b) * channels + channel);
        VectorMask<Float> here =
            load(x + shift, open).compare(VectorOperators.EQ, highest).and(open);
        load(g + shift, here)
            .add(above)
            .intoMemorySegment(Memory.ALL, Memory.at(g + shift), ORDER, here);
        open = open.andNot(here);
      }
    }
  }

  /// Computes the mean of each channel over each window; positions outside an image count as zeros.
  ///
  /// @param x images
  /// @param y a row for each window, overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public void mean(DenseMatrix x, DenseMatrix y, Workers w) {
    int images = checkPooling(x, y);
    long from = Memory.address(x.data(), 0, x.offset(x.rows()));
    long to = Memory.address(y.data(), 0, y.offset(y.rows()));
    w.run(
        Math.multiplyExact(images, outHeight()),
        (task, worker) -> {
          long image = from + imageBytes() * (task / outHeight());
          for (int i = 0; i < outWidth(); i++) {
            long target = to + y.offset((long) task * outWidth() + i);
            for (int j = 0; j < channels; j += LANES) {
              mean(image, task % outHeight(), i, j, target + bytes(j));
            }
          }
        },
        x.data(),
        y.data());
  }

  private void mean(long image, int line, int place, int channel, long to) {
    VectorMask<Float> lanes = SPECIES.indexInRange(channel, channels);
    int left = place * stride - padding;
    FloatVector sum = FloatVector.zero(SPECIES);
    for (int a = firstLine(line); a < lastLine(line); a++) {
      for (int b = Math.max(0, left); b < Math.min(width, left + across); b++) {
        sum = sum.add(load(image + bytes((a * width + b) * channels + channel), lanes));
      }
    }
    sum.mul(1f / (down * across)).intoMemorySegment(Memory.ALL, Memory.at(to), ORDER, lanes);
  }

  /// Computes the gradient of [#mean], which is divided equally among the positions of a window.
  ///
  /// @param t gradient of the means
  /// @param g gradient of the images, overwritten
  /// @param w threads that share the work
  /// @throws IllegalArgumentException if the shapes do not fit
  public void meanGradient(DenseMatrix t, DenseMatrix g, Workers w) {
    int images = checkPooling(g, t);
    long above = Memory.address(t.data(), 0, t.offset(t.rows()));
    long to = Memory.address(g.data(), 0, g.offset(g.rows()));
    w.run(
        images,
        (image, worker) -> {
          long at = to + image * imageBytes();
          zero(at, height * width * channels);
          for (int i = 0; i < outHeight() * outWidth(); i++) {
            long row = above + t.offset((long) image * outHeight() * outWidth() + i);
            for (int j = 0; j < channels; j += LANES) {
              toAll(i, j, row + bytes(j), at);
            }
          }
        },
        t.data(),
        g.data());
  }

  private void toAll(int place, int channel, long t, long g) {
    VectorMask<Float> lanes = SPECIES.indexInRange(channel, channels);
    FloatVector part = load(t, lanes).mul(1f / (down * across));
    int line = place / outWidth();
    int left = place % outWidth() * stride - padding;
    for (int a = firstLine(line); a < lastLine(line); a++) {
      for (int b = Math.max(0, left); b < Math.min(width, left + across); b++) {
        long at = g + bytes((a * width + b) * channels + channel);
        load(at, lanes).add(part).intoMemorySegment(Memory.ALL, Memory.at(at), ORDER, lanes);
      }
    }
  }

  private void checkColumns(DenseMatrix images, long first, int lines, DenseMatrix columns) {
    long count = images.rows() / ((long) height * width);
    if (images.cols() != channels
        || count * height * width != images.rows()
        || first < 0
        || first + lines > count * outHeight()
        || columns.rows() != (long) lines * outWidth()
        || columns.cols() != covered()) {
      throw new IllegalArgumentException(
          "windows: images are %s, columns are %s, lines %d..%d of %s"
              .formatted(images, columns, first, first + lines, this));
    }
  }

  private int checkPooling(DenseMatrix x, DenseMatrix y) {
    long count = x.rows() / ((long) height * width);
    if (x.cols() != channels
        || y.cols() != channels
        || count * height * width != x.rows()
        || count * outHeight() * outWidth() != y.rows()) {
      throw new IllegalArgumentException(
          "pooling: images are %s, the result is %s, of %s".formatted(x, y, this));
    }
    return Math.toIntExact(count);
  }

  private long imageBytes() {
    return (long) height * width * channels * Float.BYTES;
  }

  /// Positions inside an image and its windows fit 32 bits.
  private static long bytes(int floats) {
    return (long) floats * Float.BYTES;
  }

  private static void zero(long at, int count) {
    FloatVector zero = FloatVector.zero(SPECIES);
    int i = 0;
    for (; i + LANES <= count; i += LANES) {
      zero.intoMemorySegment(Memory.ALL, Memory.at(at + bytes(i)), ORDER);
    }
    if (i < count) {
      VectorMask<Float> rest = SPECIES.indexInRange(i, count);
      zero.intoMemorySegment(Memory.ALL, Memory.at(at + bytes(i)), ORDER, rest);
    }
  }

  private static void copy(long from, long to, int count) {
    int i = 0;
    for (; i + LANES <= count; i += LANES) {
      FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(from + bytes(i)), ORDER)
          .intoMemorySegment(Memory.ALL, Memory.at(to + bytes(i)), ORDER);
    }
    if (i < count) {
      VectorMask<Float> rest = SPECIES.indexInRange(i, count);
      load(from + bytes(i), rest)
          .intoMemorySegment(Memory.ALL, Memory.at(to + bytes(i)), ORDER, rest);
    }
  }

  private static FloatVector load(long address, VectorMask<Float> lanes) {
    return FloatVector.fromMemorySegment(SPECIES, Memory.ALL, Memory.at(address), ORDER, lanes);
  }
}
