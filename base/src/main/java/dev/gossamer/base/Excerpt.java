package dev.gossamer.base;

/// Shortens text for messages: keeps its beginning and its end, because messages begin with the
/// position and end with the remedy.
public final class Excerpt {
  /// Maximum number of characters that are kept.
  public static final int LONGEST = 1200;

  private static final String GAP = " ...(%d characters left out)... ";

  /// Shorter than the rest of [#LONGEST] by a gap with the largest number.
  private static final int END = 300;

  private static final int BEGINNING = LONGEST - END - GAP.length() - 10;

  private Excerpt() {}

  /// {@return the text, shortened to at most [#LONGEST] characters}
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
