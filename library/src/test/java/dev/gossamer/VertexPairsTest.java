package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.InvalidSettingException;
import java.util.List;
import org.junit.jupiter.api.Test;

class VertexPairsTest {
  private static final List<String> OF_MODEL = List.of("likes", "owns");

  private final VertexPairs pairs = VertexPairs.of(new int[] {0, 4, 2}, new int[] {1, 1, 3});

  @Test
  void typesAreThoseOfTheModelByName() {
    VertexPairs typed = pairs.withTypes(List.of("owns", "likes"), new int[] {0, 1, 0});

    assertThat(typed.types(OF_MODEL)).containsExactly(1, 0, 1);
    assertThat(typed.types(List.of("all"))).containsExactly(0, 0, 0);
    assertThat(pairs.types(List.of())).containsExactly(0, 0, 0);
    assertThat(typed.count()).isEqualTo(3);
    assertThat(typed.first(1)).isEqualTo(4);
    assertThat(typed.second(2)).isEqualTo(3);
  }

  @Test
  void whatTheModelDoesNotKnowIsRefused() {
    assertThatThrownBy(() -> pairs.types(OF_MODEL))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage(
            "edgeType: expected the type of the edge of each pair, one of likes, owns, found none");
    VertexPairs typed = pairs.withTypes(List.of("sold"), new int[3]);
    assertThatThrownBy(() -> typed.types(OF_MODEL)).hasMessageEndingWith("found sold");
    assertThatThrownBy(() -> pairs.requireIn(4, "shop"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage("shop: expected pairs of vertices from 0 to 3, found 4");
  }

  @Test
  void lengthsAndPositionsAreChecked() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> VertexPairs.of(new int[2], new int[3]))
        .withMessageEndingWith("found 2, 3, 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> pairs.withTypes(OF_MODEL, new int[] {0, 2, 1}))
        .withMessageContaining("from 0 to 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> pairs.withTypes(OF_MODEL, new int[2]))
        .withMessageEndingWith("found 3, 3, 2");
  }
}
