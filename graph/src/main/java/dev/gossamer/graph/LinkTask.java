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
/// @param candidates pairs without an edge that held-out edges are ranked among
/// @param seed of the draws of these
public record LinkTask(
    LinkSplit.Parts parts,
    int width,
    int negatives,
    Negatives.By by,
    Candidates candidates,
    long seed) {
  /// Width of the vectors unless another one is asked for.
  public static final int DEFAULT_WIDTH = 64;

  /// Which pairs held-out edges are ranked among.
  public enum CandidateSet {
    /// Pairs of each edge's own, which share a vertex with it.
    OWN,
    /// The same pairs for all edges of a part.
    SHARED
  }

  /// Pairs without an edge that held-out edges are ranked among.
  ///
  /// @param count of the pairs of each edge, or of all edges of a part
  /// @param set which pairs they are
  public record Candidates(int count, CandidateSet set) {
    /// Checks the number.
    ///
    /// @throws InvalidSettingException if it is less than 1
    public Candidates {
      InvalidSettingException.requireAtLeast("candidates", count, 1);
    }

    /// {@return whether all edges are ranked among the same pairs}
    public boolean areShared() {
      return set == CandidateSet.SHARED;
    }

    /// {@return the pairs that are scored to rank some edges}
    ///
    /// @param edges number of edges
    public long pairs(long edges) {
      return areShared() ? count : edges * count;
    }
  }

  /// Checks the numbers.
  ///
  /// @throws InvalidSettingException if one is less than 1, or edges of several types are to be
  ///   ranked among the same pairs
  public LinkTask {
    InvalidSettingException.requireAtLeast("embedding", width, 1);
    InvalidSettingException.requireAtLeast("negatives", negatives, 1);
    int types = GraphTypes.edgesOf(parts.allTypes()).size();
    if (candidates.areShared() && types > 1) {
      throw new InvalidSettingException(
          "%s: {candidateSet}: expected edges of one type to share pairs, found %d types; use own"
              .formatted(parts.whole().name(), types));
    }
  }

  /// {@return a name of each column of the vectors: its number}
  public List<String> names() {
    return IntStream.range(0, width).mapToObj(Integer::toString).toList();
  }
}
