package dev.gossamer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.gossamer.base.InvalidSettingException;
import dev.gossamer.graph.EdgeFeatures;
import dev.gossamer.graph.EdgeTimes;
import dev.gossamer.graph.Features;
import dev.gossamer.graph.GraphData;
import dev.gossamer.graph.Split;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DatasetBuilderTest {
  private record Payment(String from, String to, double amount) {}

  @Test
  void objectsBecomeTheGraphThatTheyDescribe() {
    DatasetBuilder<String> builder = Dataset.builder("accounts");
    builder
        .edges(
            Stream.of(
                new Payment("ann", "bob", 2.5),
                new Payment("bob", "ann", 0.5),
                new Payment("cy", "cy", 9)),
            Payment::from,
            Payment::to,
            Payment::amount)
        .edge("bob", "cy")
        .vertex("dee")
        .features("ann", 1, 0)
        .features("bob", 0, 1)
        .features("cy", 0, 0)
        .features("dee", 3, 4)
        .featureNames("balance", "age")
        .label("cy", "fraud")
        .label("ann", "normal")
        .split("ann", Split.TRAIN)
        .split("cy", Split.TEST);
    try (Dataset dataset = builder.build()) {
      GraphData data = dataset.data();
      assertThat(dataset.name()).isEqualTo("accounts");
      assertThat(data.vertexNames()).containsExactly("ann", "bob", "cy", "dee");
      assertThat(data.adjacency().toDense())
          .isDeepEqualTo(new float[][] {{0, 3, 0, 0}, {3, 0, 1, 0}, {0, 1, 0, 0}, {0, 0, 0, 0}});
      Features.Dense x = (Features.Dense) data.features();
      assertThat(x.x().get(3, 0)).isEqualTo(3);
      assertThat(x.x().get(3, 1)).isEqualTo(4);
      assertThat(x.x().get(1, 1)).isEqualTo(1);
      assertThat(data.featureNames()).containsExactly("balance", "age");
      assertThat(dataset.classes()).containsExactly("fraud", "normal");
      assertThat(data.labels()).containsExactly(1, GraphData.UNLABELLED, 0, GraphData.UNLABELLED);
      assertThat(data.split())
          .containsExactly(
              Split.TRAIN.code(), Split.NONE.code(), Split.TEST.code(), Split.NONE.code());
    }
  }

  /// Ids of another type change names alone, and those that are the numbers of vertices are none.
  @Test
  void anyIdsGiveTheSameGraph() {
    long[] from = {1L << 40, 7, 1L << 40, -3};
    long[] to = {7, -3, -3, 7};
    DatasetBuilder<Long> longs = Dataset.builder("longs");
    longs.edges(IntStream.range(0, 4).boxed(), e -> from[e], e -> to[e]);
    DatasetBuilder<Integer> numbers = Dataset.builder("numbers");
    numbers.directed().edge(0, 1).edge(1, 2).edge(0, 2).edge(2, 1);
    try (Dataset undirected = longs.build();
        Dataset directed = numbers.build()) {
      assertThat(undirected.data().vertexNames()).containsExactly("1099511627776", "7", "-3");
      assertThat(undirected.edges()).isEqualTo(3);
      assertThat(undirected.data().adjacency().values()).isNull();
      assertThat(directed.data().vertexNames()).isNull();
      assertThat(directed.data().adjacency().toDense())
          .isDeepEqualTo(new float[][] {{0, 1, 1}, {0, 0, 1}, {0, 1, 0}});
    }
  }

  /// More edges than there is room for at first, the first of them without a weight of their own.
  @Test
  void edgesKeepTheirWeightsHoweverManyThereAre() {
    DatasetBuilder<Integer> builder = Dataset.builder("path");
    int n = 5000;
    for (int v = 0; v < n; v++) {
      builder.edge(v, v + 1, v < 1500 ? 1 : v);
    }
    try (Dataset dataset = builder.directed().build()) {
      float[][] row = dataset.data().adjacency().toDense();
      for (int v = 0; v < n; v++) {
        assertThat(row[v][v + 1]).isEqualTo(v < 1500 ? 1 : v);
      }
    }
  }

  @Test
  void aModelLearnsFromObjectsAndNamesThem() {
    Random random = new Random(1);
    DatasetBuilder<String> builder = Dataset.builder("pairs");
    List<String> ids = new ArrayList<>();
    for (int v = 0; v < 60; v++) {
      String id = "v" + v;
      ids.add(id);
      builder.features(id, v % 2, random.nextFloat()).label(id, v % 2 == 0 ? "even" : "odd");
    }
    for (int v = 0; v < 60; v++) {
      builder.edge(ids.get(v), ids.get((v + 2) % 60));
    }
    try (Dataset dataset = builder.build()) {
      GraphModel model = GraphTraining.on(dataset).gcn(8).epochs(60).learningRate(0.05).run();
      Dataset divided = dataset.withSplit(SplitProportions.DEFAULT);
      assertThat(model.evaluate(divided).test().accuracy()).isEqualTo(1);
      assertThat(divided.vertexName(59)).isEqualTo("v59");
    }
  }

  @Test
  void whatDoesNotFitIsNamed() {
    DatasetBuilder<String> uneven = Dataset.builder("uneven");
    uneven.features("ann", 1, 2).vertex("bob");
    assertThatThrownBy(uneven::build)
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("features: vertex bob: expected 2 numbers, as other vertices have, found 0");
    uneven.features("bob", 1, Float.NaN);
    assertThatThrownBy(uneven::build)
        .hasMessage("features: vertex bob, feature 1: expected a finite number, found NaN");
    assertThatThrownBy(() -> uneven.edge("ann", "bob", 1e300))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("weights: edge from ann to bob: expected a finite number, found 1.0E300");
    DatasetBuilder<Object> mixed = Dataset.builder("mixed");
    mixed.edge(1, "1");
    assertThatThrownBy(mixed::build)
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("vertices: expected ids of different texts, found two of '1'");
  }

  @Test
  void edgesHaveFeaturesOrNoneHas() {
    DatasetBuilder<String> builder = Dataset.builder("payments");
    builder.edge("ann", "bob").edgeFeatures(7, 7).edgeFeatures(1, 2);
    builder.edge("bob", "ann", 2).edgeFeatures(3, 4).edgeFeatureNames("amount", "card");
    try (Dataset dataset = builder.build()) {
      EdgeFeatures features = Objects.requireNonNull(dataset.data().edgeFeatures());
      assertThat(features.names()).containsExactly("amount", "card");
      assertThat(features.x().toArray()).isDeepEqualTo(new float[][] {{2, 3}, {2, 3}});
    }
    assertThatThrownBy(() -> builder.edge("bob", "cy").build())
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage(
            "edgeFeatures: expected features of all edges or of none, found them of 2 of 3");
    assertThatThrownBy(() -> builder.edgeFeatures(1))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("edgeFeatures: edge 2: expected 2 numbers, as other edges have, found 1");
    assertThatThrownBy(() -> Dataset.<String>builder("none").edgeFeatures(1))
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("edgeFeatures: expected an edge before, found none");
  }

  @Test
  void edgesHaveTimesOrNoneHas() {
    Instant first = Instant.parse("2024-01-31T10:15:00.5Z");
    DatasetBuilder<String> builder = Dataset.builder("timed");
    builder.edge("ann", "bob", 1, first.plusSeconds(60)).edge("bob", "ann", 1, first);
    try (Dataset dataset = builder.build()) {
      EdgeTimes times = Objects.requireNonNull(dataset.data().times());
      assertThat(times.count()).isEqualTo(2);
      assertThat(times.text(times.of(0))).isEqualTo("2024-01-31T10:15:00.500");
      assertThat(times.of(1)).isEqualTo(times.of(0));
    }
    builder.edge("bob", "cy");
    assertThatThrownBy(builder::build)
        .isInstanceOf(InvalidSettingException.class)
        .hasMessage("times: expected a time of all edges or of none, found it of 2 of 3");
  }
}
