package dev.gossamer.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "gossamer",
    description = "Train graph neural networks and pruned networks on many ranks.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer train                      a graph network on the JDK's own classes",
      "  gossamer train --data cora/ --json  one JSON object on standard output",
      "  gossamer plan --data my-graph       the fastest way to train it that fits",
      "  gossamer watch                      the training that another terminal runs",
      "  gossamer report runs/NAME           a page about a run: scores, seconds, traffic",
      "  gossamer prune train                a language model, pruned during training",
      "  gossamer dataset list               the built-in data sets, generators and formats",
      "",
      "With --json every command prints one object, also when it fails (docs/json.md).",
      "Exit status: 0 done, 1 the run failed, 2 wrong usage or input, 3 the training diverged, 130 interrupted.",
    })
public final class GossamerCommand implements Runnable {
  @Spec CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "expected a command, found none");
  }
}
