/// The command line.
module dev.gossamer.cli {
  requires dev.gossamer.training;
  requires info.picocli;
  requires org.slf4j;
  requires ch.qos.logback.classic;
  requires progressbar;
  requires tools.jackson.databind;
  requires tools.jackson.dataformat.yaml;
}
