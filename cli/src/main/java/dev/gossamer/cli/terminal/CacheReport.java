package dev.gossamer.cli.terminal;

import dev.gossamer.comm.LaunchEnvironment;
import dev.gossamer.graph.cache.BuiltIn;
import dev.gossamer.graph.cache.CacheListener;
import java.nio.file.Path;

/// Reports on standard error what was converted or built, with progress while it runs.
public final class CacheReport implements CacheListener, AutoCloseable {
  private final boolean quiet;
  private final ProgressSteps steps;

  public CacheReport(CommonOptions common) {
    quiet = common.quiet;
    steps = new ProgressSteps(common.quiet);
  }

  @Override
  public void at(String label, long done, long total) {
    steps.at(label, done, total);
  }

  @Override
  public void converted(Path source, Path folder) {
    say("converted %s to %s".formatted(source, folder));
  }

  @Override
  public void building(BuiltIn dataset) {
    say("building %s (%s), which is done once".formatted(dataset.key(), dataset.description()));
  }

  @Override
  public void built(BuiltIn dataset, Path folder) {
    say("built %s in %s".formatted(dataset.key(), folder));
  }

  /// Reported by one process of a launcher, since it is the same for all.
  @Override
  public void notKept(String name, String why) {
    if (LaunchEnvironment.detect(System.getenv()).rank() == 0) {
      say("%s is not cached (%s); GOSSAMER_CACHE names another folder".formatted(name, why));
    }
  }

  @Override
  public void damaged(Path folder, String why) {
    say("the cache is damaged (%s); rebuilding it".formatted(why));
  }

  private void say(String what) {
    steps.close();
    if (!quiet) {
      System.err.println(PlainText.of("gossamer: " + what));
    }
  }

  @Override
  public void close() {
    steps.close();
  }
}
