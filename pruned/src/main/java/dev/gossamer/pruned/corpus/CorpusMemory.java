package dev.gossamer.pruned.corpus;

/// What a process takes for a corpus, on the Java heap and outside. It follows from the sizes of
/// the data alone, so that it is the same in every run.
///
/// @param held bytes while it is open
/// @param opening bytes at most at a time while it is opened, and afterwards
public record CorpusMemory(long held, long opening) {
  /// Nothing.
  public static final CorpusMemory NONE = new CorpusMemory(0, 0);

  /// {@return the same, and more that is there all the time}
  ///
  /// @param bytes how many
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
