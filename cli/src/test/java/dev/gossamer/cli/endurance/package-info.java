/// What takes minutes: hostile input ([Fuzzer]), kills and full disks ([Faults]), and many
/// trainings in one virtual machine ([Soak]). Each is a program of its own that prints a table and
/// ends with status 0 if it found nothing; [EnduranceTest] starts them side by side. See
/// `docs/dev/endurance.md`.
package dev.gossamer.cli.endurance;
