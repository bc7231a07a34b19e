package dev.gossamer.cli.report;

import dev.gossamer.base.InvalidInputException;
import dev.gossamer.base.io.AtomicOutput;
import dev.gossamer.base.io.InputFile;
import dev.gossamer.cli.page.PngImage;
import dev.gossamer.cli.page.SvgPlot;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.run.RunFolder;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
    name = "report",
    description = {
      "Write a page about a run: settings, loss and scores by epoch, seconds by phase, bytes between ranks.",
      "The page is one file without scripts, which any browser shows offline. Several runs are shown side by side, what"
          + " differs between their settings first. Runs of 'train' and of 'prune train' may still be going on.",
    },
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  gossamer report runs/20260131-101500-cora",
      "      writes report.html into the folder of the run",
      "  gossamer report runs/20260131-101500-cora --evaluate",
      "      with the scores of each class, which are taken for which, and a map of the vertices",
      "  gossamer report runs/*-cora --out compared.html --charts charts",
      "      several runs on one page, and each drawing as a file of its own",
    })
public final class ReportCommand implements Callable<Integer> {
  private static final String PAGE = "report.html";

  private static final String SVG = ".svg";
  private static final String PNG = ".png";

  private static final Set<String> CHARTS =
      Drawing.charts().stream()
          .flatMap(chart -> Stream.of(chart + SVG, chart + PNG))
          .collect(Collectors.toUnmodifiableSet());

  @Spec CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "RUN",
      description = "Folder of a training run, finished or not; several are compared.")
  List<Path> runs = List.of();

  @Option(
      names = {"-o", "--out"},
      paramLabel = "FILE",
      description = "Page to write (default for one run: report.html in its folder).")
  @Nullable Path out;

  @Option(
      names = "--charts",
      paramLabel = "FOLDER",
      description =
          "Also write each drawing as an SVG and a PNG file into this folder; replaces earlier drawings, but never a"
              + " folder with other files.")
  @Nullable Path charts;

  @Option(
      names = "--evaluate",
      description =
          "Also evaluate the models on their data, for the scores of each class, label or number, which classes are"
              + " taken for which, how far probabilities can be trusted, and a map of the vertices by their vectors.")
  boolean evaluate;

  @Option(names = "--force", description = "Replace an existing file that is no report.")
  boolean force;

  @Mixin CommonOptions common = new CommonOptions();

  @Override
  public Integer call() {
    if (runs.size() > ReportPage.MOST_RUNS) {
      throw new ParameterException(
          spec.commandLine(),
          "RUN: expected at most %d, found %d".formatted(ReportPage.MOST_RUNS, runs.size()));
    }
    Path file = file();
    requireReplaceable(file);
    if (charts != null) {
      AtomicOutput.requireReplaceable(charts, CHARTS);
    }
    ReportPage page = new ReportPage(runs.stream().map(this::read).toList());
    List<Path> written = List.of();
    AtomicOutput.file(file, temporary -> Files.writeString(temporary, page.html()));
    if (charts != null) {
      written = write(page.charts(), charts);
    }
    print(file, written);
    return 0;
  }

  private ReportedRun read(Path run) {
    ReportedRun read = ReportedRun.read(run);
    return evaluate ? read.evaluated(run, common) : read;
  }

  private Path file() {
    if (out != null) {
      return out;
    }
    if (runs.size() > 1) {
      throw new ParameterException(
          spec.commandLine(), "--out: expected a file for the page of several runs, found none");
    }
    return RunFolder.openBegun(runs.getFirst()).file(PAGE);
  }

  /// Refuses to replace what is no report.
  private void requireReplaceable(Path file) {
    if (!force && Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !isReport(file)) {
      throw new InvalidInputException(
          "%s: expected a new file or an earlier report, found something else; choose another name, or --force to replace it"
              .formatted(file));
    }
    AtomicOutput.requireWritable(file);
  }

  private static boolean isReport(Path file) {
    String beginning = "<!DOCTYPE html>\n<!-- " + ReportPage.REMARK;
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    try (InputStream in = InputFile.of(file).stream()) {
      byte[] found = in.readNBytes(beginning.length());
      return new String(found, StandardCharsets.UTF_8).equals(beginning);
    } catch (IOException e) {
      throw InvalidInputException.unreadable(file, e);
    }
  }

  /// Returns the files, in order.
  private List<Path> write(Map<String, SvgPlot> drawings, Path folder) {
    boolean png = PngImage.isPossible();
    if (!png) {
      spec.commandLine()
          .getErr()
          .println(
              "gossamer: --charts: no PNG files, as this system has no fonts; install fontconfig and a font, or take the SVG files");
    }
    AtomicOutput.folder(
        folder,
        CHARTS,
        temporary -> {
          for (Map.Entry<String, SvgPlot> drawing : drawings.entrySet()) {
            String name = drawing.getKey();
            Files.writeString(temporary.resolve(name + SVG), drawing.getValue().file());
            if (png) {
              PngImage.write(drawing.getValue(), temporary.resolve(name + PNG));
            }
          }
        });
    return drawings.keySet().stream()
        .sorted()
        .flatMap(name -> png ? Stream.of(name + PNG, name + SVG) : Stream.of(name + SVG))
        .map(folder::resolve)
        .toList();
  }

  private void print(Path file, List<Path> written) {
    PrintWriter terminal = spec.commandLine().getOut();
    if (common.json) {
      ObjectNode node = JsonOutput.object();
      node.put("file", file.toString());
      if (charts != null) {
        ArrayNode names = node.putArray("charts");
        written.forEach(chart -> names.add(chart.toString()));
      }
      terminal.println(JsonOutput.line(node));
    } else {
      terminal.printf("report   %s%n", file);
      if (charts != null) {
        terminal.printf("charts   %d files in %s%n", written.size(), charts);
      }
    }
    terminal.flush();
  }
}
