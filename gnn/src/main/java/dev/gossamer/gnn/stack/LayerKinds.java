package dev.gossamer.gnn.stack;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.nn.layers.GraphAttention;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/// All kinds of layers. A new kind is registered in [#ALL] and nowhere else.
public final class LayerKinds {
  /// All kinds, in the order in which help texts show them.
  private static final List<Registration> ALL =
      List.of(
          new Registration(Gcn.NAME, Set.of(), options -> new Gcn()),
          new Registration(Sage.NAME, Set.of(), options -> new Sage()),
          new Registration(Gat.NAME, Set.of(Gat.HEADS, Gat.VARIANT, Gat.DROPOUT), LayerKinds::gat),
          new Registration(Rgcn.NAME, Set.of(Rgcn.BASES), LayerKinds::rgcn),
          new Registration(Rsage.NAME, Set.of(), options -> new Rsage()),
          new Registration(Gin.NAME, Set.of(), options -> new Gin()),
          new Registration(Appnp.NAME, Set.of(Appnp.HOPS, Appnp.TELEPORT), LayerKinds::appnp),
          new Registration(Gcnii.NAME, Set.of(Gcnii.TELEPORT, Gcnii.LAMBDA), LayerKinds::gcnii),
          new Registration(
              Sgc.NAME, Set.of(Sgc.HOPS), options -> new Sgc(hops(options, Sgc.DEFAULT_HOPS))),
          new Registration(
              Sign.NAME, Set.of(Sign.HOPS), options -> new Sign(hops(options, Sign.DEFAULT_HOPS))),
          new Registration(Mlp.NAME, Set.of(), options -> new Mlp()));

  private LayerKinds() {}

  /// A kind that can be asked for by name.
  ///
  /// @param name what users call it
  /// @param options components that only it reads
  /// @param maker makes it from the options that are given
  private record Registration(
      String name, Set<String> options, Function<Map<String, String>, LayerKind> maker) {}

  /// {@return names, in the order of help texts}
  public static List<String> names() {
    return ALL.stream().map(Registration::name).toList();
  }

  /// {@return a kind with its default options}
  ///
  /// @param name in any case
  /// @throws InvalidSettingException if the name is unknown
  public static LayerKind named(String name) {
    return named(name, Map.of());
  }

  /// {@return a kind}
  ///
  /// @param name in any case
  /// @param options those that differ from the defaults, by component (see [LayerKind#options])
  /// @throws InvalidSettingException if the name is unknown, the kind does not have an option, or
  ///   the value of an option is invalid
  public static LayerKind named(String name, Map<String, String> options) {
    String wanted = name.toLowerCase(Locale.ROOT);
    Registration kind =
        ALL.stream()
            .filter(each -> each.name().equals(wanted))
            .findFirst()
            .orElseThrow(() ->
                new InvalidSettingException(
                    "{model}: expected one of %s, found %s"
                        .formatted(String.join(", ", names()), name)));
    for (String option : options.keySet()) {
      if (!kind.options().contains(option)) {
        throw new InvalidSettingException(
            "{%s}: {model} %s does not read it; leave it out".formatted(option, wanted));
      }
    }
    return kind.maker().apply(options);
  }

  private static LayerKind gat(Map<String, String> options) {
    Gat usual = new Gat();
    String heads = options.get(Gat.HEADS);
    String variant = options.get(Gat.VARIANT);
    String dropout = options.get(Gat.DROPOUT);
    return new Gat(
        heads == null ? usual.heads() : (int) number(Gat.HEADS, heads),
        variant == null ? usual.variant() : variant(variant),
        dropout == null ? usual.attentionDropout() : number(Gat.DROPOUT, dropout));
  }

  private static Rgcn rgcn(Map<String, String> options) {
    String bases = options.get(Rgcn.BASES);
    return new Rgcn(bases == null ? Rgcn.DEFAULT_BASES : (int) number(Rgcn.BASES, bases));
  }

  private static Appnp appnp(Map<String, String> options) {
    String teleport = options.get(Appnp.TELEPORT);
    return new Appnp(
        hops(options, Appnp.DEFAULT_HOPS),
        teleport == null ? Appnp.DEFAULT_TELEPORT : number(Appnp.TELEPORT, teleport));
  }

  private static int hops(Map<String, String> options, int usual) {
    String hops = options.get(Appnp.HOPS);
    return hops == null ? usual : (int) number(Appnp.HOPS, hops);
  }

  private static Gcnii gcnii(Map<String, String> options) {
    String teleport = options.get(Gcnii.TELEPORT);
    String lambda = options.get(Gcnii.LAMBDA);
    return new Gcnii(
        teleport == null ? Gcnii.DEFAULT_TELEPORT : number(Gcnii.TELEPORT, teleport),
        lambda == null ? Gcnii.DEFAULT_LAMBDA : number(Gcnii.LAMBDA, lambda));
  }

  private static double number(String component, String value) {
    try {
      return Double.parseDouble(value);
    } catch (NumberFormatException e) {
      throw new InvalidSettingException(
          "{%s}: expected a number, found %s".formatted(component, value), e);
    }
  }

  private static GraphAttention.Variant variant(String value) {
    try {
      return GraphAttention.Variant.valueOf(value.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new InvalidSettingException(
          "{%s}: expected mb, standard or v2, found %s".formatted(Gat.VARIANT, value), e);
    }
  }
}
