package dev.gossamer.nn.state;

/// How compressed masters become the dense matrices that products read (SAMO, section III-C, the
/// last of the optimizer's steps).
public enum DownCast {
  /// A few thousand elements at a time, in cache.
  CHUNKED,

  /// As published: all survivors become 16-bit numbers in memory of their own, and those are
  /// expanded. In float32 the same as [#CHUNKED].
  WHOLE
}
