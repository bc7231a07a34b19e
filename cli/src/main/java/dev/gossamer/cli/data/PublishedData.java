package dev.gossamer.cli.data;

import java.util.List;

/// A published data set, or several of one kind, that opens as it is published: where to get it.
/// Nothing is downloaded.
///
/// @param name usual name, or several with commas
/// @param title what the vertices, edges and classes are
/// @param source where to get it
/// @param licence stated there
/// @param format its name in [dev.gossamer.graph.format.GraphFormat]
/// @param data the file or folder to pass to `--data`
record PublishedData(
    String name, String title, String source, String licence, String format, String data) {
  private static final String NOT_STATED = "not stated";
  private static final String SEE_THERE = "see there";

  /// In the order of their formats.
  static final List<PublishedData> ALL =
      List.of(
          new PublishedData(
              "cora, citeseer, pubmed",
              "papers and citations, topics; the public split",
              "github kimiyoung/planetoid, folder data",
              "MIT",
              "planetoid",
              "a folder with ind.NAME.*"),
          new PublishedData(
              "cora_ml, dblp, amazon photo, coauthor cs, ...",
              "papers, goods or authors, topics",
              "github shchur/gnn-benchmark, folder data/npz",
              "MIT",
              "npz",
              "NAME.npz"),
          new PublishedData(
              "roman-empire, tolokers, minesweeper, actor, ...",
              "graphs whose neighbours differ in class; ten splits",
              "github yandex-research/heterophilous-graphs, folder data",
              "MIT",
              "npz",
              "NAME.npz"),
          new PublishedData(
              "cora (text)",
              "papers and citations, topics; ids of papers",
              "LINQS, linqs.org/datasets",
              NOT_STATED,
              "cora",
              "cora"),
          new PublishedData(
              "facebook pages, github, lastfm asia, deezer europe",
              "pages or users who know each other, kind or country",
              "github benedekrozemberczki/datasets",
              "MIT",
              "musae",
              "a folder with NAME_edges.csv"),
          new PublishedData(
              "twitch",
              "streamers of one language, mature content",
              "SNAP, snap.stanford.edu/data/twitch-social-networks.html",
              SEE_THERE,
              "musae",
              "twitch/DE, twitch/ENGB, ..."),
          new PublishedData(
              "reddit",
              "posts with common commenters, community",
              "DGL, dgl.data.RedditDataset",
              SEE_THERE,
              "reddit",
              "a folder with reddit_data.npz"),
          new PublishedData(
              "flickr, reddit (GraphSAINT)",
              "images or posts, tags or community; one split",
              "github GraphSAINT/GraphSAINT, link in its README",
              SEE_THERE,
              "graphsaint",
              "flickr, reddit"),
          new PublishedData(
              "ogbn-arxiv, ogbn-papers100M",
              "papers and citations, subject areas; split by year",
              "Open Graph Benchmark, ogb.stanford.edu",
              "ODC-BY",
              "ogb",
              "arxiv, papers100M-bin"),
          new PublishedData(
              "ogbn-mag",
              "papers with authors and institutions, venue; split by year",
              "Open Graph Benchmark, ogb.stanford.edu",
              "ODC-BY",
              "ogb",
              "mag"),
          new PublishedData(
              "ogbn-products",
              "goods that are bought together, categories; split by sales",
              "Open Graph Benchmark, ogb.stanford.edu",
              "Amazon's",
              "ogb",
              "products"),
          new PublishedData(
              "facebook100",
              "students of a college who know each other, gender",
              "github CUAI/Non-Homophily-Large-Scale, folder data/facebook100",
              NOT_STATED,
              "facebook100",
              "NAME.mat"),
          new PublishedData(
              "com-Orkut, web-Google, roadNet-CA, ...",
              "bare graphs",
              "SNAP, snap.stanford.edu/data",
              SEE_THERE,
              "edges",
              "NAME.txt.gz"),
          new PublishedData(
              "the SuiteSparse collection",
              "bare graphs and matrices",
              "sparse.tamu.edu, Matrix Market form",
              "CC BY 4.0",
              "mtx",
              "NAME/NAME.mtx"),
          new PublishedData(
              "4elt, delaunay_n20, europe.osm, ...",
              "bare graphs",
              "10th DIMACS Implementation Challenge",
              SEE_THERE,
              "metis",
              "NAME.graph.bz2, unpacked"),
          new PublishedData(
              "USA-road",
              "crossings and roads with lengths",
              "9th DIMACS Implementation Challenge",
              SEE_THERE,
              "dimacs",
              "USA-road-d.NAME.gr.gz"));
}
