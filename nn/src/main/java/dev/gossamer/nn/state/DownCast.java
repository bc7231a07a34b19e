package dev.gossamer.nn.state;

/// The conversion of compressed masters to the dense matrices that products read (SAMO, section
/// III-C, the last of the optimizer's steps).
public enum DownCast {
  /// In chunks that fit into the cache.
  CHUNKED,

  /// As published: all survivors are rounded to 16 bits in separate memory, and then expanded. In
  /// float32, the same as [#CHUNKED].
  WHOLE
}
