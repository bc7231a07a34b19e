package dev.gossamer.pruned.layers;

import java.util.List;

/// Sizes of a [Vgg].
///
/// @param input shape of an image
/// @param plan output channels of the convolutions, or [#POOL]
/// @param hidden widths of the linear layers before the last one
/// @param classes number of classes
/// @param normalised whether batch normalisation follows each convolution, in place of a bias
/// @param dropout rate after each hidden linear layer
public record VggSettings(
    Shape input,
    List<Integer> plan,
    List<Integer> hidden,
    int classes,
    boolean normalised,
    float dropout) {
  /// In a plan, max pooling over 2 x 2 positions.
  public static final int POOL = 0;

  /// The names that [#named] knows.
  public static final List<String> NAMES = List.of("vgg-mnist", "vgg19", "vgg19-plain");

  /// Configuration E.
  private static final List<Integer> NINETEEN =
      List.of(
          64, 64, POOL, 128, 128, POOL, 256, 256, 256, 256, POOL, 512, 512, 512, 512, POOL, 512,
          512, 512, 512, POOL);

  /// Checks the settings.
  public VggSettings {
    plan = List.copyOf(plan);
    hidden = List.copyOf(hidden);
    if (plan.isEmpty() || plan.getFirst() == POOL) {
      throw new IllegalArgumentException("vgg: expected a plan that begins with a convolution");
    }
  }

  /// {@return sizes by name: VGG-19 for images of 224 x 224 and 1000 classes, with batch
  /// normalisation and as published, and a small one for digits of 28 x 28}
  ///
  /// @param name one of [#NAMES]
  /// @throws IllegalArgumentException if the name is not one of [#NAMES]
  public static VggSettings named(String name) {
    return switch (name) {
      case "vgg-mnist" ->
          new VggSettings(
              new Shape(28, 28, 1),
              List.of(32, 32, POOL, 64, 64, POOL, 128, POOL),
              List.of(128),
              10,
              true,
              0);
      case "vgg19" -> nineteen(true);
      case "vgg19-plain" -> nineteen(false);
      default ->
          throw new IllegalArgumentException(
              "vgg: expected one of %s, found %s".formatted(String.join(", ", NAMES), name));
    };
  }

  private static VggSettings nineteen(boolean normalised) {
    Shape image = new Shape(224, 224, 3);
    return new VggSettings(image, NINETEEN, List.of(4096, 4096), 1000, normalised, 0.5f);
  }

  /// {@return a copy for other images}
  ///
  /// @param otherInput shape of an image
  /// @param otherClasses number of classes
  public VggSettings on(Shape otherInput, int otherClasses) {
    return new VggSettings(otherInput, plan, hidden, otherClasses, normalised, dropout);
  }

  /// {@return a copy with other convolutions}
  ///
  /// @param newPlan output channels of the convolutions, or [#POOL]
  public VggSettings withPlan(List<Integer> newPlan) {
    return new VggSettings(input, newPlan, hidden, classes, normalised, dropout);
  }

  /// {@return a copy with other hidden linear layers}
  ///
  /// @param newHidden widths of the linear layers before the last one
  public VggSettings withHidden(List<Integer> newHidden) {
    return new VggSettings(input, plan, newHidden, classes, normalised, dropout);
  }

  /// {@return a copy with or without batch normalisation}
  ///
  /// @param newNormalised whether batch normalisation follows each convolution
  public VggSettings withNormalised(boolean newNormalised) {
    return new VggSettings(input, plan, hidden, classes, newNormalised, dropout);
  }

  /// {@return a copy with another dropout rate}
  ///
  /// @param newDropout rate
  public VggSettings withDropout(float newDropout) {
    return new VggSettings(input, plan, hidden, classes, normalised, newDropout);
  }
}
