package dev.gossamer.gnn.historical;

import dev.gossamer.matrix.random.Philox;
import java.util.Arrays;

/// The rows of one layer that are pushed to one rank: MB's `Sample(sv', deg(sv'))` (Algorithm 2,
/// line 20).
final class PushSelection {
  private static final int STREAM = 0x48454300;

  private int[] chosen = {};
  private int count;
  private double[] keys = {};

  void clear() {
    count = 0;
  }

  void add(int row) {
    if (count == chosen.length) {
      chosen = Arrays.copyOf(chosen, Math.max(64, 2 * count));
    }
    chosen[count++] = row;
  }

  /// Returns the selected rows, in the order in which they were added.
  int[] rows() {
    return Arrays.copyOf(chosen, count);
  }

  /// The degrees of the added rows.
  @FunctionalInterface
  interface Degrees {
    int of(int row);
  }

  /// Identifies the random numbers of a selection.
  record Place(long seed, int turn, int layer, int peer) {
    Philox philox() {
      return Philox.keyed(seed, STREAM, 0);
    }
  }

  /// Keeps `limit` rows, drawn without replacement with probabilities proportional to the degrees
  /// (P. Efraimidis and P. Spirakis, *Weighted random sampling with a reservoir*, 2006: those with
  /// the smallest `E / degree` for exponential `E`). Cost: on average linear in the number of added
  /// rows.
  void limit(int limit, Degrees degrees, Place place) {
    if (count <= limit) {
      return;
    }
    if (keys.length < 2 * count) {
      keys = new double[2 * count];
    }
    Philox philox = place.philox();
    for (int i = 0; i < count; i++) {
      long word = philox.low(chosen[i], place.turn(), place.layer(), place.peer());
      double uniform = ((word >>> 11) + 0.5) * 0x1p-53;
      keys[i] = -Math.log(uniform) / Math.max(1, degrees.of(chosen[i]));
    }
    System.arraycopy(keys, 0, keys, count, count);
    double largest = limit == 0 ? -1 : smallest(keys, count, 2 * count, limit);
    int kept = 0;
    for (int i = 0; i < count && kept < limit; i++) {
      if (keys[i] <= largest) {
        chosen[kept++] = chosen[i];
      }
    }
    count = kept;
  }

  /// The `k`-th smallest of some keys, by quickselect; their order is changed.
  private static double smallest(double[] keys, int from, int to, int k) {
    int low = from;
    int high = to - 1;
    int wanted = from + k - 1;
    while (low < high) {
      double pivot = keys[(low + high) >>> 1];
      int i = low;
      int j = high;
      while (i <= j) {
        while (keys[i] < pivot) {
          i++;
        }
        while (keys[j] > pivot) {
          j--;
        }
        if (i <= j) {
          double swapped = keys[i];
          keys[i++] = keys[j];
          keys[j--] = swapped;
        }
      }
      if (wanted <= j) {
        high = j;
      } else if (wanted >= i) {
        low = i;
      } else {
        break;
      }
    }
    return keys[wanted];
  }
}
