package dev.gossamer.base;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Function;

/// The resources that an object has opened and owns. They are closed in reverse order, also if the
/// object's constructor fails.
///
/// Groups of ranks do not belong here: closing one is collective, but a rank may fail alone. They
/// end with the ranks.
public final class Resources implements AutoCloseable {
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /// Creates an empty set.
  public Resources() {}

  /// Creates an object that owns resources. If its constructor throws, they are closed.
  ///
  /// @param <T> the object
  /// @param made receives the resources of the object, which closes them when it is closed
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

  /// Creates an object that owns a resource, usually the arena of its memory. If that fails, the
  /// resource is closed.
  ///
  /// @param <R> the resource
  /// @param <T> the object
  /// @param resource closed by the object when that is closed
  /// @param made receives the resource
  /// @return the object
  public static <R extends AutoCloseable, T> T handedOver(R resource, Function<R, T> made) {
    return owned(resources -> made.apply(resources.add(resource)));
  }

  /// Closes all resources after a failure.
  ///
  /// @param failure that is thrown next; further failures are added to it
  public void closeAfter(Throwable failure) {
    try {
      close();
    } catch (RuntimeException also) {
      failure.addSuppressed(also);
    }
  }

  /// Adds a resource.
  ///
  /// @param <R> the resource
  /// @param resource closed with the others
  /// @return the same
  public <R extends AutoCloseable> R add(R resource) {
    opened.push(resource);
    return resource;
  }

  /// Closes all resources, newest first, and then throws the first failure.
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
