# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables as pages for a browser: the report as one page, and what the pages of the web are made of."""
