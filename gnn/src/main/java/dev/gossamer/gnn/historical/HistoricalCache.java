package dev.gossamer.gnn.historical;

import dev.gossamer.base.Workers;
import dev.gossamer.matrix.DenseMatrix;
import dev.gossamer.nn.state.Safetensors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/// A historical embedding cache, HEC (MB, section 3.2): rows of one layer's input for remote
/// vertices, in `cs` lines that are tagged with the vertex and with the batch that computed the
/// row.
///
/// Batches are numbered from the beginning of the run, across epochs, identically on all ranks.
/// Lines are in a list ordered by age. A new row replaces the row of its vertex, otherwise takes a
/// free line, otherwise the oldest. Rows older than the life-span are dropped from the old end of
/// the list, so that a batch only touches lines that it changes. Tags are found in a hash table
/// with linear probing. All memory is off-heap and allocated once: `cs` rows and at most 32 bytes
/// per line. Not thread-safe; rows are copied by many threads.
public final class HistoricalCache {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final int NONE = -1;

  /// `2^32` over the golden ratio: spreads consecutive vertices (Knuth, volume 3, section 6.4).
  private static final int SPREAD = 0x9E3779B1;

  private final int capacity;
  private final int life;
  private final DenseLines lines;
  private final MemorySegment tags;
  private final MemorySegment madeIn;
  private final MemorySegment older;
  private final MemorySegment newer;
  private final MemorySegment table;
  private final int mask;
  private final int shift;
  private int size;
  private long expired;
  private long replaced;
  private int touched;
  private int free = NONE;
  private int oldest = NONE;
  private int newest = NONE;

  /// @param arena shared, owner of the list and the table
  /// @param capacity `cs`
  /// @param life `ls`
  /// @param lines `cs` of them
  HistoricalCache(Arena arena, int capacity, int life, DenseLines lines) {
    this.capacity = capacity;
    this.life = life;
    this.lines = lines;
    tags = ints(arena, capacity);
    madeIn = ints(arena, capacity);
    older = ints(arena, capacity);
    newer = ints(arena, capacity);
    int slots = slots(capacity);
    table = ints(arena, slots);
    mask = slots - 1;
    shift = Integer.SIZE - Integer.numberOfTrailingZeros(slots);
    clear();
  }

  private static MemorySegment ints(Arena arena, int count) {
    return arena.allocate(INT, count);
  }

  /// A power of two, at most half of which is in use.
  private static int slots(int capacity) {
    return Math.max(4, Integer.highestOneBit(Math.max(1, capacity)) << 2);
  }

  /// Returns the bytes besides the lines.
  static long bytes(int capacity) {
    return (4L * capacity + slots(capacity)) * Integer.BYTES;
  }

  /// Returns the rows.
  DenseLines lines() {
    return lines;
  }

  /// Returns the number of cached rows.
  int size() {
    return size;
  }

  /// Removes all rows.
  void clear() {
    table.fill((byte) NONE);
    size = 0;
    touched = 0;
    free = NONE;
    oldest = NONE;
    newest = NONE;
  }

  /// Returns the line of a vertex (HECSearch).
  ///
  /// @param batch number of the current batch
  /// @return -1 if there is no row, or only one that is older than the life-span
  int search(int vertex, int batch) {
    int line = table.getAtIndex(INT, slotOf(vertex));
    return line == NONE || age(line, batch) > life ? NONE : line;
  }

  /// Returns the age of a line's row in batches.
  int age(int line, int batch) {
    return batch - madeIn.getAtIndex(INT, line);
  }

  /// Stores rows of vertices, or the first of them if there are more than lines (HECStore).
  ///
  /// @param vertices distinct
  /// @param packed their rows, as packed by [DenseLines#pack]
  /// @param batch number of the batch that computed them, not less than in earlier calls
  void store(int[] vertices, MemorySegment packed, int batch, Workers workers) {
    int[] to = new int[Math.min(capacity, vertices.length)];
    for (int i = 0; i < to.length; i++) {
      to[i] = lineFor(vertices[i], batch);
    }
    lines.put(packed, to, workers);
  }

  /// Drops the rows that are too old for a batch.
  void purge(int batch) {
    while (oldest != NONE && age(oldest, batch) > life) {
      int line = removeOldest();
      newer.setAtIndex(INT, line, free);
      free = line;
      expired++;
    }
  }

  /// Returns the rows so far that were dropped, as they were too old.
  long expired() {
    return expired;
  }

  /// Returns the rows so far that gave way to those of other vertices.
  long replaced() {
    return replaced;
  }

  /// Returns the number of lines.
  int capacity() {
    return capacity;
  }

  /// Returns the rows of some lines as a tensor.
  ///
  /// @param arena shared, owner of the rows
  Safetensors.Tensor rows(Arena arena, int[] from, Workers workers) {
    DenseMatrix to = DenseMatrix.allocate(arena, from.length, lines.width());
    lines.load(from, to, workers);
    return new Safetensors.Tensor(List.of(to.rows(), (long) to.cols()), to.data());
  }

  /// Returns the lines with rows, oldest first.
  int[] linesByAge() {
    int[] byAge = new int[size];
    int line = oldest;
    for (int i = 0; i < size; i++) {
      byAge[i] = line;
      line = newer.getAtIndex(INT, line);
    }
    return byAge;
  }

  /// Returns the vertex of a line.
  int vertex(int line) {
    return tags.getAtIndex(INT, line);
  }

  /// Returns the batch that computed the row of a line.
  int madeIn(int line) {
    return madeIn.getAtIndex(INT, line);
  }

  /// Replaces all rows.
  ///
  /// @param vertices distinct, at most one per line, oldest row first
  /// @param batches that computed the rows, ascending
  /// @param rows float32, one for each vertex
  void restore(int[] vertices, int[] batches, MemorySegment rows) {
    clear();
    for (int i = 0; i < vertices.length; i++) {
      lineFor(vertices[i], batches[i]);
    }
    // Lines are taken in turn when none has had a row.
    lines.first(vertices.length).copyFrom(rows);
  }

  private int lineFor(int vertex, int batch) {
    int line = table.getAtIndex(INT, slotOf(vertex));
    if (line != NONE) {
      unlink(line);
    } else {
      if (size == capacity) {
        line = removeOldest();
        replaced++;
      } else {
        line = freeLine();
      }
      tags.setAtIndex(INT, line, vertex);
      table.setAtIndex(INT, slotOf(vertex), line);
      size++;
    }
    madeIn.setAtIndex(INT, line, batch);
    append(line);
    return line;
  }

  /// A line without a row: one that had one, or one that never had.
  private int freeLine() {
    if (free == NONE) {
      return touched++;
    }
    int line = free;
    free = newer.getAtIndex(INT, line);
    return line;
  }

  private int removeOldest() {
    int line = oldest;
    int slot = slotOf(tags.getAtIndex(INT, line));
    if (table.getAtIndex(INT, slot) != line) {
      throw new IllegalStateException(
          "vertex %d: its row is in line %d, but the table does not lead there"
              .formatted(tags.getAtIndex(INT, line), line));
    }
    unlink(line);
    forget(slot);
    size--;
    return line;
  }

  private void append(int line) {
    older.setAtIndex(INT, line, newest);
    newer.setAtIndex(INT, line, NONE);
    if (newest == NONE) {
      oldest = line;
    } else {
      newer.setAtIndex(INT, newest, line);
    }
    newest = line;
  }

  private void unlink(int line) {
    int before = older.getAtIndex(INT, line);
    int after = newer.getAtIndex(INT, line);
    if (before == NONE) {
      oldest = after;
    } else {
      newer.setAtIndex(INT, before, after);
    }
    if (after == NONE) {
      newest = before;
    } else {
      older.setAtIndex(INT, after, before);
    }
  }

  /// Where a vertex should be in the table.
  private int home(int vertex) {
    return (vertex * SPREAD) >>> shift;
  }

  /// Where a vertex is in the table, or the empty slot that it would take.
  private int slotOf(int vertex) {
    int slot = home(vertex);
    while (true) {
      int line = table.getAtIndex(INT, slot);
      if (line == NONE || tags.getAtIndex(INT, line) == vertex) {
        return slot;
      }
      slot = slot + 1 & mask;
    }
  }

  /// Empties a slot, and moves those behind it forward that would not be found over the gap.
  private void forget(int slot) {
    int gap = slot;
    for (int next = gap + 1 & mask; ; next = next + 1 & mask) {
      int line = table.getAtIndex(INT, next);
      if (line == NONE) {
        table.setAtIndex(INT, gap, NONE);
        return;
      }
      int home = home(tags.getAtIndex(INT, line));
      if ((next - home & mask) >= (next - gap & mask)) {
        table.setAtIndex(INT, gap, line);
        gap = next;
      }
    }
  }
}
