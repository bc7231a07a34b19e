package dev.gossamer.pruned.corpus;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.pruned.layers.Shape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Images of one shape with their classes, in the format of files.
///
/// @param pixels `count` images, each `height x width x channels` bytes; borrowed
/// @param labels a byte for each image; borrowed
record ImageSet(Shape shape, MemorySegment pixels, MemorySegment labels) {
  long count() {
    return labels.byteSize();
  }

  long bytes() {
    return pixels.byteSize() + labels.byteSize();
  }

  int label(long image) {
    return labels.get(ValueLayout.JAVA_BYTE, image) & 0xff;
  }

  /// One more than the largest class.
  int classes() {
    int largest = 0;
    for (long i = 0; i < count(); i++) {
      largest = Math.max(largest, label(i));
    }
    return largest + 1;
  }

  /// @param place file that the labels are from, as messages name it
  /// @throws InvalidInputException if a label is not one of `classes` classes
  void requireClasses(String place, int classes) {
    for (long i = 0; i < count(); i++) {
      if (label(i) >= classes) {
        throw new InvalidInputException(
            "%s: label %d: expected a class in 0..%d, found %d"
                .formatted(place, i, classes - 1, label(i)));
      }
    }
  }
}
