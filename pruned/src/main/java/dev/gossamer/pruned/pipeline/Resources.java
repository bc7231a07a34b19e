package dev.gossamer.pruned.pipeline;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;

/// The memory that an object has opened and owns. It is closed in the reverse order, also if the
/// object's construction fails half-way.
///
/// Groups of ranks do not belong here: to close one is collective, and a rank that fails is alone.
/// They end with the ranks.
final class Resources implements AutoCloseable {
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  private Resources() {}

  /// Makes an object that owns resources. What it has opened is closed again if it throws.
  ///
  /// @param made gets the resources of the object, which closes them when it is closed
  static <T> T owned(Function<Resources, T> made) {
    Resources resources = new Resources();
    try {
      return made.apply(resources);
    } catch (Throwable e) {
      try {
        resources.close();
      } catch (RuntimeException also) {
        e.addSuppressed(also);
      }
      throw e;
    }
  }

  /// Takes a resource over.
  <R extends AutoCloseable> R add(R resource) {
    opened.push(resource);
    return resource;
  }

  /// Closes all, the newest first; the first failure is thrown when all have been tried.
  @Override
  public void close() {
    RuntimeException failure = null;
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (Exception e) {
        RuntimeException next =
            e instanceof RuntimeException runtime ? runtime : new IllegalStateException(e);
        if (failure == null) {
          failure = next;
        } else {
          failure.addSuppressed(next);
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
