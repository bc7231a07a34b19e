package dev.gossamer.gnn.historical;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.Workers;
import dev.gossamer.comm.threads.ThreadRanks;
import dev.gossamer.exchange.RowDistribution;
import dev.gossamer.gnn.historical.HistoricalSettings.OnMiss;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.format.RowFormat;
import dev.gossamer.nn.state.Safetensors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a rank reads of a checkpoint, and what it refuses.
class HistoricalStateTest {
  private static final RowDistribution BLOCKS = RowDistribution.even(4, 2);

  @TempDir Path folder;

  /// The state of rank 0 of a path 0-1-2-3: a cache of two lines, 2 numbers wide, in which only
  /// vertex 2 is of use, and vertex 1 of its own with a copy elsewhere.
  private void withState(BiConsumer<HistoricalState, HistoricalCache> action) {
    ThreadRanks.run(
        2,
        world -> {
          try (Arena arena = Arena.ofShared();
              Workers workers = new Workers(1)) {
            int rank = world.rank();
            CsrMatrix rows =
                rank == 0
                    ? CsrMatrix.of(arena, 4, new long[] {0, 1, 3}, new int[] {1, 0, 2}, null)
                    : CsrMatrix.of(arena, 4, new long[] {0, 2, 3}, new int[] {1, 3, 2}, null);
            HaloPartition partition = new HaloPartition(2 * rank, rows);
            HaloDirectory directory = new HaloDirectory(world, BLOCKS, 2, partition.halos());
            HistoricalCache cache =
                new HistoricalCache(arena, 2, 9, new DenseLines(arena, 2, 2, RowFormat.FLOAT32));
            PushPlan plan =
                new PushPlan(
                    2,
                    partition,
                    List.of(directory),
                    new int[] {1, 2},
                    List.of(new int[] {1, 1}),
                    new HistoricalSettings(2, 9, 5, 1, OnMiss.DROP),
                    9,
                    7);
            EmbeddingPush push =
                new EmbeddingPush(world.split(0, rank), List.of(cache), 1, workers);
            HistoricalState state =
                new HistoricalState(
                    world,
                    BLOCKS,
                    rank,
                    9,
                    List.of(cache),
                    plan,
                    push,
                    new HistoricalState.Clock(),
                    workers);
            if (rank == 0) {
              action.accept(state, cache);
            }
            push.close();
          }
        });
  }

  /// A file with some facts and tensors replaced by others.
  private Path file(Map<String, String> facts, Map<String, int[]> tensors) {
    Map<String, String> metadata = new HashMap<>(Map.of("rank", "0", "ranks", "2", "turns", "5"));
    metadata.putAll(facts);
    Map<String, int[]> ints = new LinkedHashMap<>();
    ints.put("layer-1.vertices", new int[] {2});
    ints.put("layer-1.batches", new int[] {3});
    ints.put("layer-1.pushed", new int[] {4});
    ints.put("flights", new int[] {4});
    ints.put("flight-0.numbers", new int[] {0, 1});
    ints.putAll(tensors);
    Path path = folder.resolve("rank.safetensors");
    try (Arena arena = Arena.ofConfined()) {
      Map<String, Safetensors.Tensor> all = new LinkedHashMap<>();
      ints.forEach((name, values) -> all.put(name, tensor(arena, Safetensors.Dtype.I32, values)));
      all.put("layer-1.rows", tensor(arena, Safetensors.Dtype.F32, new int[] {0, 0}));
      // A vertex and a row.
      all.put("flight-0.rows", tensor(arena, Safetensors.Dtype.U8, new int[] {3, 0, 0}));
      new Safetensors(all, metadata).write(path);
    }
    return path;
  }

  private static Safetensors.Tensor tensor(Arena arena, Safetensors.Dtype type, int[] values) {
    MemorySegment data = arena.allocateFrom(ValueLayout.JAVA_INT, values);
    return new Safetensors.Tensor(type, List.of(data.byteSize() / type.bytes()), data);
  }

  @Test
  void readsWhatIsOfThisRun() {
    withState((state, cache) -> {
      state.read(file(Map.of(), Map.of()));
      assertThat(cache.size()).isEqualTo(1);
      assertThat(cache.age(cache.search(2, 5), 5)).isEqualTo(2);
    });
  }

  @Test
  void aFileSaysHowOldRowsMayBe() {
    assertThat(HistoricalState.life(file(Map.of("life", "12"), Map.of()))).isEqualTo(12);
    assertThatThrownBy(() -> HistoricalState.life(file(Map.of("life", "long"), Map.of())))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("life: expected 0 to 2147483647, found long");
  }

  @Test
  void refusesWhatIsNot() {
    refused(Map.of("rank", "1"), Map.of(), "rank: expected 0, found 1");
    refused(Map.of("ranks", "3"), Map.of(), "ranks: expected 2, found 3");
    refused(Map.of("turns", "many"), Map.of(), "turns: expected 0 to 2147483647, found many");
    refused(
        Map.of(),
        Map.of("layer-1.vertices", new int[] {1}),
        "tensor layer-1.vertices: expected distinct vertices of other ranks, found 1");
    refused(
        Map.of(),
        Map.of("layer-1.vertices", new int[] {4}),
        "tensor layer-1.vertices: expected distinct vertices of other ranks, found 4");
    refused(
        Map.of(),
        Map.of("layer-1.vertices", new int[] {2, 3, 2}),
        "tensor layer-1.vertices: expected at most 2 elements, found 3");
    refused(
        Map.of(),
        Map.of("layer-1.batches", new int[] {5}),
        "layer-1.batches: expected 0 to 4, found 5");
    refused(
        Map.of(),
        Map.of("layer-1.batches", new int[] {1, 2}),
        "tensor layer-1.batches: expected 1 elements, found shape [2]");
    refused(
        Map.of(),
        Map.of("layer-1.pushed", new int[] {-2}),
        "layer-1.pushed: expected -1 to 4, found -2");
    refused(Map.of(), Map.of("flights", new int[] {7}), "flights: expected 0 to 4, found 7");
    refused(
        Map.of(),
        Map.of("flight-0.numbers", new int[] {0, -1}),
        "flight-0.numbers: expected 0 to 2147483647, found -1");
    refused(
        Map.of(),
        Map.of("flight-0.numbers", new int[] {1, 1}),
        "tensor flight-0.rows: expected 24 elements, found shape [12]");
  }

  private void refused(Map<String, String> facts, Map<String, int[]> tensors, String message) {
    Path path = file(facts, tensors);
    withState((state, cache) ->
        assertThatThrownBy(() -> state.read(path))
            .isInstanceOf(InvalidInputException.class)
            .hasMessageStartingWith(path + ": " + message));
  }
}
