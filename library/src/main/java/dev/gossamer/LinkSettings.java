package dev.gossamer;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.LinkSplit;
import dev.gossamer.graph.LinkTask;
import dev.gossamer.graph.LinkTask.CandidateSet;
import dev.gossamer.graph.Negatives;
import dev.gossamer.graph.format.Splits;
import java.lang.foreign.Arena;

/// How edges are predicted. Start with [#DEFAULT] and change what differs.
///
/// @param linkSplit shares of the edges for training, validation and test, as `85/5/10`
/// @param linkSplitBy what decides the part of an edge
/// @param supervised share of the training edges that the loss is over and messages do not pass
///   over; 0 if both are all training edges
/// @param embedding width of the vectors by which vertices are compared
/// @param negatives pairs without an edge that each training edge is compared with in an epoch
/// @param negativesBy how their vertices are drawn
/// @param candidates pairs without an edge that each held-out edge is ranked among
/// @param candidateSet whether each edge has pairs of its own, or all of a part share them
public record LinkSettings(
    String linkSplit,
    LinkSplit.By linkSplitBy,
    double supervised,
    int embedding,
    int negatives,
    Negatives.By negativesBy,
    int candidates,
    CandidateSet candidateSet) {
  /// The shares of graph autoencoders, and one pair against each edge.
  public static final LinkSettings DEFAULT =
      new LinkSettings(
          "85/5/10",
          LinkSplit.By.RANDOM,
          0,
          LinkTask.DEFAULT_WIDTH,
          1,
          Negatives.By.UNIFORM,
          100,
          CandidateSet.OWN);

  /// Checks the components.
  ///
  /// @throws InvalidSettingException if the text is not three shares, or a number is out of range
  public LinkSettings {
    split(linkSplit, linkSplitBy, supervised, 0);
    InvalidSettingException.requireAtLeast("embedding", embedding, 1);
    InvalidSettingException.requireAtLeast("negatives", negatives, 1);
    InvalidSettingException.requireAtLeast("candidates", candidates, 1);
  }

  private static LinkSplit split(String text, LinkSplit.By by, double supervised, long seed) {
    Splits.Fractions fractions = Splits.Fractions.parse("linkSplit", text);
    return new LinkSplit(
        by, new LinkSplit.Proportions(fractions.train(), fractions.validation()), supervised, seed);
  }

  /// {@return a graph whose edges are to be predicted, without those that are held out}
  ///
  /// @param arena owner of what is left, which lives as long as the data set
  /// @param data the graph; the result shares its memory
  /// @param seed of the split, and of the pairs that held-out edges are ranked among
  GraphData divide(Arena arena, GraphData data, long seed) {
    LinkSplit.Parts parts = split(linkSplit, linkSplitBy, supervised, seed).of(arena, data);
    return data.withLinks(
        new LinkTask(
            parts,
            embedding,
            negatives,
            negativesBy,
            new LinkTask.Candidates(candidates, candidateSet),
            seed));
  }
}
