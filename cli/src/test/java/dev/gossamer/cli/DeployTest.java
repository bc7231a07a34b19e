package dev.gossamer.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.gossamer.cli.machine.MachineOptions;
import dev.gossamer.cli.settings.ConfigFile;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.dataformat.yaml.YAMLMapper;

/// What is in `deploy/` fits to the program, to its archive, and to the systems that read it.
class DeployTest {
  private static final Path ROOT = Path.of("..");
  private static final Path DEPLOY = ROOT.resolve("deploy");

  /// Fields of an MPIJob of kubeflow.org/v2beta1, from the types that its operator publishes.
  private static final Set<String> OF_MPI_JOBS =
      Set.of(
          "slotsPerWorker",
          "runPolicy",
          "mpiReplicaSpecs",
          "sshAuthMountPath",
          "mpiImplementation");

  private static final Set<String> OF_RUN_POLICIES =
      Set.of(
          "cleanPodPolicy",
          "ttlSecondsAfterFinished",
          "activeDeadlineSeconds",
          "backoffLimit",
          "schedulingPolicy",
          "suspend");

  private static final Set<String> OF_REPLICAS = Set.of("replicas", "restartPolicy", "template");

  /// Of a page to a file, perhaps to a place in it.
  private static final Pattern LINK = Pattern.compile("]\\(([^)#:\\s]+)(#[^)]*)?\\)");

  @TempDir Path folder;

  /// The model keeps what it does not know beside what it does; here that is refused.
  private static final YAMLMapper STRICT =
      YAMLMapper.builder()
          .annotationIntrospector(
              new JacksonAnnotationIntrospector() {
                @Override
                public Boolean hasAnySetter(MapperConfig<?> config, Annotated member) {
                  return false;
                }
              })
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  private static String text(String name) throws IOException {
    return Files.readString(DEPLOY.resolve(name));
  }

  private static JsonNode yaml(String name) throws IOException {
    return STRICT.readTree(text(name));
  }

  private static String version() throws IOException {
    return found("<version>([0-9][^<]*)</version>", Files.readString(ROOT.resolve("pom.xml")));
  }

  private static String found(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern, Pattern.MULTILINE).matcher(text);
    assertThat(matcher.find()).as("%s in %s", pattern, text).isTrue();
    return matcher.group(1);
  }

  @Test
  void theJobIsOneOfKubernetes() throws IOException {
    Job job = STRICT.readValue(text("job.yaml"), Job.class);
    assertThat(job.getApiVersion()).isEqualTo("batch/v1");
    assertThat(job.getKind()).isEqualTo("Job");
    assertThat(
            job.getSpec().getPodFailurePolicy().getRules().getFirst().getOnExitCodes().getValues())
        .as("wrong usage, and a training that diverges")
        .containsExactly(2, 3);
    PodSpec pod = job.getSpec().getTemplate().getSpec();
    // Exit codes are only looked at where the pod does not restart by itself.
    assertThat(pod.getRestartPolicy()).isEqualTo("Never");
    Container container = pod.getContainers().getFirst();
    assertContainer(pod);
    assertRestarts(container.getArgs(), bytes(container.getResources().getLimits()));
  }

  /// An unknown field anywhere in the published model, or a value of another type.
  @ParameterizedTest
  @CsvSource({
    "backoffLimit:, backoffLimits:",
    "restartPolicy:, restartPolicies:",
    "mountPath:, mountpath:",
    "onExitCodes:, onExitCode:",
    "backoffLimit: 20, backoffLimit: many",
  })
  void aMistakeInTheJobWouldBeFound(String right, String wrong) throws IOException {
    assertThat(text("job.yaml")).contains(right);
    assertThatExceptionOfType(JacksonException.class)
        .isThrownBy(() -> STRICT.readValue(text("job.yaml").replaceFirst(right, wrong), Job.class));
  }

  @Tag("slow")
  @Test
  void theMpiJobHasPodsOfKubernetesAndRanksForThem() throws IOException {
    JsonNode job = yaml("mpijob.yaml");
    assertThat(job.get("apiVersion").asString()).isEqualTo("kubeflow.org/v2beta1");
    assertThat(job.get("kind").asString()).isEqualTo("MPIJob");
    JsonNode spec = job.get("spec");
    assertThat(names(spec)).isSubsetOf(OF_MPI_JOBS);
    assertThat(names(spec.get("runPolicy"))).isSubsetOf(OF_RUN_POLICIES);
    JsonNode replicas = spec.get("mpiReplicaSpecs");
    assertThat(names(replicas)).containsExactly("Launcher", "Worker");
    List<PodSpec> pods = new ArrayList<>();
    for (JsonNode replica : replicas) {
      assertThat(names(replica)).isSubsetOf(OF_REPLICAS);
      pods.add(STRICT.treeToValue(replica.get("template"), PodTemplateSpec.class).getSpec());
      assertContainer(pods.getLast());
    }
    List<String> command = pods.getFirst().getContainers().getFirst().getArgs();
    int workers = replicas.get("Worker").get("replicas").asInt();
    assertThat(command.get(command.indexOf("-np") + 1))
        .isEqualTo(String.valueOf(workers * spec.get("slotsPerWorker").asInt()));
    Container worker = pods.getLast().getContainers().getFirst();
    assertRestarts(
        command.subList(command.indexOf("gossamer") + 1, command.size()),
        bytes(worker.getResources().getLimits()));
    String image = text("Containerfile");
    assertThat(image)
        .contains("HostKey " + spec.get("sshAuthMountPath").asString() + "/id_rsa")
        .contains(">" + worker.getArgs().getLast());
  }

  private static Set<String> names(JsonNode object) {
    return new TreeSet<>(object.propertyNames());
  }

  private static long bytes(Map<String, Quantity> limits) {
    return Objects.requireNonNull(limits.get("memory")).getNumericalAmount().longValueExact();
  }

  /// A container of the image that is built here, as its user, with a fixed amount of memory.
  private static void assertContainer(PodSpec pod) throws IOException {
    Container container = pod.getContainers().getFirst();
    assertThat(container.getImage()).endsWith("/gossamer:" + version());
    assertThat(container.getResources().getRequests().get("memory"))
        .isEqualTo(container.getResources().getLimits().get("memory"));
    String user = found("^USER (\\d+)$", text("Containerfile"));
    assertThat(pod.getSecurityContext().getRunAsUser()).hasToString(user);
    assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
    Set<String> volumes = new TreeSet<>();
    pod.getVolumes().forEach(volume -> volumes.add(volume.getName()));
    container.getVolumeMounts().forEach(mount -> assertThat(volumes).contains(mount.getName()));
  }

  /// A command that can be repeated, in an eighth less memory than there is.
  private static void assertRestarts(List<String> arguments, long limit) {
    String[] words = arguments.toArray(String[]::new);
    assertThat(ConfigFile.valueOf("--resume", words)).isEqualTo("auto");
    assertThat(ConfigFile.valueOf("--run-folder", words)).isNotNull();
    assertThat(ConfigFile.valueOf("--checkpoint-every", words)).isNotNull();
    String memory = ConfigFile.valueOf("--memory", words);
    assertThat(MachineOptions.bytes("--memory", String.valueOf(memory))).isEqualTo(limit / 8 * 7);
    assertThat(Commands.all().parseArgs(words).errors()).isEmpty();
  }

  @Test
  void theImageIsOfTheArchiveThatIsBuilt() throws IOException {
    String image = text("Containerfile");
    String assembling = Files.readString(ROOT.resolve("dist/assemble"));
    assertThat(found("^ARG VERSION=(.*)$", image)).isEqualTo(version());
    assertThat(image).contains("-t gossamer:" + version() + " dist/target");
    // gossamer-VERSION-SYSTEM.tar.gz, of the folder gossamer-VERSION, with bin/gossamer.
    assertThat(found("^name=(.*)$", assembling)).isEqualTo("gossamer-$version");
    assertThat(assembling).contains("\"$name-$system.tar.gz\" \"$name\"", "gossamer bin/");
    assertThat(found("^ADD (\\S+) /opt/$", image))
        .isEqualTo("gossamer-${VERSION}-${SYSTEM}.tar.gz");
    assertThat(image).contains("/opt/gossamer-${VERSION}/bin/gossamer");
    assertThat(found("^ARG SYSTEM=(.*)$", image)).matches("linux-(x86_64|aarch64)");
    assertThat(found("^ENTRYPOINT (.*)$", image)).isEqualTo("[\"gossamer\"]");
    // What the archive brings along is what the program needs.
    assertThat(assembling).contains("tar -C \"$jdk\" --dereference", "tar -C runtime -xf");
    assertThat(image).doesNotContainIgnoringCase("jdk").doesNotContainIgnoringCase("jre");
  }

  @Test
  void whatPagesOfTheArchiveLinkToIsInIt() throws IOException {
    String assembling = Files.readString(ROOT.resolve("dist/assemble"));
    List<String> whole =
        List.of(found("^cp -R \\.\\./\\.\\./\\.\\./\\{(.*\\.md.*)} \\.$", assembling).split(","));
    assertThat(assembling)
        .contains("/benchmarks/*.md benchmarks/", "/examples/{pom.xml,run,src} examples/");
    Set<String> pages = new TreeSet<>(Set.of("benchmarks/README.md", "benchmarks/RESULTS.md"));
    for (String name : whole) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(name))) {
        files
            .filter(file -> file.toString().endsWith(".md"))
            .forEach(file -> pages.add(ROOT.relativize(file).toString()));
      }
    }
    assertThat(pages).hasSizeGreaterThan(30);
    for (String page : pages) {
      Path from = ROOT.resolve(page);
      Matcher links = LINK.matcher(Files.readString(from));
      while (links.find()) {
        Path to = ROOT.relativize(from.resolveSibling(links.group(1)).normalize());
        assertThat(ROOT.resolve(to)).as(page).exists();
        assertThat(
                whole.contains(to.getName(0).toString())
                    || to.startsWith("examples")
                    || pages.contains(to.toString()))
            .as("%s: %s", page, to)
            .isTrue();
      }
    }
  }

  // Scripts, with programs in place of those of a cluster.

  /// Writes a program into a folder that comes first on the path.
  private void program(String name, String... lines) throws IOException {
    Path file = Files.createDirectories(folder.resolve("bin")).resolve(name);
    Files.writeString(file, "#!/usr/bin/env bash\n" + String.join("\n", lines) + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  /// Ends by a signal, or with a status, of which each start takes the next.
  private void ends(String... how) throws IOException {
    Files.write(folder.resolve("ends"), List.of(how));
    program(
        "gossamer",
        "echo \"$*\" >>starts",
        "next=$(sed -n \"$(wc -l <starts)p\" ends)",
        "case $next in [A-Z]*) kill -\"$next\" $$ ;; *) exit \"$next\" ;; esac");
    Files.deleteIfExists(folder.resolve("gossamer"));
    Files.createSymbolicLink(folder.resolve("gossamer"), folder.resolve("bin/gossamer"));
  }

  private List<String> starts() throws IOException {
    return Files.readAllLines(folder.resolve("starts"));
  }

  private int run(Map<String, String> environment, String... command)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile()).inheritIO();
    builder.environment().putAll(environment);
    builder.environment().merge("PATH", "", (path, _) -> folder.resolve("bin") + ":" + path);
    return Child.started(builder.redirectError(folder.resolve("err").toFile())).waitFor();
  }

  private static String script(String name) {
    return DEPLOY.resolve(name).toAbsolutePath().normalize().toString();
  }

  @ParameterizedTest
  @ValueSource(strings = {"slurm.sh", "restart.sh"})
  void theScriptsAreOfBash(String name) throws IOException, InterruptedException {
    assertThat(run(Map.of(), "bash", "-n", script(name))).isZero();
    assertThat(Files.isExecutable(DEPLOY.resolve(name))).isTrue();
  }

  /// Of a command that is killed twice, or that fails otherwise.
  @Tag("slow")
  @ParameterizedTest
  @CsvSource({
    "KILL, 137, 0, 0, 3",
    "1, 137, 0, 0, 3",
    "KILL, 2, 0, 2, 2",
    "3, 0, 0, 3, 1",
    "130, 0, 0, 130, 1"
  })
  void theLoopRepeatsTheCommandUntilItsEnd(
      String first, String second, String third, int status, int starts)
      throws IOException, InterruptedException {
    ends(first, second, third);
    assertThat(
            run(
                Map.of("PAUSE", "0"),
                script("restart.sh"),
                "./gossamer",
                "train",
                "--resume",
                "auto"))
        .isEqualTo(status);
    assertThat(starts()).hasSize(starts).containsOnly("train --resume auto");
    assertThat(folder.resolve("err"))
        .content()
        .contains(
            starts == 1
                ? ""
                : "status %s; restart 1 of 20".formatted(first.equals("KILL") ? "137" : first));
  }

  @Test
  void theLoopGivesUp() throws IOException, InterruptedException {
    ends("1", "1", "1", "1");
    assertThat(
            run(
                Map.of("PAUSE", "0", "RESTARTS", "2"),
                script("restart.sh"),
                "./gossamer",
                "--resume",
                "auto"))
        .isEqualTo(1);
    assertThat(starts()).hasSize(3);
  }

  @Test
  void theLoopTakesTheFlagInBothForms() throws IOException, InterruptedException {
    ends("0");
    assertThat(run(Map.of(), script("restart.sh"), "./gossamer", "--resume=auto")).isZero();
    assertThat(starts()).containsExactly("--resume=auto");
  }

  @Test
  void theLoopRefusesWhatWouldBeginAgain() throws IOException, InterruptedException {
    ends("0");
    assertThat(run(Map.of(), script("restart.sh"), "./gossamer", "train")).isEqualTo(2);
    assertThat(folder.resolve("starts")).doesNotExist();
    assertThat(folder.resolve("err")).content().contains("expected a command with --resume auto");
  }

  /// Told to end, it tells its command, waits for that and begins no other.
  @Test
  void theLoopPassesOnAnOrderToEnd() throws IOException, InterruptedException {
    program(
        "gossamer",
        "trap 'echo told >>starts; exit 143' TERM",
        "kill -TERM $PPID",
        "read -r <wait");
    assertThat(new ProcessBuilder("mkfifo", folder.resolve("wait").toString()).start().waitFor())
        .isZero();
    assertThat(
            run(
                Map.of("PAUSE", "0"),
                script("restart.sh"),
                folder.resolve("bin/gossamer").toString(),
                "--resume",
                "auto"))
        .isEqualTo(143);
    assertThat(starts()).containsExactly("told");
  }

  /// Slurm, which starts a job again when that has asked for it.
  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"KILL, 130, 0, 0, 3", "130, 1, 0, 0, 3", "1, 2, 0, 2, 2", "1, 3, 0, 3, 2"})
  void theJobOfSlurmGoesBackIntoTheQueue(
      String first, String second, String third, int status, int starts)
      throws IOException, InterruptedException {
    ends(first, second, third);
    program("srun", "while [[ $1 = -* ]]; do shift; done", "\"$@\"");
    program("scontrol", "[ \"$*\" = 'requeue 17' ] && : >requeued");
    Path requeued = folder.resolve("requeued");
    int restarts = 0;
    int ended;
    do {
      Files.deleteIfExists(requeued);
      Map<String, String> slurm =
          Map.of(
              "SLURM_JOB_ID", "17",
              "SLURM_CPUS_PER_TASK", "8",
              "SLURM_RESTART_COUNT", String.valueOf(restarts++));
      ended = run(slurm, script("slurm.sh"), "--seed", "3");
    } while (Files.exists(requeued));
    assertThat(ended).isEqualTo(status);
    assertThat(starts()).hasSize(starts);
    assertThat(Set.copyOf(starts())).hasSize(1);
    assertThat(starts().getFirst()).startsWith("train ").endsWith(" --resume auto --seed 3");
  }

  @Test
  void theJobOfSlurmGivesUp() throws IOException, InterruptedException {
    ends("1");
    program("srun", "exit 1");
    program("scontrol", ": >requeued");
    Map<String, String> slurm =
        Map.of("SLURM_JOB_ID", "17", "SLURM_CPUS_PER_TASK", "8", "SLURM_RESTART_COUNT", "20");
    assertThat(run(slurm, script("slurm.sh"))).isEqualTo(1);
    assertThat(folder.resolve("requeued")).doesNotExist();
  }

  /// As in the archive.
  @Test
  void theJobOfSlurmStartsTheProgramThatItIsTold() throws IOException, InterruptedException {
    ends("0");
    Files.delete(folder.resolve("gossamer"));
    program("srun", "while [[ $1 = -* ]]; do shift; done", "\"$@\"");
    Map<String, String> slurm =
        Map.of("SLURM_JOB_ID", "17", "SLURM_CPUS_PER_TASK", "8", "GOSSAMER", "bin/gossamer");
    assertThat(run(slurm, script("slurm.sh"))).isZero();
    assertThat(starts()).hasSize(1);
  }

  @Test
  void theJobOfSlurmNamesItsMemory() throws IOException {
    String job = text("slurm.sh");
    assertThat(job).contains("#SBATCH --requeue\n", "#SBATCH --open-mode=append\n");
    long limit =
        MachineOptions.bytes("--mem", found("^#SBATCH --mem=(\\d+G)$", job))
            / Long.parseLong(found("^#SBATCH --ntasks-per-node=(\\d+)$", job));
    String command = found("(train --data (?:.|\\\\\\n)*?)\"\\$@\"$", job);
    List<String> words =
        Stream.of(
                command.replace("\\\n", " ").replace("\"$SLURM_CPUS_PER_TASK\"", "8").split("\\s+"))
            .toList();
    assertRestarts(words, limit);
  }
}
