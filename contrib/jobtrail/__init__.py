# SPDX-License-Identifier: LGPL-2.1-or-later
"""The modules of jobtrail-acct, jobtrail-report, jobtrail-own and jobtrail-alldoc. They need Python 3.6 with its standard
library, and PyMySQL where the store is in MariaDB."""
