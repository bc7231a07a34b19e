package dev.gossamer.graph.format;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;

/// Vertex ids with gaps between them, which are numbered from 0 in ascending order. Heap memory:
/// 1.5 bits for each number up to the largest id, and 4 bytes per id for the names.
final class GappedIds {
  /// A bit for each number that is an id.
  private long[] words = new long[64];

  /// Number of ids in earlier words, after [#number].
  private int[] before = new int[0];

  private int count;

  void add(int id) {
    int word = id >> 6;
    if (word >= words.length) {
      words = Arrays.copyOf(words, Math.max(word + 1, words.length + (words.length >> 1)));
    }
    words[word] |= 1L << id;
  }

  /// Numbers the ids that were added.
  ///
  /// @return the number of ids
  int number() {
    before = new int[words.length];
    count = 0;
    for (int word = 0; word < words.length; word++) {
      before[word] = count;
      count += Long.bitCount(words[word]);
    }
    return count;
  }

  /// The number of an id that was added.
  int numberOf(int id) {
    int word = id >> 6;
    return before[word] + Long.bitCount(words[word] & ((1L << id) - 1));
  }

  /// The ids as names of the vertices.
  List<String> names() {
    int[] ids = new int[count];
    int next = 0;
    for (int word = 0; word < words.length; word++) {
      for (long bits = words[word]; bits != 0; bits &= bits - 1) {
        ids[next++] = (word << 6) + Long.numberOfTrailingZeros(bits);
      }
    }
    return new Names(ids);
  }

  private static final class Names extends AbstractList<String> implements RandomAccess {
    private final int[] ids;

    Names(int[] ids) {
      this.ids = ids;
    }

    @Override
    public String get(int vertex) {
      return Integer.toString(ids[vertex]);
    }

    @Override
    public int size() {
      return ids.length;
    }
  }

  /// The same arcs between the numbers of the ids.
  Arcs renumbered(Arcs arcs) {
    return new Arcs() {
      @Override
      public long size() {
        return arcs.size();
      }

      @Override
      public long loops() {
        return arcs.loops();
      }

      @Override
      public boolean weighted() {
        return arcs.weighted();
      }

      @Override
      public void forEach(Sink sink) {
        arcs.forEach(
            (source, target, weight) -> sink.arc(numberOf(source), numberOf(target), weight));
      }
    };
  }
}
