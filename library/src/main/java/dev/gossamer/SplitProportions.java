package dev.gossamer;

import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.format.Splits;

/// Shares of the labelled vertices for training, validation and test, and the seed of the draw.
///
/// @param text as users write them: `60/20/20`
/// @param seed the same seed draws the same split
public record SplitProportions(String text, long seed) {
  /// 60 % training, 20 % validation, 20 % test: usual for data sets without a split.
  public static final SplitProportions DEFAULT = new SplitProportions("60/20/20", 0);

  /// Checks the components.
  ///
  /// @throws dev.gossamer.base.InvalidSettingException if the text is not three proportions
  public SplitProportions {
    fractions(text);
  }

  private static Splits.Fractions fractions(String text) {
    return Splits.Fractions.parse(text);
  }

  /// The data set with a split in these proportions.
  GraphData draw(GraphData data) {
    return data.withSplit(Splits.draw(data, fractions(text), seed));
  }
}
