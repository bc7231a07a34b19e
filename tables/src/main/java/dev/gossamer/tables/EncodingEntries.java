package dev.gossamer.tables;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.graph.format.YamlSection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Reads and writes encodings in a schema: a word, or a mapping with what differs from the usual,
/// and with what was fitted:
///
/// ```yaml
/// country: categorical
/// balance: {as: numeric, fitted: {mean: 512.25, deviation: 80.5, missing: false}}
/// ```
final class EncodingEntries {
  private static final String FITTED = "fitted";
  private static final String MISSING = "missing";

  private EncodingEntries() {}

  /// {@return the encoding of a column}
  ///
  /// @param columns of a table
  /// @param column that is a key
  static Encoding read(YamlSection columns, String column) {
    if (!columns.hasSection(column)) {
      return encoding(columns.where(column), columns.text(column, "an encoding"), null);
    }
    YamlSection settings = columns.section(column);
    String name = settings.text("as", "an encoding");
    Encoding encoding = encoding(settings.where("as"), name, settings);
    settings.requireKeys(
        switch (encoding) {
          case FittedEncoding.OneHot _, FittedEncoding.Hashed _ -> List.of("as", FITTED);
          case Encoding.Numeric _, FittedEncoding.Linear _, FittedEncoding.Ranks _ ->
              List.of("as", "scale", FITTED);
          case Encoding.Categorical _ -> List.of("as", "limit", FITTED);
          case Encoding.Text _ -> List.of("as", "buckets");
          case Encoding.Dates _,
              Encoding.Numbers _,
              FittedEncoding.Times _,
              FittedEncoding.Elements _ ->
              List.of("as", FITTED);
        });
    return encoding;
  }

  private static Encoding encoding(String where, String name, @Nullable YamlSection settings) {
    YamlSection fitted = settings != null && settings.has(FITTED) ? settings.section(FITTED) : null;
    return switch (name) {
      case "numeric" -> numeric(settings, fitted);
      case "categorical" ->
          fitted == null
              ? new Encoding.Categorical(count(settings, "limit", Encoding.Categorical.USUAL))
              : categorical(fitted);
      case "text" -> new Encoding.Text(count(settings, "buckets", Encoding.Text.USUAL));
      case "date" -> fitted == null ? new Encoding.Dates() : times(fitted);
      case "list" -> fitted == null ? new Encoding.Numbers() : elements(fitted);
      default ->
          throw new InvalidInputException(
              "%s: expected numeric, categorical, text, date or list, found %s"
                  .formatted(where, name));
    };
  }

  private static Encoding numeric(@Nullable YamlSection settings, @Nullable YamlSection fitted) {
    Encoding.Scale scale =
        settings == null
            ? Encoding.Scale.STANDARD
            : SchemaFile.choice(settings, "scale", Encoding.Scale.STANDARD);
    if (fitted == null) {
      return new Encoding.Numeric(scale);
    }
    return switch (scale) {
      case STANDARD -> {
        fitted.requireKeys(List.of("mean", "deviation", MISSING));
        yield new FittedEncoding.Linear(
            scale, fitted.real("mean"), fitted.real("deviation"), fitted.flag(MISSING));
      }
      case NONE -> {
        fitted.requireKeys(List.of(MISSING));
        yield new FittedEncoding.Linear(scale, 0, 1, fitted.flag(MISSING));
      }
      case QUANTILES -> {
        fitted.requireKeys(List.of("points", MISSING));
        yield new FittedEncoding.Ranks(fitted.reals("points"), fitted.flag(MISSING));
      }
    };
  }

  private static FittedEncoding categorical(YamlSection fitted) {
    if (fitted.has("buckets")) {
      fitted.requireKeys(List.of("buckets", MISSING));
      return new FittedEncoding.Hashed(fitted.count("buckets"), fitted.flag(MISSING));
    }
    fitted.requireKeys(List.of("values", MISSING));
    return new FittedEncoding.OneHot(fitted.texts("values"), fitted.flag(MISSING));
  }

  private static FittedEncoding times(YamlSection fitted) {
    fitted.requireKeys(List.of("mean", "deviation", "time-of-day", MISSING));
    return new FittedEncoding.Times(
        fitted.real("mean"),
        fitted.real("deviation"),
        fitted.flag("time-of-day"),
        fitted.flag(MISSING));
  }

  private static FittedEncoding elements(YamlSection fitted) {
    fitted.requireKeys(List.of("length", MISSING));
    return new FittedEncoding.Elements(
        Math.toIntExact(Math.clamp(fitted.number("length"), -1, FittedEncoding.MOST + 1)),
        fitted.flag(MISSING));
  }

  private static int count(@Nullable YamlSection settings, String key, int usual) {
    return settings != null && settings.has(key) ? settings.count(key) : usual;
  }

  /// An encoding with the usual numbers is a word.
  static Object of(Encoding encoding) {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("as", encoding.name());
    switch (encoding) {
      case Encoding.Numeric(Encoding.Scale scale) -> put(settings, scale);
      case Encoding.Categorical(int limit) -> {
        if (limit != Encoding.Categorical.USUAL) {
          settings.put("limit", limit);
        }
      }
      case Encoding.Text(int buckets) -> {
        if (buckets != Encoding.Text.USUAL) {
          settings.put("buckets", buckets);
        }
      }
      case Encoding.Dates _, Encoding.Numbers _ -> {}
      case FittedEncoding.Linear linear -> {
        put(settings, linear.scale());
        Map<String, Object> fitted = new LinkedHashMap<>();
        if (linear.scale() == Encoding.Scale.STANDARD) {
          fitted.put("mean", linear.mean());
          fitted.put("deviation", linear.deviation());
        }
        put(settings, fitted, linear);
      }
      case FittedEncoding.Ranks ranks -> {
        put(settings, Encoding.Scale.QUANTILES);
        put(settings, entries("points", ranks.points()), ranks);
      }
      case FittedEncoding.OneHot oneHot ->
          put(settings, entries("values", oneHot.values()), oneHot);
      case FittedEncoding.Hashed hashed ->
          put(settings, entries("buckets", hashed.buckets()), hashed);
      case FittedEncoding.Times times -> {
        Map<String, Object> fitted = entries("mean", times.mean());
        fitted.put("deviation", times.deviation());
        fitted.put("time-of-day", times.timeOfDay());
        put(settings, fitted, times);
      }
      case FittedEncoding.Elements elements ->
          put(settings, entries("length", elements.length()), elements);
    }
    return settings.size() == 1 ? encoding.name() : settings;
  }

  private static Map<String, Object> entries(String key, Object value) {
    Map<String, Object> entries = new LinkedHashMap<>();
    entries.put(key, value);
    return entries;
  }

  private static void put(Map<String, Object> settings, Encoding.Scale scale) {
    if (scale != Encoding.Scale.STANDARD) {
      settings.put("scale", SchemaFile.word(scale));
    }
  }

  private static void put(
      Map<String, Object> settings, Map<String, Object> fitted, FittedEncoding of) {
    fitted.put(MISSING, of.marksMissing());
    settings.put(FITTED, fitted);
  }
}
