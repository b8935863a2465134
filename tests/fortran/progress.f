! SPDX-License-Identifier: BSD-3-Clause
!     Fortran 77, without modules: a thread of plait's looks after the program's own messages.
      program progress
      implicit none
      include 'mpif.h'
      integer n
      parameter (n = 100000)
      double precision mine(n), theirs(n)
      integer provided, rank, ranks, requests(2), i, ierr
      external plait_progress_start, plait_progress_stop
      call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierr)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
      call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
      do i = 1, n
        mine(i) = i + rank
      end do
      call MPI_Irecv(theirs, n, MPI_DOUBLE_PRECISION,
     &  mod(rank + ranks - 1, ranks), 0, MPI_COMM_WORLD, requests(1),
     &  ierr)
      call MPI_Isend(mine, n, MPI_DOUBLE_PRECISION,
     &  mod(rank + 1, ranks), 0, MPI_COMM_WORLD, requests(2), ierr)
      call plait_progress_start(ierr)
      if (ierr .ne. 0) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
      call plait_progress_stop(ierr)
      if (ierr .ne. 0) call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
      do i = 1, n
        if (theirs(i) .ne. i + mod(rank + ranks - 1, ranks)) then
          print *, 'wrong:', i, theirs(i)
          call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
        end if
      end do
      call MPI_Finalize(ierr)
      if (rank .eq. 0) print *, 'all is well'
      end
