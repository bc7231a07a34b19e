package dev.gossamer.cli;

import dev.gossamer.cli.terminal.CommonOptions;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/// The manual page of a command with all its subcommands, in the roff macros of `man`.
///
/// @param root the command, whose name is that of the page
record ManualPage(CommandSpec root) {
  private static final String END =
      """
      .SH ENVIRONMENT
      .TP
      .B GOSSAMER_CACHE
      The folder of converted and built data sets (default: gossamer in XDG_CACHE_HOME).
      .TP
      .B GOSSAMER_JAVA_OPTIONS
      More flags for the Java virtual machine.
      .TP
      .B GOSSAMER_JDBC_PASSWORD
      The password of databases, unless --password-file names a file.
      .TP
      .B JAVA_HOME
      The JDK that builds and runs a source tree, 25 or newer. The archive brings its own.
      .TP
      .B XDG_CACHE_HOME
      The folder of caches (default: ~/.cache).
      .SH EXIT STATUS
      .TP
      .B 0
      Done.
      .TP
      .B 1
      The run failed.
      .TP
      .B 2
      Wrong usage or input.
      .TP
      .B 3
      The training diverged: its loss or its weights are not finite.
      .TP
      .B 130
      Interrupted.
      """;

  /// Returns the source of the page.
  String roff() {
    StringBuilder page = new StringBuilder();
    page.append(
        ".TH \"%s\" 1 \"\" \"gossamer %s\" \"User Commands\"\n"
            .formatted(root.name().toUpperCase(Locale.ROOT), Version.GOSSAMER));
    page.append(".SH NAME\n%s \\- %s\n".formatted(text(root.name()), text(description(root))));
    page.append(".SH SYNOPSIS\n.B %s\n.I COMMAND\n[\\fIOPTION\\fR ...]\n".formatted(root.name()));
    page.append(".SH OPTIONS OF EVERY COMMAND\n");
    new CommandLine(new CommonOptions()).getCommandSpec().options().forEach(o -> entry(page, o));
    page.append(".SH COMMANDS\n");
    commands(root).forEach(command -> section(page, command));
    return page.append(END).toString();
  }

  /// The commands below one, each followed by its own.
  private static Stream<CommandSpec> commands(CommandSpec parent) {
    return parent.subcommands().values().stream()
        .map(CommandLine::getCommandSpec)
        .filter(command -> !command.usageMessage().hidden())
        .flatMap(command -> Stream.concat(Stream.of(command), commands(command)));
  }

  private static void section(StringBuilder page, CommandSpec command) {
    page.append(
        ".SS %s\n%s\n".formatted(text(command.qualifiedName()), text(description(command))));
    CommandSpec common = command.mixins().get("common");
    List<String> shared =
        common == null
            ? List.of()
            : common.options().stream().map(OptionSpec::longestName).toList();
    command.positionalParameters().forEach(parameter -> entry(page, parameter));
    command.options().stream()
        .filter(option -> !option.hidden() && !shared.contains(option.longestName()))
        .forEach(option -> entry(page, option));
    String[] footer = command.usageMessage().footer();
    if (footer.length > 0) {
      page.append(".PP\n.nf\n");
      Arrays.stream(footer).forEach(line -> page.append(text(line)).append('\n'));
      page.append(".fi\n");
    }
  }

  private static void entry(StringBuilder page, ArgSpec argument) {
    CommandLine line = argument.command().commandLine();
    Help help = line.getHelp();
    String label =
        help.parameterLabelRenderer()
            .renderParameterLabel(argument, Ansi.OFF, List.of())
            .toString();
    String names =
        argument instanceof OptionSpec option
            ? Arrays.stream(option.names())
                .map(name ->
                    option.negatable()
                        ? line.getNegatableOptionTransformer()
                            .makeSynopsis(name, argument.command())
                        : name)
                .collect(Collectors.joining(", "))
            : "";
    page.append(".TP\n\\fB%s\\fR%s\n".formatted(text(names), text(label)));
    page.append(text(String.join(" ", argument.description()))).append('\n');
  }

  private static String description(CommandSpec command) {
    return String.join(" ", command.usageMessage().description());
  }

  /// Text that roff prints as it stands: a backslash, a hyphen, and a line that begins with a dot
  /// or a quote mean something there.
  private static String text(String plain) {
    String escaped = plain.replace("\\", "\\e").replace("-", "\\-");
    return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
  }
}
