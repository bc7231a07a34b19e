package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunTrafficTest {
  @TempDir Path folder = Path.of("");

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("traffic.json"), text);
  }

  private static String rank(int rank, String operations) {
    return "{\"rank\":%d,\"phase_seconds\":{\"spmm\":%d.5},\"run\":{\"operations\":{%s}}}"
        .formatted(rank, rank, operations);
  }

  private static String operation(String name, int to, long bytes) {
    return "\"%s\":{\"to\":[{\"rank\":%d,\"bytes\":%d}]}".formatted(name, to, bytes);
  }

  @Test
  void bytesAreAddedUp() throws IOException {
    String first = operation("all-to-all", 1, 100) + "," + operation("all-reduce", 1, 7);
    Path file =
        file(
            "{\"sent\":[%s,%s]}"
                .formatted(rank(0, first), rank(1, operation("all-to-all", 0, 50))));
    RunTraffic traffic = RunTraffic.read(file);
    assertThat(traffic.ranks()).isEqualTo(2);
    assertThat(traffic.sent()).containsExactly(107, 50);
    assertThat(traffic.cells()).isDeepEqualTo(new long[][] {{0, 107}, {50, 0}});
    assertThat(traffic.byOperation())
        .containsEntry("all-to-all", 150L)
        .containsEntry("all-reduce", 7L);
    assertThat(traffic.seconds()).containsExactly(Map.of("spmm", 0.5), Map.of("spmm", 1.5));
  }

  @Test
  void manyRanksAreGrouped() throws IOException {
    int ranks = 3 * RunTraffic.MOST_CELLS;
    String all =
        IntStream.range(0, ranks)
            .mapToObj(r -> rank(r, operation("all-to-all", (r + 3) % ranks, 1)))
            .collect(Collectors.joining(","));
    RunTraffic traffic = RunTraffic.read(file("{\"sent\":[" + all + "]}"));
    assertThat(traffic.ranks()).isEqualTo(ranks);
    assertThat(traffic.cells()).hasDimensions(RunTraffic.MOST_CELLS, RunTraffic.MOST_CELLS);
    assertThat(traffic.cells()[0][1]).isEqualTo(3);
    assertThat(traffic.cells()[RunTraffic.MOST_CELLS - 1][0]).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nothing",
        "{\"sent\":[{\"phase_seconds\":{\"spmm\":-1}}]}",
        "{\"sent\":[{\"phase_seconds\":{\"spmm\":\"long\"}}]}",
        "{}",
        "{\"sent\":[]}",
        "{\"sent\":[{\"run\":{\"operations\":{\"x\":{\"to\":[{\"rank\":1,\"bytes\":1}]}}}}]}",
        "{\"sent\":[{\"run\":{\"operations\":{\"x\":{\"to\":[{\"rank\":0,\"bytes\":-1}]}}}}]}",
        "{\"sent\":[{\"run\":{\"operations\":{\"x\":{\"to\":[{\"rank\":0}]}}}}]}"
      })
  void somethingElseIsRefused(String text) throws IOException {
    Path file = file(text);
    assertThatThrownBy(() -> RunTraffic.read(file))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith(file + ": expected ");
  }
}
