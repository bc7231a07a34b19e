package dev.gossamer.graph;

import dev.gossamer.base.InvalidSettingException;
import java.util.List;
import java.util.stream.IntStream;

/// The prediction of edges: which vertices are connected follows from vectors, one of each vertex,
/// that a network computes.
///
/// @param parts the edges by their use
/// @param width of the vectors
/// @param negatives pairs without an edge that each training edge is compared with in an epoch
/// @param by how vertices of these pairs are drawn
/// @param candidates pairs without an edge that each held-out edge is ranked among
/// @param seed of the draws of these
public record LinkTask(
    LinkSplit.Parts parts, int width, int negatives, Negatives.By by, int candidates, long seed) {
  /// Width of the vectors unless another one is asked for.
  public static final int DEFAULT_WIDTH = 64;

  /// Checks the numbers.
  ///
  /// @throws InvalidSettingException if one is less than 1
  public LinkTask {
    InvalidSettingException.requireAtLeast("embedding", width, 1);
    InvalidSettingException.requireAtLeast("negatives", negatives, 1);
    InvalidSettingException.requireAtLeast("candidates", candidates, 1);
  }

  /// {@return a name of each column of the vectors: its number}
  public List<String> names() {
    return IntStream.range(0, width).mapToObj(Integer::toString).toList();
  }
}
