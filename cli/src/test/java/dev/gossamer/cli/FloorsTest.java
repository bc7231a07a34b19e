package dev.gossamer.cli;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import org.junit.jupiter.api.Test;

/// Each floor imports only floors below it (see ARCHITECTURE.md).
class FloorsTest {
  private static final JavaClasses GOSSAMER =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.gossamer");

  @Test
  void eachFloorImportsOnlyFloorsBelow() {
    layeredArchitecture()
        .consideringOnlyDependenciesInAnyPackage("dev.gossamer..")
        .layer("matrix")
        .definedBy("dev.gossamer.matrix..")
        .layer("comm")
        .definedBy("dev.gossamer.comm..")
        .layer("graph")
        .definedBy("dev.gossamer.graph..")
        .layer("partition")
        .definedBy("dev.gossamer.partition..")
        .layer("nn")
        .definedBy("dev.gossamer.nn..")
        .layer("plan")
        .definedBy("dev.gossamer.plan..")
        .layer("run")
        .definedBy("dev.gossamer.run..")
        .layer("network")
        .definedBy("dev.gossamer.network..")
        .layer("exchange")
        .definedBy("dev.gossamer.exchange..")
        .layer("fullgraph")
        .definedBy("dev.gossamer.fullgraph..")
        .layer("minibatch")
        .definedBy("dev.gossamer.minibatch..")
        .layer("sampling")
        .definedBy("dev.gossamer.sampling..")
        .layer("feature")
        .definedBy("dev.gossamer.feature..")
        .layer("historical")
        .definedBy("dev.gossamer.historical..")
        .layer("corpus")
        .definedBy("dev.gossamer.corpus..")
        .layer("pipeline")
        .definedBy("dev.gossamer.pipeline..")
        .layer("cli")
        .definedBy("dev.gossamer.cli..")
        .whereLayer("cli")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("pipeline")
        .mayOnlyBeAccessedByLayers("cli")
        .whereLayer("corpus")
        .mayOnlyBeAccessedByLayers("pipeline", "cli")
        .whereLayer("fullgraph")
        .mayOnlyBeAccessedByLayers("cli")
        .whereLayer("minibatch")
        .mayOnlyBeAccessedByLayers("cli")
        .whereLayer("historical")
        .mayOnlyBeAccessedByLayers("minibatch", "cli")
        .whereLayer("feature")
        .mayOnlyBeAccessedByLayers("historical", "minibatch", "cli")
        .whereLayer("sampling")
        .mayOnlyBeAccessedByLayers("feature", "historical", "minibatch", "cli")
        .whereLayer("exchange")
        .mayOnlyBeAccessedByLayers(
            "sampling", "feature", "historical", "fullgraph", "minibatch", "cli")
        .whereLayer("network")
        .mayOnlyBeAccessedByLayers("fullgraph", "minibatch", "cli")
        .whereLayer("run")
        .mayOnlyBeAccessedByLayers("network", "fullgraph", "minibatch", "pipeline", "cli")
        .whereLayer("plan")
        .mayOnlyBeAccessedByLayers(
            "exchange", "run", "feature", "fullgraph", "minibatch", "pipeline", "cli")
        .whereLayer("nn")
        .mayOnlyBeAccessedByLayers(
            "exchange",
            "plan",
            "run",
            "network",
            "fullgraph",
            "minibatch",
            "corpus",
            "pipeline",
            "cli")
        .whereLayer("partition")
        .mayOnlyBeAccessedByLayers("exchange", "fullgraph", "cli")
        .whereLayer("graph")
        .mayOnlyBeAccessedByLayers(
            "partition",
            "exchange",
            "network",
            "sampling",
            "feature",
            "historical",
            "fullgraph",
            "minibatch",
            "cli")
        .whereLayer("comm")
        .mayOnlyBeAccessedByLayers(
            "exchange",
            "run",
            "network",
            "sampling",
            "feature",
            "historical",
            "fullgraph",
            "minibatch",
            "pipeline",
            "cli")
        .check(GOSSAMER);
  }

  @Test
  void onlyTheMatrixFloorUsesTheVectorModule() {
    ArchRuleDefinition.noClasses()
        .that()
        .resideOutsideOfPackage("dev.gossamer.matrix..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("jdk.incubator.vector..")
        .check(GOSSAMER);
  }
}
