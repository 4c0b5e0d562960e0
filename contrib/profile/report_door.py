# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of profiles in a report: see pages.py and fitting.py."""

from . import mpi_page

PAGES = {"mpi": mpi_page.mpi_page}
NAMES = {"mpi": "Time in MPI"}
OF = {"mpi": mpi_page.MPI_OF}
UNFIT = {"mpi": mpi_page.UNFIT}
WHY_UNFIT = {"mpi": "it is by program"}
WITHOUT_RAW = NAMES_EXECUTABLES = ("mpi",)
