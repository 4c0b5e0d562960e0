# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobtrail-alldoc: an index over the documentation that lies on this host."""
