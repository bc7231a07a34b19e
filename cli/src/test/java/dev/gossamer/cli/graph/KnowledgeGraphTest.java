package dev.gossamer.cli.graph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.cli.Cli;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/// From tables of triples, without features, to recommendations by relation: the commands of the
/// guide.
class KnowledgeGraphTest {
  private static final int ENTITIES = 240;
  private static final int GROUPS = 6;

  @TempDir private Path folder;

  private static int group(String entity) {
    return Integer.parseInt(entity.substring(1)) % GROUPS;
  }

  /// Each entity knows some of its group, and works for some of the next one.
  private void writeTriples() throws IOException {
    StringBuilder triples = new StringBuilder("head\trelation\ttail\n");
    Random random = new Random(3);
    for (int i = 0; i < ENTITIES; i++) {
      for (int k = 0; k < 10; k++) {
        int other = random.nextInt(ENTITIES / GROUPS) * GROUPS + (i + k % 2) % GROUPS;
        if (other != i) {
          String relation = k % 2 == 0 ? "knows" : "works for";
          triples.append("e%d\t%s\te%d%n".formatted(i, relation, other));
        }
      }
    }
    Files.writeString(folder.resolve("triples.tsv"), triples);
  }

  private Cli run(String... command) {
    Cli cli =
        Cli.run(
            IntStream.range(0, command.length)
                .mapToObj(i -> command[i].replace("FOLDER", folder.toString()))
                .toArray(String[]::new));
    assertThat(cli.status()).as(cli.err()).isZero();
    return cli;
  }

  @Tag("slow")
  @Test
  void triplesBecomeRecommendationsByRelation() throws IOException {
    writeTriples();
    run("dataset import -q --edges FOLDER/triples.tsv --directed --out FOLDER/facts".split(" "));
    JsonNode trained =
        run("train -q --json --data FOLDER/facts --task links --model rgcn --features identity --hidden 32 --embedding 16 --dropout 0 --epochs 60 --lr 0.02 --candidates 20 --runs FOLDER/runs"
                .split(" "))
            .json();
    assertThat(trained.get("decoder").asString()).isEqualTo("bilinear");
    // Of 21 pairs at random: .17.
    assertThat(trained.get("test_mrr").asDouble()).isGreaterThan(0.3);
    String run = trained.get("run_folder").asString();
    int right = 0;
    for (String relation : new String[] {"knows", "works for"}) {
      JsonNode found =
          run(
                  "recommend",
                  run,
                  "-q",
                  "--json",
                  "--top",
                  "5",
                  "--for",
                  "e1,e50",
                  "--edge-type",
                  relation)
              .json();
      int step = relation.equals("knows") ? 0 : 1;
      for (JsonNode each : found.get("recommendations")) {
        int wanted = (group(each.get("vertex").asString()) + step) % GROUPS;
        for (JsonNode item : each.get("items")) {
          right += group(item.get("vertex").asString()) == wanted ? 1 : 0;
        }
      }
    }
    // Of 20; at random 3.
    assertThat(right).isGreaterThan(12);
    assertThat(probabilitiesOfTypes(run)).isGreaterThan(0.2);
  }

  /// How much likelier edges of the type that a group has to another are than those of the other
  /// type, on average.
  private double probabilitiesOfTypes(String run) throws IOException {
    StringBuilder pairs = new StringBuilder("head,tail,relation\n");
    for (int i = 0; i < ENTITIES - GROUPS; i++) {
      pairs.append("e%d,e%d,knows%n".formatted(i, i + GROUPS));
      pairs.append("e%d,e%d,works for%n".formatted(i, i + GROUPS));
    }
    Path asked = Files.writeString(folder.resolve("pairs.csv"), pairs);
    run("predict", run, "-q", "--pairs", asked.toString(), "--out", "FOLDER/scored.csv");
    double sum = 0;
    List<String> lines = Files.readAllLines(folder.resolve("scored.csv"));
    assertThat(lines.getFirst()).isEqualTo("head,tail,relation,probability");
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",", -1);
      sum += (cells[2].equals("knows") ? 1 : -1) * Double.parseDouble(cells[3]);
    }
    return sum / (ENTITIES - GROUPS);
  }
}
