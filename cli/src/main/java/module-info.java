/// The command line.
module dev.gossamer.cli {
  requires dev.gossamer;
  requires dev.gossamer.onnx;
  requires dev.gossamer.pruned;
  requires dev.gossamer.tables;
  requires java.desktop;
  requires jdk.httpserver;
  requires com.google.protobuf;
  requires info.picocli;
  requires org.apache.commons.csv;
  requires tools.jackson.databind;
  requires tools.jackson.dataformat.yaml;
  // Only for the command `shell`, whose launcher asks for it.
  requires static jdk.jshell;

  opens dev.gossamer.cli to
      info.picocli;
  opens dev.gossamer.cli.data to
      info.picocli;
  opens dev.gossamer.cli.export to
      info.picocli;
  opens dev.gossamer.cli.graph to
      info.picocli;
  opens dev.gossamer.cli.machine to
      info.picocli;
  opens dev.gossamer.cli.pruned to
      info.picocli;
  opens dev.gossamer.cli.report to
      info.picocli;
  opens dev.gossamer.cli.settings to
      info.picocli;
  opens dev.gossamer.cli.tensorboard to
      info.picocli;
  opens dev.gossamer.cli.terminal to
      info.picocli;
}
