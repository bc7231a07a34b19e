package dev.gossamer.pruned.layers;

import java.util.List;

/// Sizes of a [WideResNet].
///
/// @param input shape of an image
/// @param reduced whether the first convolution is 7 x 7 with stride 2, followed by max pooling, as
///   for large images, or 3 x 3 with stride 1
/// @param depths residual units of each group
/// @param planes channels of the first convolution; the units of group `i` have `planes 2^i` times
///   [#EXPANSION]
/// @param widening width of a unit's 3 x 3 convolution in `planes 2^i`
/// @param classes of the last layer
public record WideResNetSettings(
    Shape input, boolean reduced, List<Integer> depths, int planes, int widening, int classes) {
  /// Output channels of a unit in `planes 2^i`.
  public static final int EXPANSION = 4;

  /// The names that [#named] knows.
  public static final List<String> NAMES = List.of("wideresnet-small", "wideresnet101");

  /// Checks the settings.
  public WideResNetSettings {
    depths = List.copyOf(depths);
    if (depths.isEmpty() || depths.stream().anyMatch(depth -> depth < 1)) {
      throw new IllegalArgumentException(
          "wide residual network: expected groups of at least one unit, found " + depths);
    }
  }

  /// {@return sizes by name: WideResNet-101 with twice the width for images of 224 x 224 and 1000
  /// classes, as in torchvision, and a small one for digits of 28 x 28}
  ///
  /// @param name one of [#NAMES]
  /// @throws IllegalArgumentException if the name is not one of [#NAMES]
  public static WideResNetSettings named(String name) {
    return switch (name) {
      case "wideresnet-small" ->
          new WideResNetSettings(new Shape(28, 28, 1), false, List.of(1, 1, 1), 16, 2, 10);
      case "wideresnet101" ->
          new WideResNetSettings(new Shape(224, 224, 3), true, List.of(3, 4, 23, 3), 64, 2, 1000);
      default ->
          throw new IllegalArgumentException(
              "wide residual network: expected one of %s, found %s"
                  .formatted(String.join(", ", NAMES), name));
    };
  }

  /// {@return a copy for other images}
  ///
  /// @param otherInput shape of an image
  /// @param otherClasses of the last layer
  public WideResNetSettings on(Shape otherInput, int otherClasses) {
    return new WideResNetSettings(otherInput, reduced, depths, planes, widening, otherClasses);
  }

  /// {@return a copy with or without the reduction of large images}
  ///
  /// @param newReduced whether the first convolution is 7 x 7 with stride 2
  public WideResNetSettings withReduced(boolean newReduced) {
    return new WideResNetSettings(input, newReduced, depths, planes, widening, classes);
  }

  /// {@return a copy with other numbers of units}
  ///
  /// @param newDepths residual units of each group
  public WideResNetSettings withDepths(List<Integer> newDepths) {
    return new WideResNetSettings(input, reduced, newDepths, planes, widening, classes);
  }

  /// {@return a copy with other channels}
  ///
  /// @param newPlanes channels of the first convolution
  public WideResNetSettings withPlanes(int newPlanes) {
    return new WideResNetSettings(input, reduced, depths, newPlanes, widening, classes);
  }

  /// {@return a copy with another width inside units}
  ///
  /// @param newWidening width of the 3 x 3 convolutions in those of their group
  public WideResNetSettings withWidening(int newWidening) {
    return new WideResNetSettings(input, reduced, depths, planes, newWidening, classes);
  }
}
