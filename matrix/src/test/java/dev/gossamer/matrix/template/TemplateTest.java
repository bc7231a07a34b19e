package dev.gossamer.matrix.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What is generated is what the templates give, and what they give is what they say.
class TemplateTest {
  private static final Path MODULE = Path.of("");

  static List<Path> templates() throws IOException {
    return Template.all(MODULE);
  }

  @ParameterizedTest
  @MethodSource("templates")
  void aGeneratedClassIsWhatItsTemplateGives(Path file) throws IOException {
    String found = Files.readString(Template.target(MODULE, file));
    assertThat(withoutSpace(found))
        .as("%s; see Template for how to generate it anew", Template.target(MODULE, file))
        .isEqualTo(withoutSpace(Template.generate(MODULE, file)));
  }

  /// The formatter breaks lines, of comments too.
  private static String withoutSpace(String source) {
    return source.replace("///", "").replaceAll("\\s", "");
  }

  @Test
  void loopsNestAndGoThroughTuplesAndRanges() {
    assertThat(
            expand("#for m,n in 2,1 1,3", "${m}:", "#for i < m", "${i}${n}", "#end", "#end", "."))
        .isEqualTo("2:\n01\n11\n1:\n03\n.\n");
  }

  @Test
  void aTermIsWrittenAsOneWould() {
    assertThat(expand("#for i in 0 1 2", "x${+ i * pitch}${+ i}", "#end"))
        .isEqualTo("x\nx + pitch + 1\nx + 2 * pitch + 2\n");
  }

  @Test
  void mistakesAreRefused() {
    assertThatThrownBy(() -> expand("#for i in 1", "${i}")).hasMessage("line 1: #for without #end");
    assertThatThrownBy(() -> expand("a", "#end")).hasMessage("line 2: #end without #for");
    assertThatThrownBy(() -> expand("${n}")).hasMessage("no #for gives n");
    assertThatThrownBy(() -> expand("#for n in 0", "#for i < n", "#end", "#end"))
        .hasMessage("a loop without rounds: #for i < n");
  }

  private static String expand(String... lines) {
    return new Template(List.of(lines)).expand();
  }
}
