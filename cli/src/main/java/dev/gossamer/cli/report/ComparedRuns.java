package dev.gossamer.cli.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Runs that are shown side by side, or one alone.
final class ComparedRuns {
  /// Settings that differ, at most, for runs to be told apart by their values.
  private static final int MOST_VALUES = 3;

  private final List<ReportedRun> all;
  private final Set<String> flags;
  private final List<String> different;
  private final List<String> labels;

  /// @param all at least one
  ComparedRuns(List<ReportedRun> all) {
    this.all = List.copyOf(all);
    flags = new TreeSet<>();
    all.forEach(run -> flags.addAll(run.settings().keySet()));
    different = flags.stream().filter(this::differs).toList();
    labels = labels();
  }

  List<ReportedRun> all() {
    return all;
  }

  ReportedRun first() {
    return all.getFirst();
  }

  boolean isAlone() {
    return all.size() == 1;
  }

  /// Flags of all settings, in alphabetic order.
  Set<String> flags() {
    return flags;
  }

  /// Flags of settings that differ, in alphabetic order.
  List<String> different() {
    return different;
  }

  /// What a run is called in tables and drawings.
  String label(int run) {
    return labels.get(run);
  }

  private boolean differs(String flag) {
    return all.stream().map(run -> setting(run, flag)).distinct().count() > 1;
  }

  static String setting(ReportedRun run, String flag) {
    return run.settings().getOrDefault(flag, NumberText.NONE);
  }

  /// The values by which runs differ, if they are few and tell them apart; else their names.
  private List<String> labels() {
    List<String> values =
        all.stream()
            .map(run ->
                different.stream()
                    .map(flag -> "%s %s".formatted(flag, setting(run, flag)))
                    .collect(Collectors.joining(", ")))
            .toList();
    boolean few = !different.isEmpty() && different.size() <= MOST_VALUES;
    return few && values.stream().distinct().count() == all.size()
        ? values
        : all.stream().map(ReportedRun::name).toList();
  }

  /// The head of a table with a column for each run; none for one alone.
  List<String> head() {
    return isAlone() ? List.of() : Stream.concat(Stream.of(""), labels.stream()).toList();
  }

  /// A row of such a table.
  List<String> row(String name, Function<ReportedRun, String> cell) {
    List<String> row = new ArrayList<>(List.of(name));
    all.forEach(run -> row.add(cell.apply(run)));
    return row;
  }
}
