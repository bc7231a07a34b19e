package dev.gossamer.gnn.historical;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.format.RowFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HistoricalCacheTest {
  private static final int WIDTH = 3;

  private final Arena arena = Arena.ofShared();
  private final Workers workers = new Workers(2);

  @AfterEach
  void free() {
    workers.close();
    arena.close();
  }

  /// What a row was made of: its value says its vertex and batch.
  private static float value(int vertex, int batch) {
    return vertex * 1000f + batch;
  }

  private MemorySegment packed(DenseLines lines, int[] vertices, int batch) {
    DenseMatrix x = DenseMatrix.allocate(arena, vertices.length, WIDTH);
    for (int i = 0; i < vertices.length; i++) {
      for (int j = 0; j < WIDTH; j++) {
        x.set(i, j, value(vertices[i], batch) + j);
      }
    }
    MemorySegment to = arena.allocate(lines.packedBytes(vertices.length));
    lines.pack(x, IntStream.range(0, vertices.length).toArray(), to, workers);
    return to;
  }

  @ParameterizedTest
  @CsvSource({"0,2", "1,2", "5,0", "5,1", "16,2", "40,3", "100,9"})
  void doesWhatAListOfRowsByAgeDoes(int capacity, int life) {
    DenseLines lines = new DenseLines(arena, capacity, WIDTH, RowFormat.FLOAT32);
    HistoricalCache cache = new HistoricalCache(arena, capacity, life, lines);
    // Oldest first; a row that comes again goes to the end.
    Map<Integer, Integer> model = new LinkedHashMap<>();
    SplittableRandom random = new SplittableRandom(capacity * 31L + life);
    long expired = 0;
    long replaced = 0;
    for (int batch = 0; batch < 200; batch++) {
      int now = batch;
      cache.purge(now);
      expired += model.values().stream().filter(made -> now - made > life).count();
      model.values().removeIf(made -> now - made > life);
      for (int peer = 0; peer < 2; peer++) {
        int[] vertices = random.ints(12, 0, 40).map(v -> 2 * v).distinct().toArray();
        cache.store(vertices, packed(lines, vertices, batch), batch, workers);
        for (int i = 0; i < Math.min(capacity, vertices.length); i++) {
          if (model.remove(vertices[i]) == null && model.size() == capacity) {
            model.remove(model.keySet().iterator().next());
            replaced++;
          }
          model.put(vertices[i], batch);
        }
      }
      assertThat(cache.size()).isEqualTo(model.size());
      assertThat(cache.expired()).isEqualTo(expired);
      assertThat(cache.replaced()).isEqualTo(replaced);
      int later = batch + random.nextInt(3);
      for (int v = 0; v < 80; v++) {
        int line = cache.search(v, later);
        Integer made = model.get(v);
        if (made == null || later - made > life) {
          assertThat(line).as("vertex %d", v).isEqualTo(-1);
        } else {
          assertThat(cache.age(line, later)).isEqualTo(later - made);
          DenseMatrix row = DenseMatrix.allocate(arena, 1, WIDTH);
          lines.load(new int[] {line}, row, workers);
          assertThat(row.get(0, 2)).isEqualTo(value(v, made) + 2);
        }
      }
    }
  }

  @Test
  void isEmptyWhenCleared() {
    DenseLines lines = new DenseLines(arena, 4, WIDTH, RowFormat.BF16);
    HistoricalCache cache = new HistoricalCache(arena, 4, 9, lines);
    int[] vertices = {7, 3, 5};
    cache.store(vertices, packed(lines, vertices, 0), 0, workers);
    cache.clear();
    assertThat(cache.search(3, 0)).isEqualTo(-1);
    assertThat(cache.size()).isZero();
    cache.store(vertices, packed(lines, vertices, 1), 1, workers);
    assertThat(cache.search(3, 1)).isNotNegative();
  }

  @Test
  void rowsAreRestoredInTheOrderOfTheirAge() {
    DenseLines lines = new DenseLines(arena, 4, WIDTH, RowFormat.FLOAT32);
    HistoricalCache cache = new HistoricalCache(arena, 4, 9, lines);
    cache.store(new int[] {7, 3, 5}, packed(lines, new int[] {7, 3, 5}, 0), 0, workers);
    cache.store(new int[] {3, 8}, packed(lines, new int[] {3, 8}, 2), 2, workers);
    int[] byAge = cache.linesByAge();
    int[] vertices = IntStream.of(byAge).map(cache::vertex).toArray();
    int[] batches = IntStream.of(byAge).map(cache::madeIn).toArray();
    assertThat(vertices).containsExactly(7, 5, 3, 8);
    assertThat(batches).containsExactly(0, 0, 2, 2);

    DenseLines others = new DenseLines(arena, 4, WIDTH, RowFormat.FLOAT32);
    HistoricalCache restored = new HistoricalCache(arena, 4, 9, others);
    restored.store(new int[] {1}, packed(others, new int[] {1}, 0), 0, workers);
    restored.restore(vertices, batches, cache.rows(arena, byAge, workers).data());
    assertThat(restored.search(1, 3)).isNegative();
    restored.store(new int[] {9}, packed(others, new int[] {9}, 3), 3, workers);
    assertThat(restored.search(7, 3)).as("the oldest, whose line was taken").isNegative();
    DenseMatrix row = DenseMatrix.allocate(arena, 1, WIDTH);
    others.load(new int[] {restored.search(3, 3)}, row, workers);
    assertThat(row.get(0, 1)).isEqualTo(value(3, 2) + 1);
    assertThat(restored.age(restored.search(5, 3), 3)).isEqualTo(3);
  }
}
