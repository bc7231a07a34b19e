package dev.gossamer.cli;

import picocli.CommandLine.Command;

@Command(name = "dataset")
final class DatasetCommand implements Runnable {
  @Override
  public void run() {}
}
