package dev.gossamer.run;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;

/// The memory that an object has opened and owns. It is closed in the reverse order, also if the
/// object's construction fails half-way.
///
/// Groups of ranks do not belong here: to close one is collective, and a rank that fails is alone.
/// They end with the ranks.
public final class Resources implements AutoCloseable {
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /// Nothing yet.
  public Resources() {}

  /// Makes an object that owns resources. What it has opened is closed again if it throws.
  ///
  /// @param <T> the object
  /// @param made gets the resources of the object, which closes them when it is closed
  /// @return the object
  public static <T> T owned(Function<Resources, T> made) {
    Resources resources = new Resources();
    try {
      return made.apply(resources);
    } catch (Throwable e) {
      resources.closeAfter(e);
      throw e;
    }
  }

  /// Closes all because the construction has failed.
  ///
  /// @param failure that is thrown next; what else fails is added to it
  public void closeAfter(Throwable failure) {
    try {
      close();
    } catch (RuntimeException also) {
      failure.addSuppressed(also);
    }
  }

  /// Takes a resource over.
  ///
  /// @param <R> the resource
  /// @param resource closed with the others
  /// @return the same
  public <R extends AutoCloseable> R add(R resource) {
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
