package dev.gossamer.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The Java examples of the pages about the library and about exported models compile as they are
/// pasted.
class DocumentedExamplesTest {
  private static final List<Path> PAGES =
      List.of(Path.of("../docs/api.md"), Path.of("../docs/export.md"));
  private static final Pattern EXAMPLE = Pattern.compile("```java\\R(.*?)```", Pattern.DOTALL);

  @TempDir Path folder;

  static List<String> examples() throws IOException {
    List<String> examples = new ArrayList<>();
    for (Path page : PAGES) {
      Matcher matcher = EXAMPLE.matcher(Files.readString(page));
      assertThat(matcher.results()).as("%s", page).isNotEmpty();
      matcher.reset().results().forEach(found -> examples.add(found.group(1)));
    }
    return examples;
  }

  @Test
  void thereAreSome() throws IOException {
    assertThat(examples()).hasSizeGreaterThan(5);
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("examples")
  void compilesAsPasted(String example) {
    String imports = lines(example, true).collect(Collectors.joining("\n"));
    String body = lines(example, false).collect(Collectors.joining("\n"));
    String source = imports + "\nclass Pasted { void run() throws Exception {\n" + body + "\n}}";
    JavaFileObject file =
        new SimpleJavaFileObject(URI.create("string:///Pasted.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    StringWriter said = new StringWriter();
    JavaCompiler.CompilationTask task =
        ToolProvider.getSystemJavaCompiler()
            .getTask(
                said,
                null,
                null,
                List.of("-d", folder.toString(), "-proc:none", "-cp", classPath()),
                null,
                List.of(file));
    assertThat(task.call()).as("%s%n%s", said, source).isTrue();
  }

  private static Stream<String> lines(String example, boolean imports) {
    return example.lines().filter(line -> line.startsWith("import ") == imports);
  }

  /// Of all modules, which the tests have on their module path or class path.
  private static String classPath() {
    return Stream.of("jdk.module.path", "java.class.path")
        .map(name -> System.getProperty(name, ""))
        .filter(path -> !path.isEmpty())
        .collect(Collectors.joining(System.getProperty("path.separator")));
  }
}
