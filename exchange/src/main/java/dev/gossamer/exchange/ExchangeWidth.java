package dev.gossamer.exchange;

/// How wide what travels is: a matrix with more columns than travel at once is multiplied in blocks
/// of columns, one after the other, each with messages of its own. Its bits are the same, and so
/// are the bytes that travel; what a rank holds of remote rows shrinks by as much as messages
/// multiply, and the entries of the graph are read again for each block.
///
/// @param widest most columns that a matrix will have
/// @param atOnce most columns that travel at once, at least 1 and at most the widest
public record ExchangeWidth(int widest, int atOnce) {
  /// Checks the widths.
  ///
  /// @throws IllegalArgumentException if no column travels, or more than there are
  public ExchangeWidth {
    if (atOnce > widest || atOnce < 1) {
      throw new IllegalArgumentException(
          "exchange: %d of %d columns at once; expected 1 to %d".formatted(atOnce, widest, widest));
    }
  }

  /// {@return rows that travel whole}
  ///
  /// @param widest most columns that a matrix will have
  public static ExchangeWidth whole(int widest) {
    return new ExchangeWidth(widest, widest);
  }

  /// {@return whether the widest matrix travels in blocks}
  public boolean isDivided() {
    return atOnce < widest;
  }
}
