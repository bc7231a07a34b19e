package dev.gossamer.exchange;

/// The width of exchanged rows: a matrix with more columns than this is multiplied in blocks of
/// columns, one after the other, each with its own messages. Results are bit-identical and the same
/// bytes are sent; the memory for remote rows shrinks by the factor by which the number of messages
/// grows, and the entries of the graph are read again for each block.
///
/// @param widest maximum number of columns of a matrix
/// @param atOnce maximum number of columns that are sent together, at least 1 and at most the
///   widest
public record ExchangeWidth(int widest, int atOnce) {
  /// Checks the widths.
  ///
  /// @throws IllegalArgumentException if the number of columns is not in `1..widest`
  public ExchangeWidth {
    if (atOnce > widest || atOnce < 1) {
      throw new IllegalArgumentException(
          "exchange: %d of %d columns at once; expected 1 to %d".formatted(atOnce, widest, widest));
    }
  }

  /// {@return the width with which rows are sent whole}
  ///
  /// @param widest maximum number of columns of a matrix
  public static ExchangeWidth whole(int widest) {
    return new ExchangeWidth(widest, widest);
  }

  /// {@return whether the widest matrix is sent in blocks}
  public boolean isDivided() {
    return atOnce < widest;
  }
}
