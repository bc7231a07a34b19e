package dev.gossamer.graph.format;

import dev.gossamer.base.Resources;
import dev.gossamer.matrix.DenseMatrix;
import java.nio.file.Path;

/// Dense features in a text, gzipped or not: a line of comma-separated numbers for each vertex or
/// edge.
final class TextRows implements FileRows {
  private final FieldScanner in;
  private final long rows;
  private final String what;
  private final int width;

  private TextRows(FieldScanner in, long rows, String what, int width) {
    this.in = in;
    this.rows = rows;
    this.what = what;
    this.width = width;
  }

  /// Opens a text whose first line says how many features there are.
  ///
  /// @param rows number of vertices or edges
  /// @param what one of them, for messages
  static TextRows open(Path file, long rows, String what) {
    return Resources.handedOver(
        new FieldScanner(file),
        in -> {
          in.separator(',');
          int width = 0;
          if (in.nextLine()) {
            while (in.nextField()) {
              width++;
            }
          }
          if (width == 0) {
            throw in.wrong("the features of %s 0".formatted(what), "nothing");
          }
          in.rewind();
          return new TextRows(in, rows, what, width);
        });
  }

  @Override
  public int width() {
    return width;
  }

  @Override
  public void fill(long begin, DenseMatrix block) {
    for (long v = 0; v < block.rows(); v++) {
      // The first line was read when the text was opened.
      if (begin + v > 0 && !in.nextLine()) {
        throw in.wrong("%d lines, one for each %s".formatted(rows, what), Long.toString(begin + v));
      }
      for (int f = 0; f < width; f++) {
        block.set(v, f, in.nextReal("a finite number"));
      }
      in.requireEndOfLine();
    }
    if (begin + block.rows() == rows) {
      in.requireEndOfFile();
    }
  }

  @Override
  public void close() {
    in.close();
  }
}
