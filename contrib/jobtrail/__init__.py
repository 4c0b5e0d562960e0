# SPDX-License-Identifier: LGPL-2.1-or-later
"""What jobtrail-acct and jobtrail-report are made of. Python 3.6 and its standard library, and
PyMySQL where the store is in MariaDB."""
