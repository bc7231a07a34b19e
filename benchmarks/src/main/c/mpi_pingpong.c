/* The same exchanges as the Java communicator's, called straight. Each function returns the seconds
 * that `rounds` of them took on this rank. Compiled by the mpicc of the MPI that is measured, loaded
 * into the ranks that CommComparison starts, so that both sides take turns in one run. */
#include <mpi.h>

/* One message to rank 1 and back; other ranks return at once. */
double c_pingpong(void *buffer, int bytes, int rounds) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double begin = MPI_Wtime();
  for (int i = 0; i < rounds; i++) {
    if (rank == 0) {
      MPI_Send(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(buffer, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      MPI_Recv(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
  }
  return MPI_Wtime() - begin;
}

/* `bytes` bytes between each two ranks. */
double c_alltoallv(void *send, void *receive, int bytes, int rounds) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int counts[size], offsets[size];
  for (int i = 0; i < size; i++) {
    counts[i] = bytes;
    offsets[i] = i * bytes;
  }
  double begin = MPI_Wtime();
  for (int i = 0; i < rounds; i++) {
    MPI_Alltoallv(send, counts, offsets, MPI_BYTE, receive, counts, offsets, MPI_BYTE,
                  MPI_COMM_WORLD);
  }
  return MPI_Wtime() - begin;
}

/* The sum of `count` floats. */
double c_allreduce(void *buffer, int count, int rounds) {
  double begin = MPI_Wtime();
  for (int i = 0; i < rounds; i++) {
    MPI_Allreduce(MPI_IN_PLACE, buffer, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  }
  return MPI_Wtime() - begin;
}
