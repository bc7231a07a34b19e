package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;

class CheckpointFolderTest {
  /// A checkpoint is found again by a process with another locale, whose digits may differ.
  @Test
  void namesOfFilesAreTheSameInEveryLocale() {
    Locale before = Locale.getDefault(Locale.Category.FORMAT);
    try {
      Locale.setDefault(Locale.Category.FORMAT, Locale.forLanguageTag("ar-EG-u-nu-arab"));
      assertThat("%d".formatted(3)).isNotEqualTo("3");
      assertThat(CheckpointFolder.fileOfAll(3)).isEqualTo("epoch-000003.safetensors");
      assertThat(CheckpointFolder.fileOfRank(3, 1)).isEqualTo("epoch-000003.rank-001.safetensors");
    } finally {
      Locale.setDefault(Locale.Category.FORMAT, before);
    }
  }
}
