package dev.gossamer.cli.terminal;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Help;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.IAnnotatedElement;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/// Groups the flags of a command's mixins under headings in its help. Parsing, defaults and
/// `config.yaml` are unaffected; picocli's own argument groups apply defaults of a file only if the
/// command line has one of the group's flags.
public final class GroupedHelp implements IModelTransformer {
  /// The flags under one heading.
  private record Group(List<String> sentences, List<OptionSpec> options) {}

  @Override
  public CommandSpec transform(CommandSpec spec) {
    spec.usageMessage()
        .sectionMap()
        .put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, help -> text(help, groups(spec)));
    return spec;
  }

  private static Map<String, Group> groups(CommandSpec spec) {
    Map<String, Group> groups = new LinkedHashMap<>();
    Set<String> placed = new HashSet<>();
    addMixins(spec, spec, groups, placed);
    return groups;
  }

  /// Adds the mixins of a command or of a mixin; those within a mixin go first, so that their own
  /// headings hold.
  ///
  /// @param placed names of the flags that stand in a group
  private static void addMixins(
      CommandSpec command, CommandSpec of, Map<String, Group> groups, Set<String> placed) {
    for (Map.Entry<String, IAnnotatedElement> mixin : of.mixinAnnotatedElements().entrySet()) {
      FlagGroup heading = mixin.getValue().getAnnotation(FlagGroup.class);
      CommandSpec flags = of.mixins().get(mixin.getKey());
      if (heading == null || flags == null) {
        continue;
      }
      Group group =
          groups.computeIfAbsent(
              heading.value(), _ -> new Group(new ArrayList<>(), new ArrayList<>()));
      addMixins(command, flags, groups, placed);
      if (!heading.sentence().isEmpty()) {
        group.sentences.add(heading.sentence());
      }
      flags.options().stream()
          .filter(flag -> !flag.hidden() && placed.add(flag.longestName()))
          .forEach(flag -> group.options.add(command.findOption(flag.longestName())));
    }
  }

  private static String text(Help help, Map<String, Group> groups) {
    return groups.entrySet().stream()
        .map(group ->
            help.createHeading("%n" + group.getKey() + "%n")
                + group.getValue().sentences.stream()
                    .map(sentence -> help.createHeading(sentence + "%n"))
                    .collect(Collectors.joining())
                + help.optionListExcludingGroups(group.getValue().options))
        .collect(Collectors.joining());
  }
}
