package dev.gossamer.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine;

/// Names of enum constants as a user writes them: `ROW_MEAN` is `row-mean`.
final class Choice {
  private Choice() {}

  static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static <E extends Enum<E>> CommandLine.ITypeConverter<E> converter(Class<E> type) {
    return text ->
        Arrays.stream(type.getEnumConstants())
            .filter(constant -> name(constant).equalsIgnoreCase(text))
            .findFirst()
            .orElseThrow(() ->
                new CommandLine.TypeConversionException(
                    "expected one of %s, found '%s'".formatted(names(type), text)));
  }

  private static <E extends Enum<E>> String names(Class<E> type) {
    return Arrays.stream(type.getEnumConstants())
        .map(Choice::name)
        .collect(Collectors.joining(", "));
  }
}
