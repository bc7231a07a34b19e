package dev.gossamer.cli.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.gossamer.cli.Cli;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Progress;
import dev.gossamer.graph.format.DatasetFolder;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import java.io.IOException;
import java.io.StringReader;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import tools.jackson.databind.JsonNode;

/// What `dataset info` says about a graph, and the page that it writes.
class DatasetInfoTest {
  @TempDir Path folder = Path.of("");

  /// A star of four, an edge and two isolated vertices; a class without members, and a name that is
  /// no HTML.
  private Path star() {
    Path target = folder.resolve("star");
    try (Arena arena = Arena.ofConfined();
        GraphData d =
            GraphData.builder(8)
                .name("<b>star & \"friends\"</b>")
                .edges(new int[] {0, 0, 0, 4}, new int[] {1, 2, 3, 5})
                .build()) {
      DenseMatrix x = DenseMatrix.allocate(arena, 8, 2);
      for (int v = 0; v < 8; v++) {
        x.set(v, 0, v - 3);
        x.set(v, 1, 5);
      }
      GraphData.Info info = d.info().withClassNames(List.of("a<i>", "none", "c"));
      DatasetFolder.write(
          target,
          d.withInfo(info)
              .withLabels(new int[] {0, 0, 0, 2, 2, -1, -1, -1})
              .withFeatures(new Features.Dense(x)));
    }
    return target;
  }

  private Cli info(String... more) {
    List<String> arguments = new ArrayList<>(List.of("dataset", "info", "--data"));
    arguments.add(star().toString());
    arguments.addAll(List.of(more));
    return Cli.run(arguments.toArray(String[]::new));
  }

  @Test
  void jsonHasDegreesComponentsAndClasses() {
    JsonNode facts = info("--json").json();
    assertThat(facts.get("min_degree").asInt()).isZero();
    assertThat(facts.get("degree_quartiles").toString()).isEqualTo("[0,1,1]");
    assertThat(facts.get("max_degree").asInt()).isEqualTo(3);
    assertThat(facts.get("isolated").asInt()).isEqualTo(2);
    assertThat(facts.get("components").asInt()).isEqualTo(4);
    assertThat(facts.get("largest_component").asInt()).isEqualTo(4);
    assertThat(facts.get("labelled").asInt()).isEqualTo(5);
    assertThat(facts.get("unlabelled").asInt()).isEqualTo(3);
    assertThat(facts.get("degree_histogram").toString())
        .isEqualTo(
            "[{\"from\":0,\"to\":0,\"vertices\":2},{\"from\":1,\"to\":1,\"vertices\":5},{\"from\":2,\"to\":3,\"vertices\":1}]");
    assertThat(facts.get("class_sizes").toString())
        .isEqualTo(
            "[{\"class\":\"a<i>\",\"vertices\":3},{\"class\":\"none\",\"vertices\":0},{\"class\":\"c\",\"vertices\":2}]");
  }

  @Test
  void textHasATableOfDegreesAndOneOfClasses() {
    assertThat(info().out().lines())
        .contains(
            "degree quartiles   0, 1, 1",
            "components         4",
            "largest component  4",
            "unlabelled         3",
            "degree  to  vertices  share",
            "     1   1         5  62.5 %  ##############################",
            "     2   3         1  12.5 %  ######",
            "class  vertices  share",
            "a<i>          3  60.0 %  ##############################",
            "none          0   0.0 %");
  }

  /// Quartiles and histogram of sorted degrees.
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void degreesAreThoseOfASort(long seed) {
    Random random = new Random(seed);
    int n = 1 + random.nextInt(200);
    int[] from = random.ints(n * seed, 0, n).toArray();
    int[] to = random.ints(n * seed, 0, n).toArray();
    try (GraphData d = GraphData.builder(n).edges(from, to).build()) {
      CsrMatrix a = d.adjacency();
      long[] degrees = new long[n];
      Arrays.setAll(degrees, v -> a.rowColumns(v).length);
      Arrays.sort(degrees);
      DegreeFacts facts = DegreeFacts.of(a);
      assertThat(facts.least()).isEqualTo(degrees[0]);
      assertThat(facts.most()).isEqualTo(degrees[n - 1]);
      for (int q = 1; q <= 3; q++) {
        int rank = (int) Math.ceil(q * n / 4.0);
        assertThat(facts.quartiles().get(q - 1)).as("seed %d", seed).isEqualTo(degrees[rank - 1]);
      }
      assertThat(facts.mean()).isCloseTo(Arrays.stream(degrees).average().orElse(0), within(1e-9));
      for (DegreeFacts.Bin bin : facts.bins()) {
        assertThat(bin.vertices())
            .isEqualTo(
                Arrays.stream(degrees).filter(x -> x >= bin.from() && x <= bin.to()).count());
      }
      assertThat(facts.bins().stream().mapToLong(DegreeFacts.Bin::vertices).sum()).isEqualTo(n);
    }
  }

  @Test
  void rangesCountZerosThatAreNotStored() {
    int[] columns = {0, 2, 0, 1, 2};
    float[] values = {2, -4, 6, 3, -1};
    try (Arena arena = Arena.ofShared();
        GraphData d = GraphData.builder(3).edges(new int[] {0}, new int[] {1}).build()) {
      CsrMatrix x = CsrMatrix.of(arena, 3, new long[] {0, 2, 4, 5}, columns, values);
      assertThat(FeatureRange.of(d.withFeatures(new Features.Sparse(x)), Progress.SILENT))
          .containsExactly(
              new FeatureRange("feature 0", 0, 8.0 / 3, 6),
              new FeatureRange("feature 1", 0, 1, 3),
              new FeatureRange("feature 2", -4, -5.0 / 3, 0));
    }
  }

  /// The page is well-formed, loads nothing, and its bars have the heights of the logarithms.
  @Test
  void thePageShowsWhatThereIs() throws Exception {
    Path page = folder.resolve("new/page.html");
    Cli made = info("--html", page.toString());
    assertThat(made.status()).as(made.err()).isZero();
    String html = Files.readString(page);
    assertThat(html)
        .startsWith("<!DOCTYPE html>")
        .contains("<h1>&lt;b&gt;star &amp; &quot;friends&quot;&lt;/b&gt;</h1>")
        .contains("degree 2 to 3: 1 vertex", "a&lt;i&gt;: 3 vertices")
        .contains("feature 0: -3.000 to 4.000, mean 0.5000")
        .doesNotContain("<b>", "<i>", "<script", "http:", "https:", "url(", "src=", "href=");
    List<Element> bars = new ArrayList<>();
    for (String svg :
        Pattern.compile("<svg.*?</svg>", Pattern.DOTALL)
            .matcher(html)
            .results()
            .map(found -> found.group())
            .toList()) {
      NodeList rectangles =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .parse(new InputSource(new StringReader(svg)))
              .getElementsByTagName("rect");
      for (int i = 0; i < rectangles.getLength(); i++) {
        bars.add((Element) rectangles.item(i));
      }
    }
    assertThat(bars).hasSize(3 + 3 + 2);
    double one = number(bars.get(2), "height");
    double five = number(bars.get(1), "height");
    double two = number(bars.get(0), "height");
    assertThat((five - one) / (two - one)).isCloseTo(Math.log(5) / Math.log(2), within(0.01));
    assertThat(number(bars.get(3), "width") / number(bars.get(4), "width"))
        .isCloseTo(3.0 / 2, within(0.01));
    assertThat(number(bars.get(5), "width")).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-1, -1",
    "0.5, 0.5",
    "0.00012, 0.00012",
    "100, 100",
    "1000, 1000",
    "2020, 2020",
    "1e10, 1e+10",
    "-2.02e10, -2.02e+10",
    "1.234e10, 1.234e+10",
    "3e-20, 3e-20",
  })
  void numbersOfAnAxisKeepTheirZerosBeforeThePoint(double tick, String text) {
    assertThat(DatasetPage.text(tick)).isEqualTo(text);
  }

  private static double number(Element element, String name) {
    return Double.parseDouble(element.getAttribute(name));
  }

  @Test
  void anExistingFileIsReplacedOnRequestOnly() throws IOException {
    Path page = Files.writeString(folder.resolve("page.html"), "mine");
    Cli refused = info("--html", page.toString());
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.out()).isEmpty();
    assertThat(refused.err())
        .isEqualTo(
            "gossamer: %s: expected a new file, found one; choose another name, or --force to replace it\n"
                .formatted(page));
    assertThat(page).hasContent("mine");
    assertThat(info("--force", "--html", page.toString()).status()).isZero();
    assertThat(page).content().startsWith("<!DOCTYPE html>");
  }
}
