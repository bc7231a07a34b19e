package dev.gossamer.cli;

import dev.gossamer.cli.machine.ComputeOptions;
import dev.gossamer.cli.terminal.CommonOptions;
import dev.gossamer.cli.terminal.JsonOutput;
import dev.gossamer.cli.terminal.Table;
import dev.gossamer.graph.cache.DatasetCache;
import dev.gossamer.matrix.dense.Matmul;
import dev.gossamer.run.memory.MemoryEstimate;
import dev.gossamer.run.memory.SystemMemory;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "info",
    description =
        "Show the machine as Gossamer detects it: JDK, vector width, kernels, cores, memory.",
    footerHeading = "%nExample:%n",
    footer = "  gossamer info --json")
final class InfoCommand implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin CommonOptions common = new CommonOptions();
  @Mixin ComputeOptions compute = new ComputeOptions();

  @Override
  public Integer call() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("gossamer", Version.GOSSAMER);
    facts.put("jdk", System.getProperty("java.vendor") + " " + Runtime.version());
    facts.put("os", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
    facts.put("vector_bits", Matmul.vectorBits());
    facts.put("spmm", "java");
    facts.put("matmul", compute.settings().matmul().name());
    facts.put("threads", compute.threads(1));
    facts.put("memory_bytes", SystemMemory.total().orElse(0));
    facts.put("available_bytes", SystemMemory.available().orElse(0));
    facts.put("cache_folder", DatasetCache.ofUser().folder().toString());
    PrintWriter out = spec.commandLine().getOut();
    if (common.json) {
      out.println(JsonOutput.line(JsonOutput.object(facts)));
    } else {
      Table table = new Table();
      facts.forEach((name, value) ->
          table.row(
              name.replace("_bytes", "").replace('_', ' '),
              name.endsWith("_bytes")
                  ? MemoryEstimate.readable(((Number) value).longValue())
                  : value));
      table.print(out);
    }
    out.flush();
    return 0;
  }
}
