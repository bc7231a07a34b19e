/// The command line.
module dev.gossamer.cli {
  requires dev.gossamer;
  requires dev.gossamer.pruned;
  requires info.picocli;
  requires org.apache.commons.csv;
  requires tools.jackson.databind;
  requires tools.jackson.dataformat.yaml;
  // Only for the command `shell`, whose launcher asks for it.
  requires static jdk.jshell;

  opens dev.gossamer.cli to
      info.picocli;
}
