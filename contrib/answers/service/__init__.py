# SPDX-License-Identifier: LGPL-2.1-or-later
"""Answers for users who may not read the store: what each may see, and the service that they ask."""
