/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* clang-format off */
/*
 * The packages that runs of an interpreter have loaded, written down by the hook of its language:
 * lines in the file `packages` beside the ledger. Root makes the file at the start of a step, empty
 * and owned by the job's user; outside of Slurm the user makes it. Hooks append to it.
 *
 * The fields of a line are separated by tabs. No field has a control character. A line is at most
 * PACKAGES_LINE bytes long with its newline.
 *
 *     hook UUID PROGRAM VERSION                    the hook runs, in this version of PROGRAM
 *     pkg  UUID PROGRAM LOST NAME VERSION PATH     a package was loaded
 *     xalt UUID PROGRAM LOST NAME VERSION PATH     the same, from a hook for XALT by jobtrail-record-pkg.
 *                                                  It counts where no line `pkg` has the package: XALT's
 *                                                  hook for Python tells Python's version, not the
 *                                                  package's
 *
 *     UUID      the run's, 32 hexadecimal digits, from the slot that the process has mapped:
 *               /proc/self/maps gives its offset in the ledger
 *     PROGRAM   as records name it: python, R, MATLAB, octave, perl
 *     LOST      how many packages this process could not write before
 *     VERSION   may be empty
 *     PATH      may be empty
 *
 * A hook writes a line by one write(2) to a descriptor that it opens with O_APPEND for this line
 * and closes after it. So lines of processes that write at once do not mix, a killed process has
 * written what it had loaded, and programs inherit no descriptor.
 *
 * A hook writes nothing where the slot of its run has not LEDGER_SLOT_PKGS, where the size of files
 * is limited and SIGXFSZ is not ignored, beyond PACKAGES_BYTES, and where it cannot open the file
 * (another root directory, no descriptor left, a full disk). The program runs as without the hook.
 *
 * A package can be reported more than once, by forked children or by other interpreters of the
 * process. Readers use 4096 lines of a run and only count the others, so a hook stops some time
 * after that. They skip a line that begins with another word, as a newer hook may write it. The
 * job's user can write anything into the file.
 */
/* clang-format on */
#pragma once

#define PACKAGES_NAME "packages"

enum { PACKAGES_LINE = 4096, PACKAGES_BYTES = 16 << 20 };

/* The longest PROGRAM, NAME and VERSION that readers take, in bytes. */
enum { PACKAGES_PROGRAM = 32, PACKAGES_NAME_BYTES = 256, PACKAGES_VERSION = 128 };
