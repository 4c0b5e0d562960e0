/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a language's hook writes down of the packages that a run loads: lines in the file `packages`
 * beside the ledger. Root makes the file at launch, empty and the job's user's, and outside of
 * Slurm the user does; hooks append to it.
 *
 * A line has fields separated by tabs and is at most PACKAGES_LINE bytes long with its newline. No
 * field has a control character in it. A line is one write(2) to a descriptor that was opened with
 * O_APPEND for this line alone: lines of processes that write at once do not mix, a killed process
 * has written what it had loaded, and no descriptor is left to be closed, inherited or mistaken.
 *
 *     hook UUID PROGRAM VERSION                 a hook works in this run, in this version of
 * PROGRAM pkg UUID PROGRAM LOST NAME VERSION PATH   a package was loaded
 *
 * UUID: the run's, 32 hexadecimal digits, from the slot that the process has mapped:
 * /proc/self/maps gives its offset in the ledger. Where that slot has not LEDGER_SLOT_PKGS a hook
 * writes nothing. PROGRAM: as records name it (python, R, MATLAB, octave, perl). LOST: how many
 * packages this process could not write down before. VERSION and PATH may be empty. A hook that is
 * sent out of its way (another root directory, no descriptors, a full disk) loses packages and
 * nothing else; it writes nothing where the file's size is limited and SIGXFSZ not ignored, nor
 * beyond PACKAGES_BYTES.
 *
 * The same package may be told again, by forked children or other interpreters of the process. Of a
 * run 4096 lines are used and more are counted, so a hook stops well beyond that.
 * A line that begins with another word is a newer hook's. All of it is the user's data.
 */
#ifndef JOBTRAIL_PACKAGES_H
#define JOBTRAIL_PACKAGES_H

#define PACKAGES_NAME  "packages"
#define PACKAGES_LINE  4096
#define PACKAGES_BYTES (16 << 20)

#endif
