package dev.gossamer.comm;

import dev.gossamer.base.InvalidInputException;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A simulated network between ranks that are threads, with the alpha-beta model: a message of `b`
/// bytes occupies a link for `t = alpha + b beta`.
///
/// Each rank has one outgoing and one incoming link, which work at the same time, and while ranks
/// compute. A message starts at time `s`, as soon as its sender's outgoing link has carried all
/// earlier messages, and occupies that link until `s + t`. On the receiver's incoming link, it
/// takes `t` of the free time after `s`: it arrives at `s + t` if no other rank sends there, and
/// the last of `k` messages of `b` bytes that are sent to one rank at once arrives at `s + k t`
/// (incast). The network in between has unlimited capacity, and messages of a rank to itself are
/// free, so an exchange takes at least `alpha messages + beta bytes` of the busiest link, incoming
/// or outgoing.
///
/// The order in which messages arrive depends on the order in which ranks send them; the time at
/// which the last one arrives does not. Collectives send these messages, in this order:
///
/// | operation | messages |
/// |---|---|
/// | broadcast | a binomial tree; a rank's link forwards the message as soon as it has arrived |
/// | all-reduce | each rank: slice `j` to each rank `j`, then the reduced slice to each rank |
/// | reduce-scatter | the first half of an all-reduce |
/// | all-gather, all-to-all | each rank: its (non-empty) block to `r+1`, `r+2`, ... |
/// | barrier | `ceil(log2 p)` rounds of empty messages after the last rank has arrived |
///
/// @param alphaSeconds time of an empty message
/// @param betaSecondsPerByte time of each byte
public record Link(double alphaSeconds, double betaSecondsPerByte) {
  /// Each a thousandth of the one before.
  private static final List<String> UNITS = List.of("s", "ms", "us", "ns");

  private static final Pattern TIME =
      Pattern.compile("([0-9.]+(?:[eE][-+]?[0-9]+)?)\\s*(s|ms|us|ns|)");

  /// Checks the numbers.
  public Link {
    if (!(alphaSeconds >= 0 && alphaSeconds < 1e3)
        || !(betaSecondsPerByte >= 0 && betaSecondsPerByte < 1)) {
      throw new IllegalArgumentException(
          "link: expected times of at least 0 (alpha below 1000 s, beta below 1 s), found alpha %s s and beta %s s"
              .formatted(alphaSeconds, betaSecondsPerByte));
    }
  }

  /// Returns the text that [#parse] reads.
  @Override
  public String toString() {
    return text(alphaSeconds) + "," + text(betaSecondsPerByte);
  }

  /// A time in the unit in which it is at least 1, or in nanoseconds.
  private static String text(double seconds) {
    BigDecimal exact = BigDecimal.valueOf(seconds);
    int power = 0;
    while (power < 9
        && seconds > 0
        && exact.scaleByPowerOfTen(power).compareTo(BigDecimal.ONE) < 0) {
      power += 3;
    }
    String number = exact.scaleByPowerOfTen(power).stripTrailingZeros().toPlainString();
    return number + UNITS.get(power / 3);
  }

  /// Reads `alpha,beta` with units `s`, `ms`, `us`, `ns` or none for seconds: `30us,0.8ns` or
  /// `30e-6,0.8e-9`.
  ///
  /// @param text such as `30us,0.8ns`
  /// @return the link
  /// @throws InvalidInputException if the text has another form
  public static Link parse(String text) {
    String[] parts = text.split(",", -1);
    if (parts.length == 2) {
      double alpha = seconds(parts[0]);
      double beta = seconds(parts[1]);
      if (alpha >= 0 && alpha < 1e3 && beta >= 0 && beta < 1) {
        return new Link(alpha, beta);
      }
    }
    throw new InvalidInputException(
        "link: expected a latency and a time per byte, found '%s'; write for instance 30us,0.8ns"
            .formatted(text));
  }

  /// The time of a text, or NaN.
  private static double seconds(String text) {
    Matcher matcher = TIME.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      return Double.NaN;
    }
    int power = 3 * Math.max(0, UNITS.indexOf(matcher.group(2)));
    try {
      return new BigDecimal(matcher.group(1)).scaleByPowerOfTen(-power).doubleValue();
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  /// {@return the nanoseconds that a message occupies the link}
  ///
  /// @param bytes of the message
  public long nanos(long bytes) {
    return Math.round((alphaSeconds + bytes * betaSecondsPerByte) * 1e9);
  }
}
