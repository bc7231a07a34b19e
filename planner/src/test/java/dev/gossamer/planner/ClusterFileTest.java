package dev.gossamer.planner;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.INTEGER;

import dev.gossamer.base.Excerpt;
import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClusterFileTest {
  private static final String SIZES =
      """
      nodes: 2
      ranks-per-node: 4
      cores-per-node: 16
      memory-per-node: 64g
      """;

  private static final String LINKS =
      """
      inside: {latency: 2 us, bandwidth: 6 GB/s}
      between: {latency: 30us, bandwidth: 10 Gbit/s}
      """;

  @TempDir private Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("cluster.yaml"), text);
  }

  private Cluster read(String text) throws IOException {
    return ClusterFile.read(file(text), SampleRates::of);
  }

  @Test
  void readsWhatPeopleWrite() throws IOException {
    assertThat(read(SIZES + LINKS))
        .isEqualTo(
            new Cluster(
                2,
                4,
                16,
                64L << 30,
                new LinkRates(2e-6, 6e9),
                new LinkRates(30e-6, 1.25e9),
                SampleRates.of()));
  }

  @Test
  void readsJson() throws IOException {
    assertThat(
            read(
                """
                {"nodes": 1, "ranks-per-node": 1, "cores-per-node": 2, "memory-per-node": 1024,
                 "inside": {"latency": "1 ms", "bandwidth": "1 MB/s"}}
                """))
        .isEqualTo(
            new Cluster(
                1,
                1,
                2,
                1024,
                new LinkRates(1e-3, 1e6),
                new LinkRates(1e-3, 1e6),
                SampleRates.of()));
  }

  @Test
  void writesWhatItReads() throws IOException {
    Cluster cluster = read(SIZES + LINKS);
    Path copy = folder.resolve("copy.yaml");
    ClusterFile.write(copy, cluster);
    Cluster again =
        ClusterFile.read(
            copy,
            () -> {
              throw new AssertionError("the file has rates");
            });
    assertThat(again).isEqualTo(cluster);
    assertThat(copy)
        .content()
        .contains("bandwidth: 1.25 GB/s", "memory-per-node: 64g", "16 x 64: 1 GFLOP/s, 2 GFLOP/s")
        .contains("  gather:\n    64: 100 ns, 50 ns\n    256: 400 ns, 200 ns\n")
        .doesNotContain("\"");
    ClusterFile.write(folder.resolve("third.yaml"), again);
    assertThat(folder.resolve("third.yaml")).hasSameTextualContentAs(copy);
  }

  @Test
  void writesNoOtherRates() throws IOException {
    Cluster cluster = read(SIZES + LINKS);
    Cluster other = new Cluster(1, 1, 1, 1, cluster.inside(), cluster.between(), new FlatRates());
    assertThatThrownBy(() -> ClusterFile.write(folder.resolve("other.yaml"), other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("expected measured ones");
    assertThat(folder.resolve("other.yaml")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          nodes: 2                   | nodes: 0                | : nodes: expected a whole number of at least 1, found 0
          nodes: 2                   | nodes: 1.5              | : nodes: expected a whole number of at least 1, found 1.5
          nodes: 2                   | nodes: many             | : nodes: expected a whole number of at least 1, found many
          nodes: 2                   | nodes:                  | : nodes: expected a whole number of at least 1, found none
          nodes: 2                   | nodes: 99999999999      | : nodes: expected a whole number of at least 1, found 99999999999
          nodes: 2                   | node: 2                 | : expected one of nodes, ranks-per-node,
          nodes: 2                   | nodes: 2\\nnodes: 3     | : line 2: expected 'key: value' lines with no key twice, found nodes twice
          nodes: 2                   | nodes: &a 2\\nranks-per-node: *a | : line 2: expected 'key: value' lines with no key twice, found the alias *a
          nodes: 2                   | nodes: [                | expected 'key: value' lines with no key twice
          ranks-per-node: 4          | ``                      | : ranks-per-node: expected a value, found none
          memory-per-node: 64g       | memory-per-node: big    | : memory-per-node: expected a number of bytes such as 64g or 500m, found big
          memory-per-node: 64g       | memory-per-node: 0.5    | : memory-per-node: expected more than 0, found 0.5
          memory-per-node: 64g       | memory-per-node: -1g    | : memory-per-node: expected a number of bytes
          memory-per-node: 64g       | memory-per-node: [64g]  | : memory-per-node: expected a number with its unit, found a list
          latency: 2 us              | latency: 2              | : inside: latency: expected a time such as 12 us, found 2
          latency: 2 us              | latency: 2 GB/s         | : inside: latency: expected a time
          latency: 2 us              | latency: 1e999 s        | : inside: latency: expected at most 1000 s, found 1e999 s
          latency: 2 us              | latency: 1e308 s        | : inside: latency: expected at most 1000 s, found 1e308 s
          bandwidth: 6 GB/s          | bandwidth: 1e-300 B/s   | : inside: bandwidth: expected at least 1 B/s, found 1e-300 B/s
          bandwidth: 6 GB/s          | bandwidth: 1e300 B/s    | : inside: bandwidth: expected at most 1000000 TB/s, found 1e300 B/s
          memory-per-node: 64g       | memory-per-node: 1e300  | : memory-per-node: expected at most 1048576t, found 1.0E300
          nodes: 2                   | nodes: 2147483647       | : expected at most 65536 ranks on all nodes, found 2147483647 nodes of 4 ranks
          ranks-per-node: 4          | ranks-per-node: 2147483647 | : expected at most 65536 ranks on all nodes, found 2 nodes of 2147483647 ranks
          latency: 2 us              | delay: 2 us             | : inside: expected one of latency, bandwidth, found the key delay
          bandwidth: 6 GB/s          | bandwidth: 0 GB/s       | : inside: bandwidth: expected more than 0, found 0 GB/s
          bandwidth: 6 GB/s          | bandwidth: 6 GB         | : inside: bandwidth: expected a bandwidth such as 1.25 GB/s or 10 Gbit/s, found 6 GB
          between: {latency: 30us, bandwidth: 10 Gbit/s} | ``  | : between: expected a value, found none
          between: {latency: 30us, bandwidth: 10 Gbit/s} | between: 3 | : between: expected 'key: value' lines, found 3
          """)
  void saysWhatIsWrong(String what, String instead, String expected) throws IOException {
    String text = SIZES + LINKS;
    assertThat(text).contains(what);
    refused(text.replace(what, instead.replace("\\n", "\n")), expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          threads: 4            | threads: none         | : rates: threads: expected a whole number
          threads: 4            | cores: 4              | : rates: expected one of threads, start, matmul,
          sampling: 100 ns, 50 ns | sampling: 100 ns    | : rates: sampling: expected two numbers, of one thread and of all, found 100 ns
          sampling: 100 ns, 50 ns | sampling: 100 ns, 0 ns | : rates: sampling: expected more than 0, found 100 ns, 0 ns
          sampling: 100 ns, 50 ns | ``                  | : rates: sampling: expected a value, found none
          16 x 64: 1            | 16 by 64: 1           | : rates: matmul: expected keys of 2 sizes such as 4096 x 16, found 16 by 64
          16 x 64: 1            | 16 x 65: 1            | : rates: matmul: expected every combination of the sizes once, found 16 x 16, 16 x 65, 64 x 16, 64 x 64
          1000 x 4 x 8 x 64: 16 | 1000 x 4 x 8: 16      | : rates: attention: expected keys of 4 sizes such as 4096 x 16 x 4 x 64, found 1000 x 4 x 8
          256: 400 ns           | 0: 400 ns             | : rates: gather: expected keys of 1 sizes such as 4096, found 0
          256: 400 ns           | 64: 400 ns            | with no key twice
          1 GFLOP/s, 2 GFLOP/s  | 1 GFLOP/s, 2 ns       | : expected a rate such as 80 GFLOP/s, found
          1 GFLOP/s, 2 GFLOP/s  | 1e-300 MFLOP/s, 2 GFLOP/s | : expected at least 0.000001 MFLOP/s, found 1e-300 MFLOP/s
          sampling: 100 ns, 50 ns | sampling: 1e308 s, 1 s | : rates: sampling: expected at most 1000 s, found 1e308 s
          """)
  void saysWhatIsWrongWithRates(String what, String instead, String expected) throws IOException {
    Path whole = folder.resolve("whole.yaml");
    ClusterFile.write(whole, read(SIZES + LINKS));
    String text = Files.readString(whole);
    assertThat(text).contains(what);
    refused(text.replace(what, instead), expected);
  }

  private void refused(String text, String expected) throws IOException {
    Path file = file(text);
    assertThatThrownBy(() -> ClusterFile.read(file, SampleRates::of))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith(file.toString())
        .hasMessageContaining(expected)
        .hasMessageNotContaining("\n");
    assertThatThrownBy(() -> ClusterFile.requireCluster(file))
        .isInstanceOf(InvalidInputException.class);
  }

  @Test
  void refusesWhatIsNoFileOfKeys() throws IOException {
    for (String other :
        List.of(
            "",
            "a secret",
            "- a secret",
            "root:x:0:0:secret:/root:/bin/sh\nbin:x:1:1::/bin:/sbin/nologin\n",
            "secret: secret\n")) {
      Path file = file(other);
      assertThatThrownBy(() -> ClusterFile.read(file, SampleRates::of))
          .isInstanceOf(InvalidInputException.class)
          .hasMessage(
              "%s: expected a cluster, lines 'key: value' with the keys nodes, ranks-per-node, cores-per-node, memory-per-node, inside, between, rates, found another file",
              file);
    }
    refused(SIZES + LINKS + "---\nnodes: 3\n", "expected 'key: value' lines");
    refused("#".repeat((1 << 20) + 1), ": expected at most 1048576 bytes");
    assertThatThrownBy(() -> ClusterFile.read(folder, SampleRates::of))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("found a folder");
  }

  @Test
  @Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void aValueOfAnyLengthIsRefusedInAShortLine() throws IOException {
    String wide = "1" + " ".repeat(900_000) + "!";
    Path file = file((SIZES + LINKS).replace("latency: 2 us", "latency: '" + wide + "'"));
    assertThatThrownBy(() -> ClusterFile.read(file, SampleRates::of))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith(file + ": inside: latency: expected a time such as 12 us, found 1 ")
        .hasMessageEndingWith("!")
        .extracting(e -> String.valueOf(e.getMessage()).length(), as(INTEGER))
        .isLessThanOrEqualTo(Excerpt.LONGEST);
  }

  @Test
  void readsTheDocumentedExample() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "formats.md"));
    int begin = page.indexOf("```yaml\nnodes:") + "```yaml\n".length();
    Cluster cluster =
        ClusterFile.read(
            file(page.substring(begin, page.indexOf("```", begin))),
            () -> {
              throw new AssertionError("the example has rates");
            });
    assertThat(cluster.between()).isEqualTo(new LinkRates(31e-6, 1.17e9));
    assertThat(cluster.rates().sampling(1e6, 16)).isPositive();
  }

  @Test
  void knowsItsOwn() throws IOException {
    ClusterFile.requireCluster(file(SIZES + LINKS));
  }
}
