! SPDX-License-Identifier: GPL-3.0-or-later
program fortran_mpi_f08
  use mpi_f08
  implicit none
  integer :: rank, ranks, next, previous, error, i
  integer, asynchronous :: sent(1000), got(1000)
  integer :: counts(64), places(64)
  integer(kind=MPI_ADDRESS_KIND) :: extent, place
  type(MPI_Request) :: request, receive
  type(MPI_Datatype) :: types(64)
  type(MPI_Win) :: win
  include 'fortran_exchange.inc'
end program
