! SPDX-License-Identifier: LGPL-2.1-or-later
! calls: mpi_init_ 1, mpi_comm_rank_ 1, mpi_allreduce_ 100, mpi_bcast_ 3, mpi_sendrecv_ 2, mpi_finalize_ 1
program known
  implicit none
  include 'mpif.h'
  integer :: rank, other, error, i, status(MPI_STATUS_SIZE)
  double precision :: numbers(4), sums(4)
  call mpi_init(error)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
  numbers = 2
  do i = 1, 100
     call mpi_allreduce(numbers, sums, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end do
  do i = 1, 3
     call mpi_bcast(numbers, 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  end do
  do i = 1, 2
     call mpi_sendrecv(rank, 1, MPI_INTEGER, 1 - rank, 3, other, 1, MPI_INTEGER, 1 - rank, 3, MPI_COMM_WORLD, status, error)
  end do
  if (any(sums /= 4) .or. other /= 1 - rank) call exit(2)
  call mpi_finalize(error)
end program known
