package dev.gossamer.graph.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClassWeightsTest {
  @TempDir Path folder;

  /// Training vertices: 6 of `a`, 3 of `b, or c`, 1 of `d`, none of `e`; others are not counted.
  private static GraphData data() {
    int[] labels = {0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 3, 1, -1};
    Split[] parts =
        IntStream.range(0, labels.length)
            .mapToObj(v -> v < 10 || labels[v] < 0 ? Split.TRAIN : Split.TEST)
            .toArray(Split[]::new);
    return GraphData.builder(labels.length)
        .name("four")
        .labels(labels)
        .classNames(List.of("a", "b, or c", "d", "e"))
        .split(parts)
        .build();
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("weights.csv"), text);
  }

  @Test
  void balancedWeightsGiveEachClassTheSameSum() {
    try (GraphData data = data()) {
      float[] weights = new ClassWeights("balanced").of(data);
      assertThat(weights).containsExactly(10f / 18, 10f / 9, 10f / 3, 0);
      assertThat(6.0 * weights[0] + 3.0 * weights[1] + weights[2]).isCloseTo(10, within(1e-5));
    }
  }

  @ParameterizedTest
  @CsvSource({"'',''", "'class,weight\n',''", "'','\n'"})
  void weightsOfAFileAreScaledToTheMeanOne(String header, String end) throws IOException {
    Path file = file(header + "d,4\n\"b, or c\",2\na,0\ne,1e3\n" + end);
    try (GraphData data = data()) {
      assertThat(new ClassWeights(file.toString()).of(data)).containsExactly(0, 2, 4, 1000);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          'a,1'                            | weights.csv: expected a weight for each class, found none for 'b, or c'
          'a,1\na,2'                       | weights.csv: line 2: expected each class once, found 'a' again
          'z,1'                            | weights.csv: line 1: expected the name of a class, found 'z'
          'a,-1'                           | weights.csv: line 1: expected a weight that is a number and not negative, found '-1'
          'a,NaN'                          | weights.csv: line 1: expected a weight that is a number and not negative, found 'NaN'
          'a,much'                         | weights.csv: line 1: expected a weight that is a number and not negative, found 'much'
          'a,1,2'                          | weights.csv: line 1: expected class,weight, found a third column
          'a'                              | weights.csv: line 1: expected class,weight, found an empty field
          'a,0\n\"b, or c\",0\nd,0\ne,1'   | weights.csv: expected a weight above 0 for a class of the training vertices, found none
          """)
  void refusesOtherFiles(String text, String message) throws IOException {
    Path file = file(text);
    try (GraphData data = data()) {
      assertThatThrownBy(() -> new ClassWeights(file.toString()).of(data))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(folder.resolve(message).toString());
    }
  }

  @Test
  void refusesWhatIsNoPath() {
    assertThatThrownBy(() -> new ClassWeights(" "))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("classWeights: expected balanced or FILE.csv, found ' '");
    assertThat(new ClassWeights("balanced").absolute().text()).isEqualTo("balanced");
    assertThat(new ClassWeights("w.csv").absolute().text())
        .isEqualTo(Path.of("w.csv").toAbsolutePath().toString());
  }
}
