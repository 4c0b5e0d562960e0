/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the launcher of an MPI program calls it: the same for all its ranks, and no other program of
 * the job has it. PMIx and Slurm's PMI tell it in the environment. Hydra tells its ranks nothing,
 * but the daemons that start these, on all nodes, have the port of the same control in their
 * arguments.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A hash of that name, by the environment and the processes that this one descends from; 0: none is
 * known. */
uint64_t launcher_program(char **envp);

/* The argument of --control-port in a command line of `size` bytes, as /proc has it: arguments that
 * end by NUL each. NULL where there is none. */
const char *launcher_port(const char *line, size_t size);
