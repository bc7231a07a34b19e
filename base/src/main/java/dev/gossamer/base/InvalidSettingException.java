package dev.gossamer.base;

import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A setting has a value that it cannot have, or one that does not go with another.
///
/// Settings do not depend on their caller. They refer to themselves and each other as components in
/// braces, `{epochs}: expected at least 1, found 0`, and each caller shows them under the name that
/// its user knows: [#getMessage] as the component itself, a command line as its flag.
public final class InvalidSettingException extends InvalidInputException {
  private static final long serialVersionUID = 1L;

  private static final Pattern COMPONENT = Pattern.compile("\\{([A-Za-z][A-Za-z0-9]*)}");

  /// With the components in braces.
  private final String template;

  /// Creates an exception without a cause.
  ///
  /// @param template one line, with each component in braces
  public InvalidSettingException(String template) {
    super(named(template, UnaryOperator.identity()));
    this.template = template;
  }

  /// Creates an exception with a cause.
  ///
  /// @param template one line, with each component in braces
  /// @param cause what found it
  public InvalidSettingException(String template, Throwable cause) {
    super(named(template, UnaryOperator.identity()), cause);
    this.template = template;
  }

  /// {@return the message with another name for each component}
  ///
  /// @param names turns a component, `evaluateEvery`, into what the user calls it,
  ///   `--evaluate-every`
  public String message(UnaryOperator<String> names) {
    return named(template, names);
  }

  private static String named(String template, UnaryOperator<String> names) {
    return COMPONENT
        .matcher(template)
        .replaceAll(found -> Matcher.quoteReplacement(names.apply(found.group(1))));
  }

  /// {@return a constant as users and files write it: `ROW_MEAN` is `row-mean`}
  ///
  /// @param constant a choice
  public static String nameOf(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// Requires a number of at least `least`.
  ///
  /// @param component that has the number
  /// @param value the number
  /// @param least what it must be at least
  /// @throws InvalidSettingException otherwise
  public static void requireAtLeast(String component, long value, long least) {
    if (value < least) {
      throw new InvalidSettingException(
          "{%s}: expected at least %d, found %d".formatted(component, least, value));
    }
  }

  /// Requires a finite number of at least 0.
  ///
  /// @param component that has the number
  /// @param value the number
  /// @throws InvalidSettingException otherwise
  public static void requireNotNegative(String component, double value) {
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw new InvalidSettingException(
          "{%s}: expected 0 or more, found %s".formatted(component, value));
    }
  }

  /// Requires a share in `[0, 1)`.
  ///
  /// @param component that has the share
  /// @param value the share
  /// @throws InvalidSettingException otherwise
  public static void requireRate(String component, double value) {
    if (!(value >= 0 && value < 1)) {
      throw new InvalidSettingException(
          "{%s}: expected 0 <= rate < 1, found %s".formatted(component, value));
    }
  }
}
