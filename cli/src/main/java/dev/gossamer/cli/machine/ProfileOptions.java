package dev.gossamer.cli.machine;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.text.ParseException;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The flag that records a profile.
public final class ProfileOptions {
  /// What a JDK calls its settings for profiles.
  private static final String SETTINGS = "profile";

  /// The newest part of a longer recording.
  private static final long MOST_BYTES = 256L << 20;

  @Option(
      names = "--profile",
      description =
          "Write profile.jfr into the run's folder: where the first process spends its time, recorded by JDK Flight"
              + " Recorder, and the methods that took most of it. Opens in JDK Mission Control and 'jfr view'.")
  boolean profile;

  /// @throws InvalidInputException if there is nothing to record, as nothing is trained
  public void requireRun(DryRunOptions planned) {
    if (profile && planned.dryRun) {
      throw new InvalidInputException(
          "--profile: expected a run that trains, found --dry-run; leave one of them out");
    }
  }

  /// Begins to record.
  ///
  /// @param firstProcess whether this process is the one that records
  /// @return the recording; null if none is wanted
  public @Nullable Profile begin(boolean firstProcess) {
    if (!profile || !firstProcess) {
      return null;
    }
    try {
      Recording recording = new Recording(Configuration.getConfiguration(SETTINGS));
      recording.setMaxSize(MOST_BYTES);
      recording.start();
      return new Profile(recording);
    } catch (IOException | ParseException e) {
      throw new IllegalStateException("the JDK has no settings for profiles", e);
    }
  }
}
