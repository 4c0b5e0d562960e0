# SPDX-License-Identifier: LGPL-2.1-or-later
"""--html of jobtrail-report."""

from .page.html_output import print_html

__all__ = ("print_html",)
