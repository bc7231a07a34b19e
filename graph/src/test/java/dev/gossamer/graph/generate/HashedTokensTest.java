package dev.gossamer.graph.generate;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HashedTokensTest {
  private static final int WIDTH = 1 << 20;

  /// The same formula in unbounded integers.
  private static int expectedIndex(String token, int width) {
    BigInteger two32 = BigInteger.TWO.pow(32);
    BigInteger h = BigInteger.ZERO;
    for (int i = 0; i < token.length(); i++) {
      h = h.multiply(BigInteger.valueOf(31)).add(BigInteger.valueOf(token.charAt(i))).mod(two32);
    }
    h = h.xor(h.shiftRight(16)).multiply(new BigInteger("85ebca6b", 16)).mod(two32);
    h = h.xor(h.shiftRight(13)).multiply(new BigInteger("c2b2ae35", 16)).mod(two32);
    h = h.xor(h.shiftRight(16));
    return h.mod(BigInteger.valueOf(width)).intValue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "toURLString | to url string",
        "hashCode | hash code",
        "$VALUES | values",
        "serialVersionUID | serial version uid",
        "MAX_VALUE_2 | max value",
        "a1b2cd | cd",
        "aBCd | cd",
        "isX | is",
        "readUTF8Line | read utf line",
        "größe | gr",
        "caféBar | caf bar",
      })
  void anIdentifierIsCutIntoItsWords(String identifier, String words) {
    HashedTokens tokens = new HashedTokens(WIDTH);
    tokens.addWords("m:", identifier);
    Set<Integer> expected = new TreeSet<>();
    for (String word : words.split(" ", -1)) {
      expected.add(expectedIndex("m:" + word, WIDTH));
    }
    assertThat(tokens.indices()).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "_", "x", "X1", "é", "12345"})
  void nothingShorterThanTwoLettersIsAWord(String identifier) {
    HashedTokens tokens = new HashedTokens(WIDTH);
    tokens.addWords("m:", identifier);
    assertThat(tokens.indices()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "m:get", "f:value", "a:1000", "n:file:12", "m:längst"})
  void theHashIsTheStatedOne(String token) {
    assertThat(HashedTokens.index(token, 512)).isEqualTo(expectedIndex(token, 512));
    assertThat(HashedTokens.index(token, 511)).isBetween(0, 510);
  }

  @Test
  void wordsOfMethodsAndFieldsAreDifferentTokens() {
    HashedTokens tokens = new HashedTokens(WIDTH);
    tokens.addWords("m:", "value");
    tokens.addWords("f:", "value");
    assertThat(tokens.indices()).hasSize(2);
  }
}
