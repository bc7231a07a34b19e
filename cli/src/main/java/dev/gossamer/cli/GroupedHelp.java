package dev.gossamer.cli;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Help;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.IAnnotatedElement;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/// Puts the flags of a command's mixins under headings in its help. Flags are parsed, defaulted and
/// written to `config.yaml` as those of any mixin; picocli's own argument groups would take
/// defaults of a file only where the command line has one of the group's flags.
final class GroupedHelp implements IModelTransformer {
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
    for (Map.Entry<String, IAnnotatedElement> mixin : spec.mixinAnnotatedElements().entrySet()) {
      FlagGroup heading = mixin.getValue().getAnnotation(FlagGroup.class);
      CommandSpec flags = spec.mixins().get(mixin.getKey());
      if (heading != null && flags != null) {
        Group group =
            groups.computeIfAbsent(
                heading.value(), _ -> new Group(new ArrayList<>(), new ArrayList<>()));
        if (!heading.sentence().isEmpty()) {
          group.sentences.add(heading.sentence());
        }
        flags.options().forEach(flag -> group.options.add(spec.findOption(flag.longestName())));
      }
    }
    return groups;
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
