package dev.gossamer.pruned.corpus;

import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.pruned.layers.Shape;

/// Argument checks of both kinds of corpus.
final class Requests {
  private Requests() {}

  static void batch(int batch, int begin, int count, long step) {
    if (step < 0 || begin < 0 || begin + (long) count > batch) {
      throw new IllegalArgumentException(
          "training samples: expected positions in a batch of %d and a step from 0, found %d..%d of step %d"
              .formatted(batch, begin, begin + (long) count - 1, step));
    }
  }

  static void evaluation(Part part, long size, long first, int count, int room) {
    if (first < 0 || count < 0 || count > room || first + count > size) {
      throw new IllegalArgumentException(
          "evaluation: expected samples of the %d in the %s part and room for them, found %d..%d and room for %d"
              .formatted(size, part, first, first + count - 1, room));
    }
  }

  static void inputs(Shape shape, int ids, int count, DenseMatrix inputs) {
    if (count < 0
        || count > ids
        || inputs.cols() != shape.channels()
        || inputs.rows() < (long) count * shape.positions()) {
      throw new IllegalArgumentException(
          "inputs: %d of %d samples of %s need %d x %d, found %s"
              .formatted(
                  count, ids, shape, (long) count * shape.positions(), shape.channels(), inputs));
    }
  }

  static void labels(int perSample, int ids, int count, int room) {
    if (count < 0 || count > ids || (long) count * perSample > room) {
      throw new IllegalArgumentException(
          "labels: %d of %d samples need room for %d, found %d"
              .formatted(count, ids, (long) count * perSample, room));
    }
  }
}
