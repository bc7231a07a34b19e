package dev.gossamer.pruned.corpus;

/// Memory that a process needs for a corpus, on and off the Java heap. It depends only on the sizes
/// of the data, so that it is the same in every run.
///
/// @param held bytes while it is open
/// @param opening peak bytes while it is opened, and afterwards
public record CorpusMemory(long held, long opening) {
  /// No memory.
  public static final CorpusMemory NONE = new CorpusMemory(0, 0);

  /// {@return a copy with more permanent memory}
  ///
  /// @param bytes to add
  public CorpusMemory plus(long bytes) {
    return new CorpusMemory(held + bytes, opening + bytes);
  }

  /// {@return an even share}
  ///
  /// @param ranks that share it
  public CorpusMemory share(int ranks) {
    return new CorpusMemory(held / ranks, opening / ranks);
  }
}
