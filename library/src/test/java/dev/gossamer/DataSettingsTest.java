package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.cache.CacheListener;
import dev.gossamer.graph.cache.DatasetCache;
import dev.gossamer.run.memory.MemoryEstimate;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataSettingsTest {
  private static final MemoryEstimate SMALL =
      MemoryEstimate.builder().add("Java runtime", MemoryEstimate.RUNTIME_BYTES).build();

  @TempDir Path folder;

  /// Building takes more memory than a training on what is built; opening that again does not.
  @Tag("slow")
  @Test
  void buildingIsWithinTheLimitAndCounted() {
    DataSettings source = DataSettings.DEFAULT;
    DatasetCache cache = new DatasetCache(folder.resolve("cache"));
    assertThatThrownBy(() -> source.read(cache, CacheListener.SILENT, 320L << 20))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage(
            "memory: building jdk-classes, which is done once, needs 416.00 MiB but 320.00 MiB may be used; use more memory, or other data");
    assertThat(folder).isEmptyDirectory();
    try (Dataset built = source.read(cache, CacheListener.SILENT, 416L << 20);
        Dataset again = source.read(cache, CacheListener.SILENT, 0)) {
      assertThat(built.in(SMALL).bytes("building the data set")).isEqualTo(320L << 20);
      assertThat(again.in(SMALL)).isEqualTo(SMALL);
    }
  }
}
