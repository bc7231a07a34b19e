package dev.gossamer.graph.format;

/// Counts the Java heap of a reader, and stops it before garbage collection dominates. Not
/// thread-safe.
final class HeapBudget {
  /// A string, its bytes and a place in a list or map.
  private static final long PER_TEXT = 112;

  private final String what;
  private final long most;
  private long taken;

  private HeapBudget(String what, long most) {
    this.what = what;
    this.most = most;
  }

  /// Half of the heap.
  ///
  /// @param what is kept, for the message
  static HeapBudget of(String what) {
    return new HeapBudget(what, Runtime.getRuntime().maxMemory() / 2);
  }

  /// The same, and no more than this.
  HeapBudget atMost(long bytes) {
    return new HeapBudget(what, Math.min(most, bytes));
  }

  /// @param bytes about what is kept from now on
  /// @throws OutOfMemoryError if it is too much together with what was kept before
  void take(long bytes) {
    taken += bytes;
    if (taken > most) {
      throw new OutOfMemoryError("%s need more than %d bytes of Java heap".formatted(what, most));
    }
  }

  /// Reserves the memory of a text of this number of characters.
  void takeText(int characters) {
    take(PER_TEXT + characters);
  }
}
