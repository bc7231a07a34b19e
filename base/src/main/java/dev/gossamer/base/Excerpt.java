package dev.gossamer.base;

/// What of a text of any length goes into a message: all of it, or its beginning and its end. In
/// messages the place stands at the beginning, and the remedy at the end.
public final class Excerpt {
  /// The most characters that are left.
  public static final int LONGEST = 1200;

  private static final String GAP = " ...(%d characters left out)... ";

  /// Shorter than the rest of [#LONGEST] by a gap with the largest number.
  private static final int END = 300;

  private static final int BEGINNING = LONGEST - END - GAP.length() - 10;

  private Excerpt() {}

  /// {@return the text, or so much of it that it has at most [#LONGEST] characters}
  ///
  /// @param text of any length
  public static String of(String text) {
    if (text.length() <= LONGEST) {
      return text;
    }
    int left = text.length() - BEGINNING - END;
    return text.substring(0, BEGINNING) + GAP.formatted(left) + text.substring(text.length() - END);
  }
}
