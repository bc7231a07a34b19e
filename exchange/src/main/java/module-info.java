/// Exchange of rows between ranks: distributed products and edges.
module dev.gossamer.exchange {
  requires transitive dev.gossamer.partition;
  requires transitive dev.gossamer.run;

  exports dev.gossamer.exchange;
}
