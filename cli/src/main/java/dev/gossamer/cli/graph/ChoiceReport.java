package dev.gossamer.cli.graph;

import dev.gossamer.ExchangeChoice;
import dev.gossamer.ExchangeSpace;
import dev.gossamer.PlannedStrategy;
import dev.gossamer.RankSettings;
import dev.gossamer.cli.terminal.Choice;
import dev.gossamer.exchange.ExchangeStrategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/// Settings that training has chosen because no flag set them: one line per flag with the reason.
final class ChoiceReport {
  private ChoiceReport() {}

  /// Returns the lines; empty if there was nothing to choose.
  static List<String> lines(ExchangeChoice choice) {
    ExchangeSpace open = choice.open();
    List<String> lines = new ArrayList<>();
    add(lines, choice, "--exchange", open.kinds(), ranks -> Choice.name(ranks.strategy().kind()));
    add(lines, choice, "--replication", open.replications(), ranks -> replication(ranks));
    add(lines, choice, "--overlap", open.overlaps(), ranks -> overlap(ranks.strategy()));
    add(
        lines,
        choice,
        "--placement",
        open.placements(),
        ranks -> String.valueOf(ranks.placement()));
    return lines;
  }

  private static String replication(RankSettings ranks) {
    return Integer.toString(ranks.strategy().replication());
  }

  private static String overlap(ExchangeStrategy strategy) {
    return strategy.overlap() ? "on" : "off";
  }

  private static void add(
      List<String> lines,
      ExchangeChoice choice,
      String flag,
      List<?> open,
      Function<RankSettings, String> value) {
    if (open.size() == 1) {
      return;
    }
    PlannedStrategy chosen = choice.chosen();
    String taken = value.apply(chosen.ranks());
    Optional<PlannedStrategy> other =
        choice.runnerUp(ranks -> !Objects.equals(value.apply(ranks), taken));
    String reason =
        other
            .map(next -> beside(value.apply(next.ranks()), next, chosen))
            .orElseGet(() -> noOther(choice));
    lines.add("%s %s: %s".formatted(flag, taken, reason));
  }

  private static String noOther(ExchangeChoice choice) {
    double seconds = choice.chosen().seconds();
    return choice.others().isEmpty()
        ? String.format(
            Locale.ROOT,
            "communication is %.0f %% of a planned epoch of %.4f s, so that no alternative saves a tenth",
            100 * choice.movingShare(),
            seconds)
        : String.format(
            Locale.ROOT, "no alternative can save a tenth of a planned epoch of %.4f s", seconds);
  }

  private static String beside(String other, PlannedStrategy next, PlannedStrategy chosen) {
    return String.format(
        Locale.ROOT,
        "%.4f s per epoch by plan, with %s %.4f s",
        chosen.seconds(),
        other,
        next.seconds());
  }
}
