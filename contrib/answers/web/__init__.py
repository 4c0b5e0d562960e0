# SPDX-License-Identifier: LGPL-2.1-or-later
"""The reports, and a page for each of the things that they name, over HTTP: see jobtrail-answer(8), jobtrail-web(1)."""
