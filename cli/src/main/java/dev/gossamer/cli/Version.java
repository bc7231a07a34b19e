package dev.gossamer.cli;

import picocli.CommandLine.IVersionProvider;

/// Provides the text of `--version`.
final class Version implements IVersionProvider {
  static final String GOSSAMER = "0.2.0";

  @Override
  public String[] getVersion() {
    return new String[] {"gossamer " + GOSSAMER + " (Java " + Runtime.version() + ")"};
  }
}
