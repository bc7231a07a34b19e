package dev.gossamer.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunTraceTest {
  @TempDir Path folder = Path.of("");

  private Path file(String events) throws IOException {
    return Files.writeString(folder.resolve("trace.json"), events);
  }

  @Test
  void theLastEpochIsRead() throws IOException {
    RunTrace trace =
        RunTrace.read(
            file(
                """
                {"displayTimeUnit":"ms","traceEvents":[
                {"name":"thread_name","ph":"M","pid":0,"tid":0,"args":{"name":"rank 0 compute"}},
                {"name":"spmm","ph":"X","pid":0,"tid":0,"cat":"spmm","ts":1,"dur":2,"args":{"epoch":1}},
                {"name":"gather rows","ph":"b","pid":1,"tid":1,"cat":"communication","id":"0x1","ts":8.5,"args":{"epoch":2}},
                {"name":"epoch","ph":"X","pid":0,"tid":0,"cat":"step","ts":9,"dur":20,"args":{"epoch":2}},
                {"name":"matmul","ph":"X","pid":0,"tid":0,"cat":"matmul","ts":9.5,"dur":2,"args":{"epoch":2}},
                {"name":"gather rows","ph":"e","pid":1,"tid":1,"cat":"communication","id":"0x1","ts":10.5},
                {"name":"gather rows","ph":"e","pid":1,"tid":1,"cat":"communication","id":"0x2","ts":11}
                ]}
                """));
    assertThat(trace.epoch()).isEqualTo(2);
    assertThat(trace.spans())
        .containsExactly(
            new RunTrace.Span(0, 0, "matmul", "matmul", 9.5, 11.5),
            new RunTrace.Span(1, 1, "communication", "gather rows", 8.5, 10.5));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{}",
        "[{\"ph\":\"X\"",
        "[{\"ph\":\"X\",\"cat\":\"a\",\"ts\":1}]",
        "[{\"ph\":\"X\",\"cat\":\"a\",\"ts\":1,\"dur\":1,\"args\":{\"epoch\":1}}]"
      })
  void somethingElseIsRefused(String text) throws IOException {
    Path file = file(text);
    assertThatThrownBy(() -> RunTrace.read(file))
        .isInstanceOf(InvalidInputException.class)
        .hasMessage(
            "%s: expected a list of events with times and ranks, found something else", file);
  }
}
