package dev.gossamer.cli.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TicksTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0       | 1         | false | 0.0 0.2 0.4 0.6 0.8 1.0
          0.4     | 0.47      | false | 0.40 0.42 0.44 0.46
          -3      | 3         | false | -3 -2 -1 0 1 2 3
          1       | 3         | true  | 1 2 3
          1       | 12000     | true  | 2,000 4,000 6,000 8,000 10,000 12,000
          0       | 2.9e-9    | false | 0.00 5.00e-10 1.00e-09 1.50e-09 2.00e-09 2.50e-09
          """)
  void numbersAreRound(double least, double most, boolean counts, String expected) {
    Ticks ticks = Ticks.of(least, most, counts);
    List<String> texts = ticks.values().stream().map(ticks::text).toList();
    assertThat(texts.stream().collect(Collectors.joining(" "))).isEqualTo(expected);
  }
}
