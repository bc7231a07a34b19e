package dev.gossamer.pruned.layers;

import dev.gossamer.base.InvalidInputException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The name of a network's kind, and its sizes. It is stored in model files, so that the network
/// can be rebuilt.
public sealed interface DenseArchitecture {
  /// The names of all kinds; kinds for texts come first.
  List<String> NAMES =
      Stream.of(GptSettings.NAMES, VggSettings.NAMES, WideResNetSettings.NAMES)
          .flatMap(List::stream)
          .toList();

  /// The key of a language model's head in a model file.
  String HEAD = "head";

  /// The value of [#HEAD] for a head that is the token embedding.
  String TIED = "tied";

  /// The key of remaining units in a model file.
  String WIDTHS = "widths";

  /// A language model.
  ///
  /// @param name one of [GptSettings#NAMES]
  /// @param sizes of the network
  /// @param widths remaining units of pruned layers, by layer name
  record Text(String name, GptSettings sizes, Map<String, Integer> widths)
      implements DenseArchitecture {
    /// Copies the map.
    public Text {
      widths = Map.copyOf(widths);
    }

    /// Creates an architecture with all units.
    ///
    /// @param name one of [GptSettings#NAMES]
    /// @param sizes of the network
    public Text(String name, GptSettings sizes) {
      this(name, sizes, Map.of());
    }

    @Override
    public Text withWidths(Map<String, Integer> newWidths) {
      return new Text(name, sizes, newWidths);
    }

    @Override
    public LayerNetwork network(long seed) {
      return Gpt.of(name, sizes, seed).resized(widths);
    }

    /// Uses the formula of Narayanan and others (2021), `24 l s h^2 (1 + s / 6h + V / 12lh)`, which
    /// includes the masked half of attention; if units have been removed, it is scaled by the
    /// remaining share of [LayerNetwork#operations].
    @Override
    public double operations() {
      return widths.isEmpty()
          ? formula()
          : formula() * network(0).operations() / withWidths(Map.of()).network(0).operations();
    }

    private double formula() {
      double l = sizes.layers();
      double s = sizes.length();
      double h = sizes.width();
      double v = sizes.vocabulary();
      return 24 * l * s * h * h * (1 + s / (6 * h) + v / (12 * l * h));
    }

    @Override
    public Map<String, String> description() {
      Map<String, String> description = described(this);
      description.put("layers", Integer.toString(sizes.layers()));
      description.put("heads", Integer.toString(sizes.heads()));
      description.put("width", Integer.toString(sizes.width()));
      if (sizes.tiedHead()) {
        description.put(HEAD, TIED);
      }
      return description;
    }
  }

  /// An image classifier.
  ///
  /// @param name one of [VggSettings#NAMES] or [WideResNetSettings#NAMES]
  /// @param input shape of an image
  /// @param classes number of classes
  /// @param widths remaining units of pruned layers, by layer name
  record Images(String name, Shape input, int classes, Map<String, Integer> widths)
      implements DenseArchitecture {
    /// Copies the map.
    public Images {
      widths = Map.copyOf(widths);
    }

    /// Creates an architecture with all units.
    ///
    /// @param name one of [VggSettings#NAMES] or [WideResNetSettings#NAMES]
    /// @param input shape of an image
    /// @param classes number of classes
    public Images(String name, Shape input, int classes) {
      this(name, input, classes, Map.of());
    }

    @Override
    public Images withWidths(Map<String, Integer> newWidths) {
      return new Images(name, input, classes, newWidths);
    }

    /// {@return a network with its published image size and number of classes}
    ///
    /// @param name of the kind
    /// @throws IllegalArgumentException if no network has this name
    public static Images published(String name) {
      if (VggSettings.NAMES.contains(name)) {
        VggSettings sizes = VggSettings.named(name);
        return new Images(name, sizes.input(), sizes.classes());
      }
      WideResNetSettings sizes = WideResNetSettings.named(name);
      return new Images(name, sizes.input(), sizes.classes());
    }

    @Override
    public LayerNetwork network(long seed) {
      LayerNetwork whole =
          VggSettings.NAMES.contains(name)
              ? Vgg.of(name, VggSettings.named(name).on(input, classes), seed)
              : WideResNet.of(name, WideResNetSettings.named(name).on(input, classes));
      return whole.resized(widths);
    }

    @Override
    public double operations() {
      return network(0).operations();
    }

    @Override
    public Map<String, String> description() {
      return described(this);
    }
  }

  /// {@return the name of the kind}
  String name();

  /// {@return the remaining units of layers that have lost some, by layer name, see
  /// [LayerNetwork#resized]; empty for a network with all units}
  Map<String, Integer> widths();

  /// {@return a copy with other remaining units}
  ///
  /// @param newWidths units by the names of their layers
  DenseArchitecture withWidths(Map<String, Integer> newWidths);

  /// Builds the network.
  ///
  /// @param seed of dropout
  /// @return the network
  /// @throws IllegalArgumentException if the sizes do not fit each other
  LayerNetwork network(long seed);

  /// {@return floating-point operations of one sample's forward pass}
  double operations();

  /// {@return the description in a model file, which [#of] reads}
  Map<String, String> description();

  /// {@return whether a kind is a language model}
  ///
  /// @param name of the kind
  static boolean isText(String name) {
    return GptSettings.NAMES.contains(name);
  }

  private static Map<String, String> described(DenseArchitecture architecture) {
    LayerNetwork network = architecture.network(0);
    Map<String, String> description = new TreeMap<>();
    description.put("model", architecture.name());
    description.put("input", network.input().toString());
    description.put("classes", Integer.toString(network.output().channels()));
    description.put("length", Integer.toString(network.input().height()));
    if (!architecture.widths().isEmpty()) {
      description.put(
          WIDTHS,
          new TreeMap<>(architecture.widths())
              .entrySet().stream()
                  .map(layer -> layer.getKey() + " " + layer.getValue())
                  .collect(Collectors.joining(", ")));
    }
    return description;
  }

  /// {@return the network that a model file describes}
  ///
  /// @param place named in errors
  /// @param description as returned by [#description]
  /// @throws InvalidInputException if it is not a network that can be built
  static DenseArchitecture of(Object place, Map<String, String> description) {
    String name = description.getOrDefault("model", "none");
    if (!NAMES.contains(name)) {
      throw new InvalidInputException(
          "%s: model: expected one of %s, found %s"
              .formatted(place, String.join(", ", NAMES), name));
    }
    try {
      DenseArchitecture whole =
          isText(name)
              ? new Text(name, sizes(place, description))
              : new Images(name, shape(place, description), number(place, description, "classes"));
      DenseArchitecture architecture = whole.withWidths(widths(place, description));
      architecture.network(0);
      return architecture;
    } catch (IllegalArgumentException e) {
      throw new InvalidInputException(
          "%s: expected the sizes of %s, found others: %s".formatted(place, name, e.getMessage()),
          e);
    }
  }

  private static GptSettings sizes(Object place, Map<String, String> description) {
    return new GptSettings(
        number(place, description, "classes"),
        number(place, description, "length"),
        number(place, description, "layers"),
        number(place, description, "heads"),
        number(place, description, "width"),
        0,
        isTied(place, description));
  }

  private static Map<String, Integer> widths(Object place, Map<String, String> description) {
    Map<String, Integer> widths = new TreeMap<>();
    String text = description.getOrDefault(WIDTHS, "");
    for (String layer : text.isEmpty() ? new String[0] : text.split(", ", -1)) {
      if (!layer.matches("[a-z0-9._]+ [0-9]{1,9}")) {
        throw new InvalidInputException(
            "%s: %s: expected layers, each with its number of units, found %s"
                .formatted(place, WIDTHS, layer));
      }
      int space = layer.indexOf(' ');
      widths.put(layer.substring(0, space), Integer.valueOf(layer.substring(space + 1)));
    }
    return widths;
  }

  private static boolean isTied(Object place, Map<String, String> description) {
    String head = description.get(HEAD);
    if (head != null && !head.equals(TIED)) {
      throw new InvalidInputException(
          "%s: %s: expected %s or nothing, found %s".formatted(place, HEAD, TIED, head));
    }
    return head != null;
  }

  private static Shape shape(Object place, Map<String, String> description) {
    String text = description.getOrDefault("input", "none");
    if (!text.matches("[0-9]{1,9} x [0-9]{1,9} x [0-9]{1,9}")) {
      throw new InvalidInputException(
          "%s: input: expected height x width x channels, found %s".formatted(place, text));
    }
    String[] sizes = text.split(" x ", -1);
    return new Shape(
        Integer.parseInt(sizes[0]), Integer.parseInt(sizes[1]), Integer.parseInt(sizes[2]));
  }

  private static int number(Object place, Map<String, String> description, String key) {
    String text = description.getOrDefault(key, "none");
    if (!text.matches("[0-9]{1,9}")) {
      throw new InvalidInputException(
          "%s: %s: expected a number, found %s".formatted(place, key, text));
    }
    return Integer.parseInt(text);
  }
}
