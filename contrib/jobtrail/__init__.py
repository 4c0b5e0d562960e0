# SPDX-License-Identifier: LGPL-2.1-or-later
"""The modules of jobtrail's programs in Python. They need Python 3.6 with its standard library, and PyMySQL where the store is
in MariaDB. What an extension adds lies in its folder beside this one, and is jobtrail.NAME (extensions.py)."""

import os

__path__.append(os.path.dirname(__path__[0]))
