package dev.gossamer.graph.format;

import dev.gossamer.base.Resources;
import dev.gossamer.matrix.DenseMatrix;
import java.nio.file.Path;

/// Dense features in a text, gzipped or not: a line of comma-separated numbers for each vertex.
final class TextRows implements FileRows {
  private final FieldScanner in;
  private final int vertices;
  private final int width;

  private TextRows(FieldScanner in, int vertices, int width) {
    this.in = in;
    this.vertices = vertices;
    this.width = width;
  }

  /// Opens a text whose first line says how many features there are.
  ///
  /// @param n number of vertices
  static TextRows open(Path file, int n) {
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
            throw in.wrong("the features of vertex 0", "nothing");
          }
          in.rewind();
          return new TextRows(in, n, width);
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
        throw in.wrong(vertices + " lines, one for each vertex", Long.toString(begin + v));
      }
      for (int f = 0; f < width; f++) {
        block.set(v, f, in.nextReal("a finite number"));
      }
      in.requireEndOfLine();
    }
    if (begin + block.rows() == vertices) {
      in.requireEndOfFile();
    }
  }

  @Override
  public void close() {
    in.close();
  }
}
