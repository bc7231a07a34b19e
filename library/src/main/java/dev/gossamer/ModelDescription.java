package dev.gossamer;

import dev.gossamer.Architecture.FeatureScaling;
import dev.gossamer.gnn.stack.NetworkSettings;
import java.util.List;
import java.util.Map;

/// All that a model file says of its model beside the weights.
///
/// @param network its shape, and how it sees a graph
/// @param features what it reads
/// @param classes name of each class, in the order of its outputs
/// @param facts of its training: data set, seed, epochs, scores; for people to read
public record ModelDescription(
    NetworkSettings network, Features features, List<String> classes, Map<String, String> facts) {
  /// What a model reads of each vertex.
  ///
  /// @param width features per vertex
  /// @param scaling what is done to them first
  public record Features(int width, FeatureScaling scaling) {}

  /// Copies the lists.
  public ModelDescription {
    classes = List.copyOf(classes);
    facts = Map.copyOf(facts);
  }
}
