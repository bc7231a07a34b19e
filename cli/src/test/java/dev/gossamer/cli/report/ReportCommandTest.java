package dev.gossamer.cli.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.cli.Cli;
import dev.gossamer.cli.page.Drawings;
import dev.gossamer.cli.page.PngImage;
import dev.gossamer.pruned.PrunedEvaluation;
import dev.gossamer.pruned.corpus.Part;
import dev.gossamer.pruned.pipeline.Score;
import dev.gossamer.run.Confusion;
import dev.gossamer.run.RunEstimate;
import dev.gossamer.run.RunMetrics;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class ReportCommandTest {
  @TempDir static Path shared;

  @TempDir Path folder = Path.of("");

  private static Path one = Path.of("");
  private static Path two = Path.of("");
  private static Path pruned = Path.of("");
  private static Path kept = Path.of("");

  @BeforeAll
  static void train() throws IOException {
    String data = shared.resolve("data").toString();
    ok(
        "dataset build grid -q --rows 20 --cols 20 --classes 4 --features 8 --split 40/30/30 --out "
            + data);
    String train = "train -q --json --hidden 8 --epochs 6 --data " + data + " --runs " + shared;
    one = runOf(train);
    two = runOf(train + " --ranks 2 --model sage --lr 0.02 --trace=2");
    kept =
        runOf(
            train
                + " --mode minibatch --batch 16 --ranks 2 --remote historical --model sage --fanout 10,10"
                + " --cache-life 20");
    Path words =
        Files.writeString(shared.resolve("words.txt"), "what survives is kept\n".repeat(99));
    pruned =
        runOf(
            "prune train -q --json --model gpt-tiny --layers 1 --width 16 --heads 2 --length 8 --batch 2"
                + " --microbatch 1 --evaluate-samples 2 --iterations 4 --evaluate-every 2 --prune one-shot"
                + " --prune-at 2 --data "
                + words
                + " --runs "
                + shared);
  }

  private static Cli ok(String command) {
    Cli cli = Cli.run(command.split(" "));
    assertThat(cli.status()).as(cli.err()).isZero();
    return cli;
  }

  private static Path runOf(String command) {
    JsonNode found = ok(command).json();
    return Path.of(found.get(found.has("run") ? "run" : "run_folder").asString());
  }

  private String page(String arguments) throws IOException {
    Path file = folder.resolve("page.html");
    ok("report %s --force --out %s".formatted(arguments, file));
    return Files.readString(file);
  }

  private static List<Element> lines(Element drawing) {
    return Drawings.elements(drawing, "polyline").toList();
  }

  @Test
  void theFolderOfARunGetsItsPage() throws IOException {
    Cli cli = ok("report " + one);
    Path page = one.resolve("report.html");
    assertThat(cli.out()).isEqualTo("report   %s%n", page);
    String html = Files.readString(page);
    assertThat(html)
        .startsWith("<!DOCTYPE html>\n<!-- gossamer report -->\n")
        .contains("<h1>" + one.getFileName() + "</h1>", ">gcn<", "6 epochs", "test")
        .doesNotContain("<script", "http:", "https:", "url(", "src=", "href=");
    assertThat(html).contains(">" + bestTestAccuracy() + "</td>");
    List<Element> drawings = Drawings.of(html);
    // The loss of an epoch, then three parts of each score, then seconds and memory.
    assertThat(drawings.getFirst().getAttribute("aria-label"))
        .startsWith("training loss by epoch: ");
    assertThat(lines(drawings.getFirst())).hasSize(1);
    assertThat(lines(drawings.get(1))).hasSize(3);
    assertThat(drawings.reversed().get(1).getAttribute("aria-label")).isEqualTo("Seconds by phase");
    Element memory = drawings.getLast();
    assertThat(memory.getAttribute("aria-label")).isEqualTo("Resident memory");
    assertThat(Drawings.elements(memory, "rect")).hasSize(2);
    assertThat(html).contains(">planned</th>", "parts of the estimate</summary>", ">Java runtime<");
    assertThat(ok("report " + one).status()).isZero();
  }

  /// Of the epoch whose weights the run ended with.
  private static String bestTestAccuracy() throws IOException {
    JsonMapper json = new JsonMapper();
    JsonNode manifest = json.readTree(one.resolve("checkpoint/manifest.json").toFile());
    int best = manifest.get("progress").get("bestEpoch").asInt();
    String line = Files.readAllLines(one.resolve("metrics.jsonl")).get(best - 1);
    double accuracy = json.readTree(line).get("test").get("accuracy").asDouble();
    return String.format(Locale.ROOT, "%.4f", accuracy);
  }

  /// The end of a run writes no checkpoint unless asked to.
  @Test
  void withoutACheckpointTheModelSaysWhoseWeightsItHas() throws IOException {
    JsonNode found =
        ok("train -q --json --hidden 8 --epochs 6 --lr 1 --checkpoint-every 0 --data %s --runs %s"
                .formatted(shared.resolve("data"), folder))
            .json();
    int best = found.get("best_epoch").asInt();
    assertThat(best).isLessThan(6);
    Path run = Path.of(found.get("run_folder").asString());
    String accuracy = String.format(Locale.ROOT, "%.4f", found.get("test_accuracy").asDouble());
    assertThat(page(run.toString()))
        .contains(">weights of</th><td>epoch %d</td>".formatted(best), ">" + accuracy + "</td>");
    assertThat(ok("watch -q " + run).out())
        .containsPattern("epoch %d +accuracy(?s:.*)test +%s".formatted(best, accuracy));
    Path metrics = run.resolve("metrics.jsonl");
    List<String> lines = Files.readAllLines(metrics);
    String line = lines.getLast();
    lines.add(line.replace("\"epoch\":6", "\"epoch\":7"));
    lines.add(line.replace("\"epoch\":6", "\"epoch\":8"));
    Files.write(metrics, lines);
    Path manifest = Files.createDirectory(run.resolve("checkpoint")).resolve("manifest.json");
    Files.writeString(manifest, "{\"progress\":{\"epoch\":7,\"bestEpoch\":7}}");
    assertThat(page(run.toString()))
        .as("a checkpoint of the resumed run is newer")
        .contains(">weights of</th><td>epoch 7</td>");
    Files.writeString(manifest, "{\"progress\":{\"epoch\":5,\"bestEpoch\":4}}");
    Files.writeString(run.resolve("model.safetensors"), "another version's");
    assertThat(page(run.toString()))
        .as("a model that cannot be read")
        .contains(">weights of</th><td>epoch 4</td>");
  }

  /// A checkpoint says which iteration was the best, whether or not its weights are kept: here the
  /// first, as none learns anything.
  @Test
  void iterationsEndWithTheirBestWeightsOnlyOnRequest() throws IOException {
    String asked =
        ("prune train -q --json --model gpt-tiny --layers 1 --width 16 --heads 2 --length 8 --batch 2"
                + " --microbatch 1 --evaluate-samples 2 --iterations 4 --evaluate-every 1 --prune none"
                + " --lr 1e-30 --data %s --runs %s")
            .formatted(shared.resolve("words.txt"), folder);
    Path last = runOf(asked);
    Path best = runOf(asked + " --keep best");
    Path manifest = last.resolve("checkpoint/manifest.json");
    JsonNode found = new JsonMapper().readTree(manifest.toFile()).get("best").get(0);
    int iteration = found.get("iteration").asInt();
    assertThat(iteration).isLessThan(4);
    assertThat(page(last.toString())).contains(">weights of</th><td>iteration 4</td>");
    assertThat(page(best.toString()))
        .contains(">weights of</th><td>iteration %d</td>".formatted(iteration));
    assertThat(ok("watch -q " + last).out()).contains("iteration 4 ");
  }

  @Test
  void runsAreComparedDifferencesFirst() throws IOException {
    String html = page(one + " " + two);
    assertThat(html).contains("<h1>2 runs</h1>", "settings that are the same");
    String different = html.substring(html.indexOf("Settings"), html.indexOf("<details>"));
    assertThat(different)
        .contains(">model</th><td>gcn</td><td>sage</td>", ">lr</th>", ">ranks</th>")
        .doesNotContain(">hidden<", ">seed<");
    assertThat(html.substring(html.indexOf("<details>"))).contains(">hidden<", ">seed<");
    assertThat(lines(Drawings.of(html).getFirst())).hasSize(2);
    Element traffic = drawing(html, "Bytes that ranks sent");
    assertThat(traffic.getAttribute("aria-label")).startsWith("Bytes that ranks sent: at most");
    List<Double> shares =
        Drawings.elements(traffic, "rect")
            .map(cell -> Drawings.number(cell, "fill-opacity"))
            .toList();
    assertThat(shares).hasSize(4);
    assertThat(List.of(shares.get(0), shares.get(3))).containsOnly(0.0);
    assertThat(Math.max(shares.get(1), shares.get(2))).isEqualTo(1);
  }

  @Test
  void classesAreEvaluatedOnRequest() throws IOException {
    assertThat(page(two.toString())).doesNotContain("taken for");
    String html = page(two + " --evaluate -q");
    JsonNode found = ok("evaluate " + two + " --json -q").json();
    Element matrix = drawing(html, "Share of each class");
    List<String> tips = Drawings.elements(matrix, "title").map(Element::getTextContent).toList();
    List<JsonNode> classes =
        found
            .get("test_classes")
            .valueStream()
            .filter(each -> each.get("vertices").asInt() > 0)
            .toList();
    assertThat(classes).hasSizeGreaterThan(2);
    assertThat(tips).hasSize(classes.size() * classes.size());
    for (JsonNode each : classes) {
      double recall = each.get("recall").asDouble();
      String share = String.format(Locale.ROOT, "%.1f %%", 100 * recall);
      String name = each.get("class").asString();
      assertThat(tips).anyMatch(tip -> tip.matches(name + "  (\\d), " + name + "  \\1: " + share));
      assertThat(html).contains(String.format(Locale.ROOT, "<td>%.4f</td>", recall));
    }
  }

  /// Trains on the shared graph with other labels: a line for each vertex.
  private Path ofLabels(String name, IntFunction<String> line) throws IOException {
    Path labels = folder.resolve(name + ".csv");
    Files.write(labels, IntStream.range(0, 400).mapToObj(line).toList());
    return runOf(
        "train -q --json --hidden 8 --epochs 2 --data %s --labels %s --runs %s"
            .formatted(shared.resolve("data"), labels, folder));
  }

  /// Vertices of the test part of the shared graph.
  private static int tested() {
    return ok("dataset info --json -q --data " + shared.resolve("data")).json().get("test").asInt();
  }

  @Test
  void eachLabelIsEvaluated() throws IOException {
    Path run = ofLabels("labels", v -> "%d,%d,0".formatted(v % 2, v % 5 == 0 ? 1 : 0));
    String html = page(run + " --evaluate -q");
    JsonNode labels = ok("evaluate " + run + " --json -q").json().get("test_labels");
    int vertices = tested();
    for (int t = 0; t < 2; t++) {
      int support = labels.get(t).get("vertices").asInt();
      assertThat(html)
          .containsPattern(
              "<th[^>]*>%d</th>\\s*<td>%s</td>"
                  .formatted(t, String.format(Locale.ROOT, "%.4f", (double) support / vertices)));
    }
    assertThat(html)
        .contains(">ROC-AUC</th>", ">PR-AUC</th>", ">Map of vertices</h2>")
        .doesNotContain("The colour is");
  }

  @Test
  void numbersAreComparedWithThoseThatAreKnown() throws IOException {
    Path run = ofLabels("numbers", v -> "%d.5,%s".formatted(v % 7, v % 3 == 0 ? "" : "2"));
    String html = page(run + " --evaluate -q");
    JsonNode scores = ok("evaluate " + run + " --json -q").json();
    assertThat(html)
        .contains(String.format(Locale.ROOT, ">%.4f<", scores.get("test_rmse").asDouble()));
    Element chart = drawing(html, "Predicted and known: 0 of ");
    List<Element> groups = groups(chart);
    assertThat(groups).hasSize(2);
    long known =
        Drawings.elements(chart, "title")
            .mapToLong(tip -> Long.parseLong(tip.getTextContent().replaceAll(".*: |,", "")))
            .sum();
    assertThat(known).isEqualTo(groups.stream().mapToLong(ReportCommandTest::points).sum());
    assertThat(points(groups.getFirst())).isEqualTo(tested());
  }

  @Test
  void aPrunedNetworkIsEvaluatedOnAllSamples() throws IOException {
    String html = page(pruned + " --evaluate -q");
    JsonNode found = ok("prune evaluate " + pruned + " --json -q").json();
    for (String part : List.of("validation", "test")) {
      double loss = found.get(part + "_loss").asDouble();
      assertThat(html)
          .contains(String.format(Locale.ROOT, "<td>%.4f</td>", loss))
          .contains("<td>%,d</td>".formatted(found.get(part + "_predictions").asInt()));
    }
    assertThat(html).contains(">bits/byte</th>").doesNotContain(">Classes</h2>", ">Map of");
  }

  @Test
  void classesOfImagesAreThoseThatWereCounted() {
    Confusion counts = new Confusion(3);
    counts.add(0, 0);
    counts.add(0, 2);
    counts.add(2, 2);
    EvaluatedModel evaluated =
        new EvaluatedModel(
            new EvaluatedModel.Samples(
                Map.of(
                    Part.VALIDATION, new PrunedEvaluation(Score.of(1, 2, 0), new Confusion(3)),
                    Part.TEST, new PrunedEvaluation(Score.of(3, 1.5, 2), counts))),
            null);
    RunMetrics none = new RunMetrics(List.of());
    String html =
        new ReportPage(
                List.of(
                    new ReportedRun(
                        "images", Map.of(), none, 0, null, null, null, null, evaluated)))
            .html();
    assertThat(html)
        .contains("The 3 samples of the part ", "<td>0.5000</td>", "<td>0.6667</td>")
        .doesNotContain(">bits/byte</th>");
    assertThat(
            Drawings.elements(drawing(html, "Share of each class"), "title")
                .map(Element::getTextContent))
        .containsExactly(
            "class 0  1, class 0  1: 50.0 %",
            "class 0  1, class 2  2: 50.0 %",
            "class 2  2, class 0  1: 0.0 %",
            "class 2  2, class 2  2: 100.0 %");
  }

  /// What is planned is of iterations once the network is pruned, and so is what it is beside.
  @Test
  void aPrunedNetworkIsComparedWithItsPlan() throws IOException {
    RunEstimate estimate = RunEstimate.read(pruned.resolve("plan.json"));
    assertThat(estimate.epochSeconds()).containsKey("compute");
    List<RunMetrics.Step> last =
        RunMetrics.read(pruned.resolve("metrics.jsonl")).steps().subList(2, 4);
    assertThat(last.getFirst().number("sparsity")).isEqualTo(last.getLast().number("sparsity"));
    double measured = (last.getFirst().number("seconds") + last.getLast().number("seconds")) / 2;
    assertThat(page(pruned.toString()))
        .contains(">seconds, planned at the end</th>")
        .contains("measured here are the 2 that are as sparse as the last")
        .containsPattern(
            ">forward \\+ backward \\+ compression</th><td>[0-9.]+</td><td>%.5f</td>"
                .formatted(estimate.epochSeconds().getOrDefault("compute", 0.0)))
        .contains(
            String.format(
                Locale.ROOT, ">all</th><td>%.5f</td><td>%.5f</td>", measured, estimate.seconds()));
  }

  /// Points by class: one element for each of them.
  private static List<Element> groups(Element map) {
    return Drawings.elements(map, "path")
        .filter(path -> !path.getAttribute("class").contains("key"))
        .toList();
  }

  private static long points(Element group) {
    return group.getAttribute("d").chars().filter(c -> c == 'M').count();
  }

  @Tag("slow")
  @Test
  void verticesAreMapped() throws IOException {
    String html = page(two + " --evaluate -q");
    Element map = mapOf(html);
    Element layout = drawing(html, "Vertices by neighbours, 400 of 400: ");
    List<JsonNode> sizes =
        ok("dataset info --json -q --data " + shared.resolve("data"))
            .json()
            .get("class_sizes")
            .valueStream()
            .toList();
    assertThat(groups(map).stream().map(ReportCommandTest::points))
        .containsExactlyInAnyOrderElementsOf(
            sizes.stream()
                .map(size -> size.get("vertices").asLong())
                .filter(size -> size > 0)
                .toList());
    assertThat(groups(layout).stream().map(ReportCommandTest::points))
        .containsExactlyElementsOf(groups(map).stream().map(ReportCommandTest::points).toList());
    assertThat(map.getAttribute("aria-label")).startsWith("Vertices by components, 400 of 400: ");
    assertThat(html).contains("the activations of the last hidden layer");
    String again = page(two + " --evaluate -q");
    assertThat(mapOf(again).isEqualNode(map)).isTrue();
    assertThat(drawing(again, "Vertices by neighbours").isEqualNode(layout)).isTrue();
  }

  private static Element mapOf(String html) {
    return drawing(html, "Vertices by components, ");
  }

  private static Element drawing(String html, String beginning) {
    return Drawings.of(html).stream()
        .filter(each -> each.getAttribute("aria-label").startsWith(beginning))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void probabilitiesAreComparedWithFrequencies() throws IOException {
    String html = page(two + " --evaluate -q");
    Path copy = folder.resolve("calibrated.safetensors");
    JsonNode before =
        ok("calibrate %s --json -q --out %s".formatted(two, copy)).json().get("test_before");
    String error = String.format(Locale.ROOT, "%.4f", before.get("calibration_error").asDouble());
    Element chart = drawing(html, "Probability and frequency: calibration error " + error);
    assertThat(html).contains("over the vertices, is " + error);
    List<String> tips =
        Drawings.elements(chart, "rect")
            .map(Element::getTextContent)
            .filter(tip -> tip.startsWith("mean"))
            .toList();
    assertThat(tips)
        .isNotEmpty()
        .allMatch(
            tip -> tip.matches("mean probability \\d\\.\\d{3}: \\d\\.\\d{3} of \\d+ are right"));
    assertThat(
            tips.stream()
                .mapToInt(tip -> Integer.parseInt(tip.replaceAll(".* of (\\d+) .*", "$1")))
                .sum())
        .isEqualTo(before.get("vertices").asInt());
  }

  @Test
  void outputsOfAModelOfEdgesAreMapped() throws IOException {
    String data = shared.resolve("data").toString();
    String train = "train -q --json --hidden 8 --epochs 1 --data %s --runs %s --task links";
    Path links = runOf((train + " --embedding 4").formatted(data, folder));
    String html = page(links + " --evaluate -q");
    List<Element> groups = groups(mapOf(html));
    assertThat(groups.stream().mapToLong(ReportCommandTest::points).sum()).isEqualTo(400);
    assertThat(html).contains("the outputs of the network").doesNotContain("taken for");
  }

  @Test
  void aModelWithoutHiddenLayerHasNoMap() throws IOException {
    String data = shared.resolve("data").toString();
    Path flat =
        runOf("train -q --json --model sgc --epochs 1 --data %s --runs %s".formatted(data, shared));
    String html = page(flat + " --evaluate -q");
    assertThat(html).contains("the network has no hidden layer", "taken for");
    assertThat(Drawings.of(html))
        .noneMatch(drawing -> drawing.getAttribute("aria-label").startsWith("Vertices"));
  }

  @Test
  void aTimelineHasTheTracksOfEachRank() throws IOException {
    String html = page(two.toString());
    Element timeline = drawing(html, "epoch 2");
    List<String> texts = Drawings.elements(timeline, "text").map(Element::getTextContent).toList();
    assertThat(texts)
        .contains("rank 0 compute", "rank 0 communication", "rank 1 compute", "milliseconds")
        .contains("spmm", "matmul", "communication");
    assertThat(Drawings.elements(timeline, "title").map(Element::getTextContent))
        .anyMatch(tip -> tip.matches("spmm.*: \\d+\\.\\d{3} ms"));
  }

  @Test
  void aPrunedRunShowsItsSparsity() throws IOException {
    String html = page(pruned.toString());
    assertThat(html).contains("4 iterations", "perplexity", "Pruning");
    Element sparsity = drawing(html, "sparsity by iteration: ");
    String[] points = lines(sparsity).getFirst().getAttribute("points").split(" ");
    double[] heights =
        Arrays.stream(points)
            .mapToDouble(p -> Double.parseDouble(p.substring(p.indexOf(',') + 1)))
            .toArray();
    assertThat(heights).hasSize(4);
    assertThat(heights[3]).isLessThan(heights[0]);
    List<String> tips = tips(drawing(html, "Survivors and pruned elements"));
    JsonNode inspected = ok("prune inspect %s --json".formatted(pruned)).json();
    for (JsonNode matrix : inspected.get("matrices")) {
      long survivors = matrix.get("survivors").asLong();
      long elements = matrix.get("rows").asLong() * matrix.get("cols").asLong();
      assertThat(tips)
          .contains(
              "%,d of %,d survive".formatted(survivors, elements),
              "%,d are pruned".formatted(elements - survivors));
    }
    assertThat(html)
        .contains(
            "%,d of %,d elements of the matrices survive"
                .formatted(
                    inspected.get("survivors").asLong(), inspected.get("elements").asLong()));
  }

  private static List<String> tips(Element drawing) {
    return Drawings.elements(drawing, "title").map(Element::getTextContent).toList();
  }

  @Test
  void eachRankShowsItsTime() throws IOException {
    Element ranks = drawing(page(two.toString()), "Seconds by rank");
    List<String> texts = Drawings.elements(ranks, "text").map(Element::getTextContent).toList();
    assertThat(texts).contains("rank 0", "rank 1", "spmm", "matmul", "exchange");
    JsonNode sent = new JsonMapper().readTree(two.resolve("traffic.json").toFile()).get("sent");
    for (JsonNode rank : sent) {
      double seconds = rank.get("phase_seconds").get("spmm").asDouble();
      assertThat(seconds).isPositive();
      assertThat(tips(ranks)).contains(String.format(Locale.ROOT, "spmm: %.3f s", seconds));
    }
    assertThat(page(one.toString())).doesNotContain("Seconds by rank");
  }

  @Test
  void cachesShowHowOftenAndHowOld() throws IOException {
    String html = page(kept.toString());
    List<String> lines = Files.readAllLines(kept.resolve("metrics.jsonl"));
    JsonNode last = new JsonMapper().readTree(lines.getLast());
    double hitRate = last.get("cache_hit_rate").asDouble();
    double age = last.get("staleness").asDouble();
    assertThat(hitRate).isBetween(0.2, 1.0);
    assertThat(age).isBetween(1.0, 20.0);
    assertThat(drawing(html, "cache hit rate by epoch").getAttribute("aria-label"))
        .endsWith(String.format(Locale.ROOT, "to %.4g", hitRate));
    assertThat(drawing(html, "age of embeddings by epoch").getAttribute("aria-label"))
        .endsWith(String.format(Locale.ROOT, "to %.4g", age));
    assertThat(page(two.toString())).doesNotContain("cache hit rate");
  }

  @Tag("slow")
  @Test
  void drawingsAreFilesToo() throws IOException {
    Path charts = folder.resolve("charts");
    Path page = folder.resolve("page.html");
    JsonNode found =
        ok("report %s --json --out %s --charts %s".formatted(two, page, charts)).json();
    assertThat(found.get("file").asString()).isEqualTo(page.toString());
    assertThat(found.get("charts")).hasSizeGreaterThan(4);
    for (JsonNode chart : found.get("charts")) {
      Path file = Path.of(chart.asString());
      if (file.toString().endsWith(".svg")) {
        Element drawing = Drawings.parsed(Files.readString(file));
        assertThat(drawing.getTagName()).isEqualTo("svg");
        String png = file.getFileName().toString().replace(".svg", ".png");
        if (PngImage.isPossible()) {
          BufferedImage image = ImageIO.read(file.resolveSibling(png).toFile());
          assertThat((double) image.getWidth()).isEqualTo(2 * Drawings.number(drawing, "width"));
        }
      }
    }
    ok("report %s --force --out %s --charts %s".formatted(one, page, charts));
    Files.writeString(charts.resolve("mine.txt"), "mine");
    Cli refused = Cli.run("report", one.toString(), "--charts", charts.toString());
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err()).contains("mine.txt").hasLineCount(1);
    assertThat(charts.resolve("mine.txt")).hasContent("mine");
  }

  @Test
  void whatIsNoReportIsNotReplaced() throws IOException {
    Path mine = Files.writeString(folder.resolve("page.html"), "mine");
    Cli refused = Cli.run("report", one.toString(), "--out", mine.toString());
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.err())
        .isEqualTo(
            "gossamer: %s: expected a new file or an earlier report, found something else; choose another name, or --force to replace it%n",
            mine);
    assertThat(mine).hasContent("mine");
    assertThat(page(one.toString())).startsWith("<!DOCTYPE html>");
    ok("report %s --out %s".formatted(one, mine));
  }

  @Test
  void aRunThatHasJustBegunHasAPage() throws IOException {
    Path begun = Files.createDirectories(folder.resolve("begun"));
    Files.copy(one.resolve("config.yaml"), begun.resolve("config.yaml"));
    assertThat(page(begun.toString())).contains("No step has been finished yet.", "0 epochs");
    List<String> lines = Files.readAllLines(one.resolve("metrics.jsonl"));
    Files.writeString(begun.resolve("metrics.jsonl"), lines.getFirst() + "\n{\"epoch\":");
    assertThat(page(begun.toString())).contains("1 epochs");
  }

  @Test
  void namesFromFilesAreTextAlone() throws IOException {
    Path run = Files.createDirectories(folder.resolve("<b>run"));
    Files.writeString(run.resolve("config.yaml"), "model: '<script>'\n'<i>': 1\n");
    Files.writeString(
        run.resolve("metrics.jsonl"),
        "{\"epoch\":1,\"loss\":1,\"phase_seconds\":{\"<u>\":1},\"test\":{\"../../x\":1,\"loss\":1e308}}\n");
    assertThat(page(run.toString()))
        .doesNotContain("<b>", "<i>", "<script>", "<u>", "../../x")
        .contains("&lt;script&gt;", "&lt;u&gt;");
  }

  @Test
  void whatIsMissingIsSaid() {
    Cli none = Cli.run("report", folder.toString(), "--json");
    assertThat(none.status()).isEqualTo(2);
    assertThat(none.err())
        .contains("expected a run folder with config.yaml or metrics.jsonl, found neither");
    Cli several = Cli.run("report", one.toString(), two.toString());
    assertThat(several.status()).isEqualTo(2);
    assertThat(several.err())
        .startsWith("gossamer: --out: expected a file for the page of several runs, found none");
  }
}
