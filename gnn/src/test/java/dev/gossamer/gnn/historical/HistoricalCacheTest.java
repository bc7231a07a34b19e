package dev.gossamer.gnn.historical;

import static org.assertj.core.api.Assertions.assertThat;

import dev.gossamer.graph.Features;
import dev.gossamer.matrix.CsrMatrix;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.matrix.Workers;
import dev.gossamer.matrix.format.RowFormat;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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

  private MemorySegment packed(CacheLines lines, int[] vertices, int batch) {
    DenseMatrix x = DenseMatrix.allocate(arena, vertices.length, WIDTH);
    for (int i = 0; i < vertices.length; i++) {
      for (int j = 0; j < WIDTH; j++) {
        x.set(i, j, value(vertices[i], batch) + j);
      }
    }
    Features rows = new Features.Dense(x);
    int[] all = IntStream.range(0, vertices.length).toArray();
    MemorySegment to = arena.allocate(lines.packedBytes(rows, all));
    lines.pack(rows, all, to, workers);
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
    for (int batch = 0; batch < 200; batch++) {
      int now = batch;
      cache.purge(now);
      model.values().removeIf(made -> now - made > life);
      for (int peer = 0; peer < 2; peer++) {
        int[] vertices = random.ints(12, 0, 40).map(v -> 2 * v).distinct().toArray();
        cache.store(vertices, packed(lines, vertices, batch), batch, workers);
        for (int i = 0; i < Math.min(capacity, vertices.length); i++) {
          if (model.remove(vertices[i]) == null && model.size() == capacity) {
            model.remove(model.keySet().iterator().next());
          }
          model.put(vertices[i], batch);
        }
      }
      assertThat(cache.size()).isEqualTo(model.size());
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

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void sparseRowsComeBackAsTheyWere(boolean valued) {
    List<int[]> columns =
        List.of(new int[] {1, 4}, new int[] {}, new int[] {0, 2, 3}, new int[] {4});
    float[] values = {1.5f, -2, 3, 4, 5, 6};
    long[] pointers = {0, 2, 2, 5, 6};
    int[] all = columns.stream().flatMapToInt(IntStream::of).toArray();
    CsrMatrix x = CsrMatrix.of(arena, 5, pointers, all, valued ? values : null);
    SparseLines lines = new SparseLines(arena, 6, 5, 3, valued);
    Features rows = new Features.Sparse(x);
    int[] at = {2, 0, 1};
    MemorySegment to = arena.allocate(lines.packedBytes(rows, at));
    assertThat(to.byteSize()).isEqualTo(3 * 4 + 5 * (valued ? 8 : 4));
    lines.pack(rows, at, to, workers);
    lines.put(to, 3, new int[] {5, 1, 4}, workers);
    CsrMatrix loaded = lines.load(arena, new int[] {1, 4, 5, 1});
    List<String> found = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      for (long e = loaded.rowPointer(i); e < loaded.rowPointer(i + 1L); e++) {
        found.add("%d %d %s".formatted(i, loaded.column(e), loaded.value(e)));
      }
    }
    assertThat(found)
        .containsExactly(
            valued
                ? new String[] {
                  "0 1 1.5", "0 4 -2.0", "2 0 3.0", "2 2 4.0", "2 3 5.0", "3 1 1.5", "3 4 -2.0"
                }
                : new String[] {
                  "0 1 1.0", "0 4 1.0", "2 0 1.0", "2 2 1.0", "2 3 1.0", "3 1 1.0", "3 4 1.0"
                });
  }
}
