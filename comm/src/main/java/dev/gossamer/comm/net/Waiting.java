package dev.gossamer.comm.net;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What waits for its other side, in the order in which it began, by key.
///
/// @param <T> type of what waits
final class Waiting<T> {
  private final Map<Frame.Key, Deque<T>> queues = new HashMap<>();

  void add(Frame.Key key, T waiting) {
    queues.computeIfAbsent(key, _ -> new ArrayDeque<>(1)).add(waiting);
  }

  /// Takes the one that has waited longest; null if there is none.
  @Nullable T take(Frame.Key key) {
    Deque<T> queue = queues.get(key);
    if (queue == null) {
      return null;
    }
    T oldest = queue.remove();
    if (queue.isEmpty()) {
      queues.remove(key);
    }
    return oldest;
  }
}
