package dev.gossamer.cli.terminal;

import dev.gossamer.base.InvalidSettingException;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// Names of enum constants as a user writes them: `ROW_MEAN` is `row-mean`.
public final class Choice {
  private Choice() {}

  public static String name(Enum<?> constant) {
    return InvalidSettingException.nameOf(constant);
  }

  /// Makes every flag of an enum type, of a command and all its subcommands, accept these names and
  /// offer them for completion.
  public static void offer(CommandLine line) {
    changeOptions(
        line,
        option -> {
          Class<?> type = option.auxiliaryTypes()[0];
          return type.isEnum()
              ? option.toBuilder()
                  .converters(converter(type))
                  .completionCandidates(names(type))
                  .build()
              : option;
        });
  }

  /// Replaces the flags of a command and all its subcommands. All are removed and added again, so
  /// that their order is kept.
  public static void changeOptions(CommandLine line, UnaryOperator<OptionSpec> change) {
    CommandSpec command = line.getCommandSpec();
    List<OptionSpec> options = List.copyOf(command.options());
    options.forEach(command::remove);
    options.forEach(option -> command.addOption(change.apply(option)));
    line.getSubcommands().values().forEach(each -> changeOptions(each, change));
  }

  private static CommandLine.ITypeConverter<Enum<?>> converter(Class<?> type) {
    return text ->
        constants(type).stream()
            .filter(constant -> name(constant).equalsIgnoreCase(text))
            .findFirst()
            .orElseThrow(() ->
                new CommandLine.TypeConversionException(
                    "expected one of %s, found '%s'"
                        .formatted(String.join(", ", names(type)), text)));
  }

  private static List<String> names(Class<?> type) {
    return constants(type).stream().map(Choice::name).toList();
  }

  private static List<Enum<?>> constants(Class<?> type) {
    return Arrays.<Object>stream(type.getEnumConstants())
        .<Enum<?>>map(constant -> (Enum<?>) constant)
        .toList();
  }
}
