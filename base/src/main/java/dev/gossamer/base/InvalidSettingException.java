package dev.gossamer.base;

import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A setting has an invalid value, or one that conflicts with another setting.
///
/// Messages refer to settings as components in braces, `{epochs}: expected at least 1, found 0`,
/// and each caller shows them under its user's names: [#getMessage] as the component itself, a
/// command line as its flag.
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
  /// @param cause the cause
  public InvalidSettingException(String template, Throwable cause) {
    super(named(template, UnaryOperator.identity()), cause);
    this.template = template;
  }

  /// {@return the message with another name for each component}
  ///
  /// @param names returns the user's name, `--evaluate-every`, of a component, `evaluateEvery`
  public String message(UnaryOperator<String> names) {
    return named(template, names);
  }

  private static String named(String template, UnaryOperator<String> names) {
    return COMPONENT
        .matcher(template)
        .replaceAll(found -> Matcher.quoteReplacement(names.apply(found.group(1))));
  }

  /// {@return the name of a constant for users and files: `ROW_MEAN` is `row-mean`}
  ///
  /// @param constant of an enum
  public static String nameOf(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /// Checks that a number is at least `least`.
  ///
  /// @param component name of the setting
  /// @param value the number
  /// @param least the minimum
  /// @throws InvalidSettingException otherwise
  public static void requireAtLeast(String component, long value, long least) {
    if (value < least) {
      throw new InvalidSettingException(
          "{%s}: expected at least %d, found %d".formatted(component, least, value));
    }
  }

  /// Checks that a number is finite and at least 0.
  ///
  /// @param component name of the setting
  /// @param value the number
  /// @throws InvalidSettingException otherwise
  public static void requireNotNegative(String component, double value) {
    if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
      throw new InvalidSettingException(
          "{%s}: expected 0 or more, found %s".formatted(component, value));
    }
  }

  /// Checks that a fraction is in `[0, 1)`, as a float, too.
  ///
  /// @param component name of the setting
  /// @param value the fraction
  /// @throws InvalidSettingException otherwise
  public static void requireRate(String component, double value) {
    if (!(value >= 0 && (float) value < 1)) {
      throw new InvalidSettingException(
          "{%s}: expected 0 <= rate < 1, found %s%s"
              .formatted(
                  component, value, value > 0 && value < 1 ? ", which is 1 as a float32" : ""));
    }
  }
}
