package dev.gossamer.graph.generate;

import dev.gossamer.graph.TextHash;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/// A set of tokens as a multi-hot vector: token `t` sets element `h(t) mod width`, where `h` is
/// [TextHash]. Colliding tokens share an element.
final class HashedTokens {
  private final int width;
  private final Set<Integer> indices = new TreeSet<>();

  HashedTokens(int width) {
    this.width = width;
  }

  void add(String token) {
    indices.add(index(token, width));
  }

  /// Adds the words of a Java identifier, each with the prefix: maximal runs of ASCII letters, cut
  /// before a capital that follows a small letter and before the last capital of a row of capitals
  /// if a small letter follows (`toURLString` is `to`, `url`, `string`), in lower case, of at least
  /// two letters.
  void addWords(String prefix, String identifier) {
    int begin = 0;
    for (int at = 0; at <= identifier.length(); at++) {
      if (at == identifier.length() || !isLetter(identifier.charAt(at))) {
        addWord(prefix, identifier, begin, at);
        begin = at + 1;
      } else if (at > begin && startsWord(identifier, at)) {
        addWord(prefix, identifier, begin, at);
        begin = at;
      }
    }
  }

  /// Ascending.
  Set<Integer> indices() {
    return indices;
  }

  static int index(String token, int width) {
    return TextHash.bucket(token, width);
  }

  private void addWord(String prefix, String identifier, int begin, int end) {
    if (end - begin >= 2) {
      add(prefix + identifier.substring(begin, end).toLowerCase(Locale.ROOT));
    }
  }

  private static boolean startsWord(String s, int at) {
    if (!isCapital(s.charAt(at))) {
      return false;
    }
    return isSmall(s.charAt(at - 1)) || (at + 1 < s.length() && isSmall(s.charAt(at + 1)));
  }

  private static boolean isLetter(char c) {
    return isSmall(c) || isCapital(c);
  }

  private static boolean isSmall(char c) {
    return c >= 'a' && c <= 'z';
  }

  private static boolean isCapital(char c) {
    return c >= 'A' && c <= 'Z';
  }
}
