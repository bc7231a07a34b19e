package dev.gossamer.pruned;

import dev.gossamer.pruned.pipeline.Score;
import dev.gossamer.run.Confusion;
import org.jspecify.annotations.Nullable;

/// What a network predicts on a part of some data.
///
/// @param score of the predictions
/// @param counts labels and predicted classes of images; null of a text
public record PrunedEvaluation(Score score, @Nullable Confusion counts) {}
