/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The optional signal handler (XALT_SIGNAL_HANDLER): signs the end of a run that is ended by a
 * signal without a handler of the program's own. The signal then ends the process as without us.
 */
#ifndef JOBTRAIL_SIGNALS_H
#define JOBTRAIL_SIGNALS_H

/* From now on the handler calls `caught` with the signal's number, and then lets the signal end the
 * process. Only signals whose disposition is the default are caught. */
void signals_catch(void (*caught)(int signal));

#endif
