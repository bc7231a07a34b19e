package dev.gossamer.gnn.fullgraph;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.Workers;
import dev.gossamer.base.trace.Timeline;
import dev.gossamer.comm.Link;
import dev.gossamer.comm.Operation;
import dev.gossamer.comm.Traffic;
import dev.gossamer.comm.threads.ThreadOptions;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.ExchangeStrategy;
import dev.gossamer.exchange.ExchangeStrategy.Kind;
import dev.gossamer.exchange.PlacedGraph;
import dev.gossamer.exchange.Placement;
import dev.gossamer.gnn.link.LinkDecoder;
import dev.gossamer.gnn.stack.Finish;
import dev.gossamer.gnn.stack.Gcn;
import dev.gossamer.gnn.stack.NetworkSettings;
import dev.gossamer.gnn.stack.NetworkSettings.Decayed;
import dev.gossamer.gnn.stack.NetworkTraining;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Normalisation;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.nn.clock.PhaseClock;
import dev.gossamer.nn.layers.Kernels;
import dev.gossamer.nn.optimizer.OptimizerRule;
import dev.gossamer.run.RankLog;
import dev.gossamer.run.RunFolder;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// What a distributed training leaves in `trace.json` and `traffic.json`.
class RankLogTest {
  private static final int N = 61;
  private static final int EPOCHS = 3;
  private static final int TRACED = 2;
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private static final Link LINK = Link.parse("1us,0");

  @TempDir private Path folder;

  /// What the ranks knew when they had trained.
  ///
  /// @param run all that a rank had sent when its log was written
  /// @param epoch what it sent in the last epoch
  private record Known(Traffic.Snapshot run, Traffic.Snapshot epoch) {}

  /// What a rank records.
  private record RankTimeline(int rank, Timeline timeline) {}

  /// Lets the first rank come first to the exchange: the others begin when it waits for them. Until
  /// then no transfer of the first rank can end.
  private static final class FirstComesFirst implements Consumer<RankTimeline> {
    private final CompletableFuture<Timeline> first = new CompletableFuture<>();

    @Override
    public void accept(RankTimeline mine) {
      if (mine.rank == 0) {
        first.complete(mine.timeline);
        return;
      }
      Timeline watched = first.join();
      while (!watched.innermost().startsWith("wait for ")) {
        // So are ranks ended if another fails.
        assertThat(Thread.interrupted()).isFalse();
        Thread.onSpinWait();
      }
    }
  }

  /// An interval of the trace, in microseconds.
  private record Drawn(
      int rank, boolean transfer, String name, BigDecimal begin, BigDecimal end, JsonNode args) {
    boolean meets(Drawn other) {
      return begin.compareTo(other.end) < 0 && other.begin.compareTo(end) < 0;
    }

    boolean holds(Drawn other) {
      return begin.compareTo(other.begin) <= 0 && other.end.compareTo(end) <= 0;
    }
  }

  private Map<Integer, Known> train(int ranks, ExchangeStrategy strategy, int epochs, int traced) {
    return train(ranks, strategy, null, epochs, traced, _ -> {});
  }

  /// @param begin runs on each rank before its first epoch, with its number and its timeline
  private Map<Integer, Known> train(
      int ranks,
      ExchangeStrategy strategy,
      @Nullable Link link,
      int epochs,
      int traced,
      Consumer<RankTimeline> begin) {
    NetworkSettings settings =
        new NetworkSettings(
            new Gcn(),
            List.of(12),
            0,
            0,
            0,
            Normalisation.SYMMETRIC,
            true,
            Decayed.ALL,
            Finish.USUAL,
            LinkDecoder.DOT);
    Placement placement = Placement.random(N, strategy.blocks(ranks), 5);
    Map<Integer, Known> known = new ConcurrentHashMap<>();
    try (GraphData dataset = SmallGraphs.of(N, 7, false, false, 1)) {
      ThreadRanks.run(
          ranks,
          ThreadOptions.DEFAULT.withLink(link),
          world -> {
            RankLog log = RankLog.of(world, Timeline.ofEpochs(traced), link != null);
            try (Workers workers = new Workers(1);
                FullGraphTrainer training =
                    new FullGraphTrainer(
                        world,
                        new PlacedGraph(dataset, placement),
                        strategy,
                        new NetworkTraining(settings, new OptimizerRule.Adam(0), 3),
                        new Kernels(workers, Matmul.java(), new PhaseClock(log.timeline())))) {
              begin.accept(new RankTimeline(world.rank(), log.timeline()));
              for (int epoch = 0; epoch < epochs; epoch++) {
                training.train(epoch, 0.01);
                log.epoch(epoch + 1, training.sent(), Map.of("spmm", 0.25 * (world.rank() + 1)));
              }
              known.put(world.rank(), new Known(world.traffic().snapshot(), training.sent()));
              log.write(new RunFolder(folder));
            }
          });
    }
    return known;
  }

  private List<Drawn> trace() {
    JsonNode events = JSON.readTree(folder.resolve("trace.json").toFile()).get("traceEvents");
    List<Drawn> drawn = new ArrayList<>();
    Map<String, JsonNode> begun = new HashMap<>();
    for (JsonNode event : events) {
      String id = event.path("id").asString("");
      switch (event.get("ph").asString()) {
        case "X" -> drawn.add(drawn(event, event, time(event).add(decimal(event, "dur"))));
        case "b" -> assertThat(begun.put(id, event)).isNull();
        case "e" -> {
          JsonNode begin = Objects.requireNonNull(begun.remove(id));
          assertThat(event.get("name")).isEqualTo(begin.get("name"));
          drawn.add(drawn(begin, event, time(event)));
        }
        default -> assertThat(event.get("ph").asString()).isEqualTo("M");
      }
    }
    assertThat(begun).isEmpty();
    return drawn;
  }

  private static Drawn drawn(JsonNode begin, JsonNode end, BigDecimal until) {
    assertThat(end.get("pid")).isEqualTo(begin.get("pid"));
    return new Drawn(
        begin.get("pid").asInt(),
        begin.get("tid").asInt() == 1,
        begin.get("name").asString(),
        time(begin),
        until,
        begin.get("args"));
  }

  private static BigDecimal time(JsonNode event) {
    return decimal(event, "ts");
  }

  private static BigDecimal decimal(JsonNode event, String name) {
    return event.get(name).decimalValue();
  }

  private static List<Drawn> of(List<Drawn> drawn, int rank, boolean transfer) {
    return drawn.stream().filter(d -> d.rank == rank && d.transfer == transfer).toList();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void computationsNestAndTransfersLieInTheEpochs(Kind kind) {
    int ranks = 4;
    Map<Integer, Known> known = train(ranks, new ExchangeStrategy(kind, 2, true), EPOCHS, TRACED);
    List<Drawn> all = trace();
    for (int rank = 0; rank < ranks; rank++) {
      List<Drawn> computed = of(all, rank, false);
      Deque<Drawn> open = new ArrayDeque<>();
      for (Drawn each : computed) {
        assertThat(each.begin.compareTo(each.end)).isNotPositive();
        while (!open.isEmpty() && !open.peek().meets(each)) {
          open.pop();
        }
        String within = each.args.get("within").asString();
        assertThat(within).isEqualTo(open.isEmpty() ? "" : open.peek().name);
        assertThat(open.isEmpty() || open.peek().holds(each)).isTrue();
        open.push(each);
      }
      assertThat(computed).extracting(Drawn::name).contains("layer 2 backward", "optimizer");
      for (int epoch = 1; epoch <= TRACED; epoch++) {
        Drawn whole = named(computed, "epoch " + epoch);
        List<Drawn> sent = of(all, rank, true).stream().filter(whole::holds).toList();
        assertThat(sent).extracting(d -> d.args.get("epoch").asInt()).containsOnly(epoch);
        assertThat(sent.stream().mapToLong(d -> d.args.get("bytes_sent").asLong()).sum())
            .isEqualTo(Objects.requireNonNull(known.get(rank)).epoch.totalBytes());
      }
      assertThat(computed).extracting(Drawn::name).doesNotContain("epoch " + (TRACED + 1));
    }
  }

  private static Drawn named(List<Drawn> drawn, String name) {
    return drawn.stream().filter(d -> d.name.equals(name)).findFirst().orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    "SPARSITY_AWARE, true",
    "SPARSITY_AWARE, false",
    "OBLIVIOUS, true",
    "OBLIVIOUS, false"
  })
  void transfersMeetProductsOnlyWithOverlap(Kind kind, boolean overlap) {
    train(3, new ExchangeStrategy(kind, 1, overlap), LINK, 1, 1, new FirstComesFirst());
    List<Drawn> all = trace();
    for (int rank = 0; rank < 3; rank++) {
      List<Drawn> moved =
          of(all, rank, true).stream()
              .filter(d -> d.name.equals("gather rows") || d.name.startsWith("broadcast block"))
              .toList();
      List<Drawn> products =
          of(all, rank, false).stream().filter(d -> d.name.startsWith("spmm ")).toList();
      assertThat(moved).isNotEmpty();
      assertThat(products).isNotEmpty();
      boolean meets = moved.stream().anyMatch(d -> products.stream().anyMatch(d::meets));
      // With overlap the first rank has multiplied its own tile before the others have begun;
      // whether their transfers take that long is left open.
      if (rank == 0 || !overlap) {
        assertThat(meets).isEqualTo(overlap);
      }
    }
  }

  @Test
  void trafficIsWhatWasMetered() {
    int ranks = 4;
    Map<Integer, Known> known =
        train(ranks, new ExchangeStrategy(Kind.SPARSITY_AWARE, 2, false), EPOCHS, 0);
    assertThat(folder.resolve("trace.json")).doesNotExist();
    JsonNode sent = JSON.readTree(folder.resolve("traffic.json").toFile()).get("sent");
    assertThat(sent).hasSize(ranks);
    for (int rank = 0; rank < ranks; rank++) {
      Known expected = Objects.requireNonNull(known.get(rank));
      JsonNode found = sent.get(rank);
      assertThat(found.get("rank").asInt()).isEqualTo(rank);
      assertSame(found.get("run"), expected.run);
      assertThat(found.get("phase_seconds").get("spmm").asDouble())
          .isEqualTo(EPOCHS * 0.25 * (rank + 1));
      assertThat(found.get("epochs")).hasSize(1);
      JsonNode epochs = found.get("epochs").get(0);
      assertThat(epochs.get("first").asInt()).isEqualTo(1);
      assertThat(epochs.get("last").asInt()).isEqualTo(EPOCHS);
      assertSame(epochs, expected.epoch);
    }
  }

  private static void assertSame(JsonNode found, Traffic.Snapshot expected) {
    assertThat(expected.totalBytes()).isPositive();
    assertThat(found.get("messages").asLong()).isEqualTo(expected.totalMessages());
    assertThat(found.get("bytes").asLong()).isEqualTo(expected.totalBytes());
    for (Operation operation : Operation.values()) {
      JsonNode counts = found.get("operations").path(operation.label());
      assertThat(counts.path("bytes").asLong(0)).isEqualTo(expected.bytes(operation));
      assertThat(counts.path("messages").asLong(0)).isEqualTo(expected.messages(operation));
      for (int peer = 0; peer < expected.size(); peer++) {
        int to = peer;
        JsonNode cell =
            IntStream.range(0, counts.path("to").size())
                .mapToObj(i -> counts.get("to").get(i))
                .filter(node -> node.get("rank").asInt() == to)
                .findFirst()
                .orElse(JSON.createObjectNode());
        assertThat(cell.path("bytes").asLong(0)).isEqualTo(expected.bytes(operation, peer));
        assertThat(cell.path("messages").asLong(0)).isEqualTo(expected.messages(operation, peer));
      }
    }
  }

  @Test
  void epochsThatDifferAreListedApart() {
    RankLog log = RankLog.of(ThreadRanks.alone(), Timeline.OFF, true);
    Traffic traffic = new Traffic(1);
    Traffic.Snapshot none = traffic.snapshot();
    traffic.count(Operation.SEND, 0, 8);
    Traffic.Snapshot some = traffic.snapshot();
    int epoch = 11;
    for (Traffic.Snapshot each : List.of(none, none, some, none)) {
      log.epoch(epoch++, each, Map.of("spmm", 0.25));
    }
    log.write(new RunFolder(folder));
    JsonNode epochs =
        JSON.readTree(folder.resolve("traffic.json").toFile()).get("sent").get(0).get("epochs");
    assertThat(epochs.valueStream().map(e -> e.get("first") + "-" + e.get("last")))
        .containsExactly("11-12", "13-13", "14-14");
  }
}
