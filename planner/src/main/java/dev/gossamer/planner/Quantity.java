package dev.gossamer.planner;

import dev.gossamer.base.InvalidInputException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Numbers with units, as in cluster files.
///
/// @param example expected text, for error messages
/// @param least smallest accepted number other than 0, so that computed results are finite
/// @param most largest accepted number
/// @param units those that are written, largest first, then those that are only read
public record Quantity(String example, double least, double most, List<Unit> units) {
  /// Seconds.
  public static final Quantity TIME =
      of(
          "a time such as 12 us",
          0,
          1e3,
          new Unit("s", 1),
          new Unit("ms", 1e-3),
          new Unit("us", 1e-6),
          new Unit("ns", 1e-9),
          new Unit("ps", 1e-12));

  /// Bytes per second. Bits per second are read, too, and written as bytes.
  public static final Quantity BANDWIDTH =
      of(
          "a bandwidth such as 1.25 GB/s or 10 Gbit/s",
          1,
          1e18,
          new Unit("TB/s", 1e12),
          new Unit("GB/s", 1e9),
          new Unit("MB/s", 1e6),
          new Unit("kB/s", 1e3),
          new Unit("B/s", 1),
          new Unit("Tbit/s", 1e12 / 8),
          new Unit("Gbit/s", 1e9 / 8),
          new Unit("Mbit/s", 1e6 / 8));

  /// Floating-point operations per second; a multiply-add counts as two.
  public static final Quantity OPERATIONS =
      of(
          "a rate such as 80 GFLOP/s",
          1,
          1e24,
          new Unit("TFLOP/s", 1e12),
          new Unit("GFLOP/s", 1e9),
          new Unit("MFLOP/s", 1e6));

  /// Bytes, as in the flag `--memory`.
  public static final Quantity MEMORY =
      of(
          "a number of bytes such as 64g or 500m",
          0,
          1L << 60,
          new Unit("t", 1L << 40),
          new Unit("g", 1L << 30),
          new Unit("m", 1L << 20),
          new Unit("k", 1L << 10),
          new Unit("", 1));

  /// More digits than were ever measured.
  private static final MathContext DIGITS = new MathContext(4);

  private static final Pattern NUMBER =
      Pattern.compile("([0-9]{1,18}(?:\\.[0-9]{1,18})?(?:[eE][-+]?[0-9]{1,3})?)\\s*([A-Za-z/]*)");

  /// A unit.
  ///
  /// @param name text after the number
  /// @param one in seconds, bytes or operations
  public record Unit(String name, double one) {}

  private static Quantity of(String example, double least, double most, Unit... units) {
    return new Quantity(example, least, most, List.of(units));
  }

  /// Copies the list.
  public Quantity {
    units = List.copyOf(units);
  }

  /// Reads a number with a unit, in any case.
  ///
  /// @param where file and key, named in the error
  /// @param text such as `12 us`
  /// @return seconds, bytes or operations
  /// @throws InvalidInputException if the text is something else
  public double parse(String where, String text) {
    Matcher matcher = NUMBER.matcher(text.strip());
    if (matcher.matches()) {
      for (Unit unit : units) {
        BigDecimal number = new BigDecimal(matcher.group(1));
        double exact = number.multiply(BigDecimal.valueOf(unit.one())).doubleValue();
        double value = equals(MEMORY) ? Math.floor(exact) : exact;
        if (unit.name().equalsIgnoreCase(matcher.group(2))) {
          return withinBounds(where, text, value);
        }
      }
    }
    throw new InvalidInputException(
        "%s: expected %s, found %s".formatted(where, example, text.isBlank() ? "none" : text));
  }

  private double withinBounds(String where, String text, double value) {
    if (value > most || (value > 0 && value < least)) {
      throw new InvalidInputException(
          "%s: expected at %s, found %s"
              .formatted(
                  where, value > most ? "most " + text(most) : "least " + text(least), text));
    }
    return value;
  }

  /// {@return four digits and the largest unit that gives at least 1; for memory an exact number in
  /// the largest unit that divides it}
  ///
  /// @param value seconds, bytes or operations
  public String text(double value) {
    if (equals(MEMORY)) {
      Unit unit = largest(each -> value % each.one() == 0);
      return (long) (value / unit.one()) + unit.name();
    }
    BigDecimal rounded = BigDecimal.valueOf(value).round(DIGITS);
    Unit unit = largest(each -> rounded.doubleValue() >= each.one());
    BigDecimal number = rounded.divide(BigDecimal.valueOf(unit.one()), DIGITS);
    return number.stripTrailingZeros().toPlainString() + " " + unit.name();
  }

  /// Units are listed from the largest on; if none fits, it is the smallest.
  private Unit largest(Predicate<Unit> fits) {
    return units.stream()
        .filter(fits)
        .findFirst()
        .orElseGet(() -> Collections.min(units, Comparator.comparingDouble(Unit::one)));
  }
}
